"""The inserted function: the program's printed map, as a Triton function that returns the tile's coordinates."""

import ast

from ..errors import SwizzleperfError

AXES = "xyz"


def tile_function(printed, axes, jit, language, grids):
    """Text of the helpers and of `<prefix>tile`, which returns the coordinates along `axes` ("x", "xy", ...).

    `printed`: what `swizzleperf print --target triton --json` says. `jit`, `language`: how the file writes triton.jit and
    triton.language. What the returned axes do not need is left out.
    """
    prefix = printed["prefix"]
    body = _parsed(f"def {prefix}tile():\n{printed['body']}").body[0]
    helpers = [node for node in _parsed(printed["helpers"]).body if isinstance(node, ast.FunctionDef)]
    narrow = "" if printed["bits"] == 32 else ".to(tl.int32)"
    results = ", ".join(f"{prefix}pid_{axis}{narrow}" for axis in axes)
    body.body += _parsed(f"return {results}", "exec", in_function=True)
    body.body = _without_unused(body.body)
    map_line = "; ".join(line.strip().rstrip(";") for line in printed["map"].splitlines() if line.strip())
    where = " and ".join("x".join(str(e) for e in grid) for grid in grids)
    text = [
        f"# swizzleperf: the tile that this program does, by the map\n#   {map_line}\n"
        f"# It is a bijection on the grid {where}, and not used on other grids."
    ]
    for function in [*helpers, body]:
        function.decorator_list = []
        text.append(f"@{jit}\n{ast.unparse(_Renamed(language).visit(function))}")
    return _joined(text)


def call_statement(prefix, axes):
    """The statement that reads the tile, and the names that stand for tl.program_id(0), (1), (2) after it."""
    return f"{', '.join(f'{prefix}pid_{axis}' for axis in axes)} = {prefix}tile()"


def _joined(text):
    comment, *functions = text
    return "\n\n\n".join([*functions[:-1], f"{comment}\n{functions[-1]}"])


class _Renamed(ast.NodeTransformer):
    """The printed code calls the language `tl`."""

    def __init__(self, language):
        self._language = ast.parse(language, mode="eval").body

    def visit_Name(self, node):
        return self._language if node.id == "tl" else node


def _parsed(text, mode="exec", in_function=False):
    try:
        if in_function:
            return ast.parse(f"def f():\n    {text}").body[0].body
        return ast.parse(text, mode=mode)
    except SyntaxError as error:
        raise SwizzleperfError(f"the printed map is not Python: {error}") from None


def _without_unused(statements):
    """The statements without assignments to names that nothing reads; repeated until none is left."""
    while True:
        read = {
            node.id
            for s in statements
            for node in ast.walk(s)
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)
        }
        kept = [s for s in (_pruned(s, read) for s in statements) if s is not None]
        if len(list(_walk_all(kept))) == len(list(_walk_all(statements))):
            return kept
        statements = kept


def _walk_all(statements):
    for statement in statements:
        yield from ast.walk(statement)


def _pruned(statement, read):
    if isinstance(statement, ast.Assign):
        return statement if statement.targets[0].id in read else None
    if isinstance(statement, ast.If):
        body = [s for s in (_pruned(s, read) for s in statement.body) if s is not None]
        return ast.If(test=statement.test, body=body, orelse=statement.orelse) if body else None
    return statement
