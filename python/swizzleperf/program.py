"""Calls the `swizzleperf` program: by an argument vector, with a time limit, reading its JSON."""

import json
import os
import shutil
import subprocess
from pathlib import Path

from .errors import CheckFailed, SwizzleperfError, ToolMissing, UserError

TIME_LIMIT_S = 600


def find_program():
    """The program: $SWIZZLEPERF_PROGRAM, else the one on the PATH, else the one built in this source tree."""
    named = os.environ.get("SWIZZLEPERF_PROGRAM")
    if named:
        if not os.access(named, os.X_OK):
            raise ToolMissing(f"SWIZZLEPERF_PROGRAM names {named}, which is no program")
        return named
    found = shutil.which("swizzleperf")
    built = Path(__file__).resolve().parents[2] / "build" / "release" / "bin" / "swizzleperf"
    if found is None and not built.exists():
        raise ToolMissing(
            "the swizzleperf program is not there: build it with `make`, then put it on the PATH or name "
            "it in SWIZZLEPERF_PROGRAM"
        )
    return found or str(built)


def run_program(arguments, good_codes=(0,)):
    """Runs one verb; returns (exit code, stdout). Exit codes outside of `good_codes` raise what they mean."""
    command = [find_program(), *map(str, arguments)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIME_LIMIT_S, check=False)
    except subprocess.TimeoutExpired:
        raise SwizzleperfError(f"swizzleperf {arguments[0]} took longer than {TIME_LIMIT_S} s") from None
    except OSError as error:
        raise ToolMissing(f"{command[0]} cannot be run: {error.strerror}") from None
    if done.returncode in good_codes:
        return done.returncode, done.stdout
    kind = {1: CheckFailed, 2: UserError, 3: ToolMissing}.get(done.returncode, SwizzleperfError)
    raise kind(done.stderr.strip() or f"swizzleperf {arguments[0]} ended with code {done.returncode}")


def map_options(sizes=None, gpu=None, xcds=None):
    """Options that give a map's names their values."""
    options = []
    for name, value in (sizes or {}).items():
        options += ["--size", f"{name}={int(value)}"]
    if gpu is not None:
        options += ["--gpu", gpu]
    if xcds is not None:
        options += ["--xcds", str(xcds)]
    return options


def grid_text(grid):
    """A grid as the program takes it: `64` or `64,32`."""
    return ",".join(str(int(extent)) for extent in grid)


def print_map(map_text, grids, prefix, sizes=None, gpu=None, xcds=None):
    """The map as guarded Triton code, proven by the program on every grid; see `print` in docs/cli.md for the keys."""
    arguments = [
        "print",
        "--json",
        "--target",
        "triton",
        "--map",
        map_text,
        "--prefix",
        prefix,
        "--grid",
        grid_text(grids[0]),
    ]
    for grid in grids[1:]:
        arguments += ["--also-grid", grid_text(grid)]
    _, out = run_program(arguments + map_options(sizes, gpu, xcds))
    return json.loads(out)
