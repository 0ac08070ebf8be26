"""Working on the units of a search: on the cores of this machine, or on a Dask cluster."""
