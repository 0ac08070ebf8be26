"""Ships row by row on the CPU: the look-ahead, its tables and kernels, and the search."""
