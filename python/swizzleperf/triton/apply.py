"""The swizzled kernel at run time: the kernel's source is rewritten, and made a Triton function again."""

import ast
import hashlib
import inspect
import os
import textwrap
from pathlib import Path

from ..errors import Unsupported, UserError
from ..files import read_bytes, write_atomic
from . import versions
from .rewrite import rewrite_source
from .source import Functions, Source


def apply(kernel, map_text, grid, sizes=None, gpu=None, xcds=None):
    """The kernel with a map, to be launched as the kernel was: `apply(k, map, (64, 64))[grid](...)`.

    `grid`: the launch grid to prove the map on, or a list of several; on other grids the kernel keeps its launch order.
    Autotune and heuristics around the kernel are kept. Raises CheckFailed where the map is no bijection.
    """
    jit = versions.jit_function(kernel)
    done = rewrite_function(jit, map_text, as_grids(grid), sizes, gpu, xcds)
    return versions.with_function(kernel, swizzled_jit(jit, done))


def swizzle(map_text, grid, sizes=None, gpu=None, xcds=None):
    """A decorator above @triton.jit (and @triton.autotune): the kernel with a map. See `apply`."""
    return lambda kernel: apply(kernel, map_text, grid, sizes, gpu, xcds)


def as_grids(grid):
    """A list of grids with three extents each."""
    several = grid if isinstance(grid, list) else [grid]
    grids = []
    for one in several:
        extents = (one,) if isinstance(one, int) else tuple(one)
        if not 1 <= len(extents) <= 3 or any(isinstance(e, bool) or not isinstance(e, int) or e < 1 for e in extents):
            raise UserError(f"{one!r} is no grid: 1 to 3 positive whole numbers")
        grids.append(tuple(int(e) for e in extents) + (1,) * (3 - len(extents)))
    if not grids:
        raise UserError("give at least one grid to prove the map on")
    return grids


def rewrite_function(jit, map_text, grids, sizes=None, gpu=None, xcds=None):
    """The rewritten file of a Triton function."""
    file = inspect.getsourcefile(jit.fn)
    if file is None or not Path(file).is_file():
        raise Unsupported(f"the source of {jit.fn.__name__} is in no file")
    name = jit.fn.__qualname__.replace("<locals>.", "")
    return rewrite_source(read_bytes(file), file, name, map_text, grids, sizes, gpu, xcds, Path(file))


def swizzled_jit(jit, rewritten):
    """A Triton function of the rewritten kernel, in a copy of the original's surroundings."""
    text = _extract(rewritten)
    scope = {**jit.fn.__globals__, **inspect.getclosurevars(jit.fn).nonlocals}
    exec(compile(text, _kept(text), "exec"), scope)  # noqa: S102 - the user's own source, with the program's map in it
    function = scope[jit.fn.__name__]
    if versions.is_interpreted(jit):
        return versions.load().jit(function, **versions.jit_options(jit))
    return versions.make_jit(function, versions.jit_options(jit))


def _extract(rewritten):
    """The kernel without decorators, and what the rewrite inserted for it, as a source of its own."""
    source = Source(rewritten.after, rewritten.name)
    functions = Functions(source)
    kernel = functions.find(rewritten.kernel)
    parts = [f"# The kernel {rewritten.kernel} of {rewritten.name} with a swizzle."]
    for node in ast.walk(source.tree):
        inserted = isinstance(node, ast.FunctionDef) and node.name.startswith(rewritten.prefix)
        imported = isinstance(node, ast.Import) and (node.names[0].asname or "").startswith(rewritten.prefix)
        if inserted or imported:
            start, end = source.whole_lines(node)
            parts.append(textwrap.dedent(source.data[start:end].decode()))
    start, end = source.line_start(kernel.lineno), source.whole_lines(kernel)[1]
    parts.append(textwrap.dedent(source.data[start:end].decode()))
    return "\n\n".join(part.replace("\r\n", "\n").rstrip("\n") for part in parts) + "\n"


def _kept(text):
    """The file that holds a text: Triton, debuggers and profilers read the source again."""
    base = (
        os.environ.get("SWIZZLEPERF_CACHE")
        or Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "swizzleperf"
    )
    file = Path(base) / f"{hashlib.sha256(text.encode()).hexdigest()[:32]}.py"
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        same = file.is_file() and file.read_text() == text
    except OSError as error:
        raise UserError(f"{file}: cannot be used ({error.strerror}): name a folder in SWIZZLEPERF_CACHE") from None
    if not same:
        write_atomic(file, text)
    return str(file)
