"""The page: a small server on this machine, and what it serves."""
