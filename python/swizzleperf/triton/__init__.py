"""Triton kernels: captured, rewritten, and swizzled at run time. Triton itself is imported when it is needed."""

from .apply import apply, swizzle
from .capture import capture, recording
from .casefile import write_case
from .gate import run_gate
from .sizes import sizes
from .tensor import Tensor

__all__ = ["Tensor", "apply", "capture", "recording", "run_gate", "sizes", "swizzle", "write_case"]
