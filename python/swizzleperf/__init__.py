"""SwizzlePerf for Python. Maps are proven by the `swizzleperf` program; this package calls it."""

__version__ = "0.1.0"
