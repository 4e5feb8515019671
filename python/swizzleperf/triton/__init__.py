"""Triton kernels: captured, rewritten, and swizzled at run time. Triton itself is imported when it is needed."""

from .capture import capture, recording
from .casefile import write_case
from .sizes import sizes
from .tensor import Tensor

__all__ = ["Tensor", "capture", "recording", "sizes", "write_case"]
