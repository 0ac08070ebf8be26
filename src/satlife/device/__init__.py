"""Devices for work that runs on a GPU: what was found, compiled kernels, arrays, launches.

Engines write a kernel once, as CUDA C beside their Python, and hand it to a `Device`.  There is one kind of device that
computes, CUDA through CuPy (`cuda`); the tests have another, which compiles the same source with a C++ compiler and
runs threads one after another.
"""
