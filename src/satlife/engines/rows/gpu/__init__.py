"""Ships row by row on a GPU: the memory, the kernels in CUDA C, and the search."""
