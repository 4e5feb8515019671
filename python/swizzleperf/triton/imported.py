"""Triton functions that a kernel takes from other files: those that read the program id cannot be remapped."""

import ast
from pathlib import Path

from ..errors import Unsupported, UserError
from .reads import reads_of
from .source import Functions, Source


def check_imported(functions, reached, path):
    """Refuses a kernel that reaches a read of the program id in another file. Returns the calls whose source was not found.

    `path`: where the kernel's file lies, or None where that is not known.
    """
    unseen, seen = [], set()
    for function in reached:
        for node, dotted in _foreign_calls(functions, function):
            if not _reads(dotted, path, seen):
                continue
            if (dotted, "?") in seen:
                unseen.append(f"line {node.lineno}: {dotted}")
                continue
            raise functions.source.error(
                node, f"{dotted} reads the program id in another file: move it into this file, or pass it the ids"
            )
    return unseen


def _foreign_calls(functions, function):
    scope = functions.function_scope(function)
    for node in ast.walk(function):
        if isinstance(node, ast.Call):
            dotted = functions.names.resolve(node.func, scope)
            if dotted and "." in dotted and not dotted.startswith("triton.") and not dotted.startswith("math."):
                yield node, dotted


def _reads(dotted, path, seen):
    """True: it reads the program id, or its file was not found, which `seen` then says."""
    module, _, name = dotted.rpartition(".")
    file = _module_file(module, path)
    if file is None:
        seen.add((dotted, "?"))
        return True
    if (file, name) in seen:
        return False
    seen.add((file, name))
    try:
        functions = Functions(Source(file.read_bytes(), str(file)))
        reached = functions.reach(functions.find(name))
        if any(reads_of(functions, each) for each in reached):
            return True
    except Unsupported:
        return True
    except (UserError, OSError):
        return False  # no Triton function: a constant, a class, a plain function
    return any(
        _reads(deeper, file, seen) and (deeper, "?") not in seen
        for each in reached
        for _, deeper in _foreign_calls(functions, each)
    )


def _module_file(module, path):
    """The file of a module beside the kernel's own file, or in a folder above it that is the root of its package."""
    if path is None:
        return None
    levels = len(module) - len(module.lstrip("."))
    parts = [part for part in module.lstrip(".").split(".") if part]
    folder = Path(path).resolve().parent
    roots = [folder.parents[levels - 2] if levels > 1 else folder] if levels else [folder, *folder.parents][:8]
    for root in roots:
        base = root.joinpath(*parts)
        for candidate in (base.with_suffix(".py"), base / "__init__.py"):
            if parts and candidate.is_file():
                return candidate
    return None
