"""Triton kernels: captured, rewritten, and swizzled at run time. Nothing here imports Triton before it is needed."""
