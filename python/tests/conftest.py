"""What the tests share: the built program, and a stand-in for Triton that runs rewritten kernels as plain Python."""

import importlib.util
import os
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "python"))

BALANCED = "pid = wg % num_xcds * (num_wgs / num_xcds) + wg / num_xcds"


@pytest.fixture(scope="session", autouse=True)
def program():
    """The tests mean nothing without the program, which proves and prints the maps."""
    from swizzleperf.program import find_program

    return find_program()


def has_triton():
    return importlib.util.find_spec("triton") is not None


needs_triton = pytest.mark.skipif(
    not has_triton(), reason="Triton is not installed: scripts/triton_venv.sh makes a venv"
)
os.environ.setdefault(
    "TRITON_CACHE_DIR", os.path.join(os.environ.get("TMPDIR", "/tmp"), f"swizzleperf-triton-{os.getuid()}")
)
