"""Runs the integer part of a kernel as plain Python: `triton` and `triton.language` with scalars for program ids."""

import sys
import types


def run(source, kernel, grid, *arguments):
    """What the kernel's `tl.record(...)` calls got, for every launch id in order. `kernel`: takes the file's names."""
    language, triton, core = (types.ModuleType(n) for n in ("triton.language", "triton", "triton.language.core"))
    state = types.SimpleNamespace(id=(0, 0, 0), rows=[])
    language.program_id = core.program_id = lambda axis: state.id[axis]
    language.num_programs = lambda axis: grid[axis]
    language.record = lambda *values: state.rows[-1].append(values)
    language.constexpr = int
    language.cdiv = triton.cdiv = lambda a, b: -(-a // b)
    language.range = range
    language.core, language.where = core, lambda condition, a, b: a if condition else b
    language.maximum, language.minimum, language.abs = max, min, abs
    triton.jit = lambda function=None, **options: function if function else triton.jit
    triton.autotune = triton.heuristics = lambda *a, **k: lambda function: function
    triton.language = language
    saved = {name: sys.modules.get(name) for name in ("triton", "triton.language", "triton.language.core")}
    sys.modules.update({"triton": triton, "triton.language": language, "triton.language.core": core})
    try:
        scope = {"__name__": "kernels"}
        exec(compile(source, "kernels.py", "exec"), scope)  # noqa: S102 - the tests' own sources
        function = kernel(scope)
        for z in range(grid[2]):
            for y in range(grid[1]):
                for x in range(grid[0]):
                    state.id = (x, y, z)
                    state.rows.append([])
                    function(*arguments)
    finally:
        for name, module in saved.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module
    return state.rows
