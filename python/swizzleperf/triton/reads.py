"""Where Triton functions read the program id."""

import ast
from dataclasses import dataclass

PROGRAM_ID = "triton.language.program_id"
ASSEMBLY = "triton.language.inline_asm_elementwise"


@dataclass
class Read:
    """One `tl.program_id(axis)`. `axis`: 0, 1, 2, or the expression that says which, where it is no literal."""

    call: ast.Call
    axis: object


def reads_of(functions, function):
    """All reads in a function's own body, in source order. Unsupported: what no remap can follow."""
    scope = functions.function_scope(function)
    found = []
    for node in ast.walk(function):
        if not isinstance(node, (ast.Attribute, ast.Name)) or not isinstance(node.ctx, ast.Load):
            continue
        meaning = functions.names.resolve(node, scope)
        parent = functions.source.parents.get(node)
        if meaning == ASSEMBLY:
            _refuse_block_id(functions.source, parent)
        if meaning != PROGRAM_ID or _is_definition(functions, node):
            continue
        if not isinstance(parent, ast.Call) or parent.func is not node:
            raise functions.source.error(node, "program_id is used as a value here: write a call, program_id(0)")
        found.append(Read(parent, _axis(functions.source, parent)))
    return sorted(found, key=lambda read: (read.call.lineno, read.call.col_offset))


def _is_definition(functions, node):
    """The inner parts of `tl.program_id` stand for modules, not for the function."""
    parent = functions.source.parents.get(node)
    return isinstance(parent, ast.Attribute) and parent.value is node


def _axis(source, call):
    given = call.args[:1] + [k.value for k in call.keywords if k.arg == "axis"]
    if len(given) != 1 or len(call.args) + len(call.keywords) != 1 or isinstance(given[0], ast.Starred):
        raise source.error(call, "program_id takes one axis")
    if not isinstance(given[0], ast.Constant):
        return given[0]
    if given[0].value not in (0, 1, 2) or isinstance(given[0].value, bool):
        raise source.error(call, f"program_id has the axes 0, 1 and 2, not {given[0].value!r}")
    return given[0].value


def _refuse_block_id(source, call):
    for node in ast.walk(call):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and "ctaid" in node.value:
            raise source.error(call, "assembly that reads the block id (%ctaid) cannot be remapped")
