"""Puts a proven map into a kernel's Python source: every read of the program id gets the tile's coordinate instead.

A function that returns the tile is inserted in front of the kernel, one statement calls it at the start of the body, and
the reads become its results. Helpers of the same file that read the id are copied, with the same edits, and the kernel
calls the copies: other kernels keep theirs. Nothing else of the file changes, which is checked afterwards.
"""

import ast
import io
import tokenize
from dataclasses import dataclass, field

from ..errors import SwizzleperfError, Unsupported, UserError
from ..files import unified_patch
from ..program import print_map
from .imported import check_imported
from .reads import reads_of
from .source import Functions, Source, first_line
from .tile import AXES, call_statement, tile_function

MARK = "# swizzleperf: the tile that this program does"


@dataclass
class Edit:
    """Bytes from `start` to `end` become `text`."""

    start: int
    end: int
    text: str


@dataclass
class Rewritten:
    """A rewritten file."""

    name: str
    kernel: str
    before: bytes
    after: bytes
    prefix: str
    reads: int  # reads of the program id that were replaced
    copies: list = field(default_factory=list)  # helpers that were copied
    unseen: list = field(default_factory=list)  # functions of other files that could not be read
    operations: int = 0  # integer operations added per program, at most
    bits: int = 32

    def patch(self, name=None):
        return unified_patch(self.before, self.after, name or self.name)


@dataclass
class _Plan:
    """What the edits of one kernel have in common."""

    source: Source
    functions: Functions
    prefix: str
    axes: str
    jit: str
    language: str
    copied: list


def rewrite_source(data, name, kernel, map_text, grids, sizes=None, gpu=None, xcds=None, path=None):
    """Rewrites the kernel of that name in a file's bytes. `grids`: the launch grids to prove the map on and to use it on.

    CheckFailed where the map is no bijection, Unsupported (with the line) for what no remap can follow.
    """
    source = Source(data, name)
    functions = Functions(source)
    target = functions.find(kernel)
    plan, unseen = _plan(source, functions, target, path)
    printed = print_map(map_text, grids, plan.prefix, sizes, gpu, xcds)
    edits = _function_edits(plan, target) + [_insertion(plan, target, printed, grids)]
    after = apply_edits(data, edits)
    check_rewritten(plan, target, after)
    reads = sum(len(reads_of(functions, f)) for f in functions.reach(target))
    return Rewritten(
        name,
        functions.qualified(target),
        data,
        after,
        plan.prefix,
        reads,
        [f.name for f in plan.copied],
        unseen,
        printed["operations"],
        printed["bits"],
    )


def apply_edits(data, edits):
    """The bytes with all edits made; they must not overlap."""
    ordered = sorted(edits, key=lambda edit: (edit.start, edit.end))
    for left, right in zip(ordered, ordered[1:]):
        if left.end > right.start:
            raise SwizzleperfError("two edits of the source overlap")
    for edit in reversed(ordered):
        data = data[: edit.start] + edit.text.encode() + data[edit.end :]
    return data


def _plan(source, functions, kernel, path):
    reached = functions.reach(kernel)
    unseen = check_imported(functions, reached, path)
    reads = [read for function in reached for read in reads_of(functions, function)]
    if any(MARK in line for line in _comment_above(source, functions, reached)):
        raise UserError(
            f"{source.name}:{kernel.lineno}: {kernel.name} has a swizzle of this program already: undo that first"
        )
    if not reads:
        raise UserError(
            f"{source.name}:{kernel.lineno}: {kernel.name} does not read the program id: there is no order to change"
        )
    for other in functions.jitted:
        if other not in reached and any(d is kernel for _, d in functions.references(other)):
            raise source.error(kernel, f"{kernel.name} is called by {other.name}, too, which would be remapped with it")
    axes = {read.axis for read in reads}
    literal = all(isinstance(axis, int) for axis in axes)
    prefix = _free_prefix(source)
    plan = _Plan(
        source,
        functions,
        prefix,
        "".join(AXES[a] for a in sorted(axes)) if literal else AXES,
        functions.names.name_of("triton.jit") or f"{prefix}triton.jit",
        functions.names.name_of("triton.language") or f"{prefix}tl",
        [f for f in reached[1:] if _needs_copy(functions, f)],
    )
    return plan, unseen


def _comment_above(source, functions, reached):
    """The comment lines right in front of the functions that a kernel reaches."""
    lines = source.data.splitlines()
    for function in reached:
        line = first_line(function) - 2
        while line >= 0 and lines[line].lstrip().startswith(b"#"):
            yield lines[line].decode()
            line -= 1


def _needs_copy(functions, helper):
    return any(reads_of(functions, each) for each in functions.reach(helper))


def _free_prefix(source):
    """A prefix that no name of the file begins with."""
    names = {node.id for node in ast.walk(source.tree) if isinstance(node, ast.Name)}
    names |= {node.arg for node in ast.walk(source.tree) if isinstance(node, ast.arg)}
    names |= {node.name for node in ast.walk(source.tree) if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    names |= {node.asname or node.name for node in ast.walk(source.tree) if isinstance(node, ast.alias)}
    for number in range(1, 1000):
        prefix = "sp_" if number == 1 else f"sp{number}_"
        if not any(name.startswith(prefix) for name in names):
            return prefix
    raise Unsupported(f"{source.name}: every prefix sp_ to sp999_ is taken")


def _function_edits(plan, function):
    """Edits inside of one function: the statement at its start, its reads, its calls of copied helpers."""
    edits = [_read_edit(plan, read) for read in reads_of(plan.functions, function)]
    if edits:
        edits.append(_statement_edit(plan, function))
    for node, definition in plan.functions.references(function):
        if definition in plan.copied:
            edits.append(Edit(*plan.source.span(node), plan.prefix + definition.name))
    return edits


def _value(plan, read):
    """What a read becomes."""
    if isinstance(read.axis, int):
        return f"{plan.prefix}pid_{AXES[read.axis]}"
    axis = plan.source.text(read.axis)
    x, y, z = (f"{plan.prefix}pid_{a}" for a in AXES)
    return f"({x} if ({axis}) == 0 else ({y} if ({axis}) == 1 else {z}))"


def _read_edit(plan, read):
    start, end = plan.source.span(read.call)
    value, newline = _value(plan, read), plan.source.newline()
    comments = _comments(plan.source.data[start:end])
    return Edit(start, end, f"({value}  {newline.join(comments)}{newline})" if comments else value)


def _comments(segment):
    tokens = tokenize.tokenize(io.BytesIO(b"(" + segment + b")").readline)
    return [token.string for token in tokens if token.type == tokenize.COMMENT]


def _statement_edit(plan, function):
    """Inserts the call in front of the first statement that is no docstring."""
    source, body = plan.source, function.body
    has_doc = ast.get_docstring(function, clean=False) is not None
    first = body[1] if has_doc and len(body) > 1 else body[0]
    previous = body[0].end_lineno if first is not body[0] else _header_end(source, function)
    if first_line(first) <= previous:
        raise source.error(first, f"write the first statement of {function.name} on a line of its own")
    start = source.line_start(first_line(first))
    text = f"{source.indent(first)}{call_statement(plan.prefix, plan.axes)}{source.newline()}"
    return Edit(start, start, text)


def _header_end(source, function):
    """The line of the colon that ends `def ...:`."""
    start = source.line_start(function.lineno)
    end = source.span(function.body[0])[0]
    depth, line = 0, function.lineno
    for token in tokenize.tokenize(io.BytesIO(source.data[start:end].lstrip(b"\xef\xbb\xbf \t")).readline):
        if token.type == tokenize.OP:
            depth += (token.string in "([{") - (token.string in ")]}")
            line = function.lineno + token.start[0] - 1
            if token.string == ":" and depth == 0:
                break
    return line


def _insertion(plan, kernel, printed, grids):
    """The tile function and the copies of helpers, in front of the statement that makes the kernel."""
    source = plan.source
    outermost = plan.functions.scope(kernel)[0]
    text = tile_function(printed, plan.axes, plan.jit, plan.language, grids)
    imports = [
        f"import {module} as {plan.prefix}{alias}"
        for module, alias, written in (("triton", "triton", plan.jit), ("triton.language", "tl", plan.language))
        if written.startswith(plan.prefix)
    ]
    text = "\n".join(imports) + ("\n\n\n" if imports else "") + text
    indent = source.indent(outermost)
    parts = ["".join(f"{indent}{line}\n" if line else "\n" for line in text.split("\n"))]
    parts += [_copy(plan, kernel, helper) for helper in plan.copied]
    blank = "\n\n" if not indent else "\n"
    text = "".join(part.rstrip("\r\n") + "\n" + blank for part in parts)
    start = source.line_start(first_line(outermost))
    return Edit(start, start, text.replace("\r\n", "\n").replace("\n", source.newline()))


def _copy(plan, kernel, helper):
    """A helper's own text under another name, with its reads replaced."""
    source = plan.source
    if source.parents.get(helper) is not source.parents.get(plan.functions.scope(kernel)[0]):
        raise source.error(
            helper, f"{helper.name} reads the program id and is not defined beside the kernel: move it there"
        )
    start, end = source.whole_lines(helper)
    name = source.data.index(helper.name.encode(), source.span(helper)[0])
    edits = _function_edits(plan, helper) + [Edit(name, name, plan.prefix)]
    moved = [Edit(edit.start - start, edit.end - start, edit.text) for edit in edits]
    return apply_edits(source.data[start:end], moved).decode()


def check_rewritten(plan, kernel, after):
    """The new file, parsed again, is the old one but for the insertions and the replaced reads."""
    source = Source(after, plan.source.name)
    functions = Functions(source)
    target = functions.find(plan.functions.qualified(kernel))
    if any(reads_of(functions, f) for f in functions.reach(target) if f.name != f"{plan.prefix}tile"):
        raise SwizzleperfError(f"{source.name}: a read of the program id is left in the rewritten kernel")
    if ast.dump(target.args) != ast.dump(kernel.args):
        raise SwizzleperfError(f"{source.name}: the kernel's signature changed")
    original = _Replaced(plan, kernel).visit(ast.parse(plan.source.data))
    if ast.dump(_Undone(plan).visit(source.tree)) != ast.dump(original):
        raise SwizzleperfError(f"{source.name}: the rewrite changed more than the reads of the program id")


class _Replaced(ast.NodeTransformer):
    """The original tree with the kernel's reads replaced, and nothing inserted."""

    def __init__(self, plan, kernel):
        self._values = {_place(r.call): _value(plan, r) for r in reads_of(plan.functions, kernel)}

    def visit_Call(self, node):
        value = self._values.get(_place(node))
        if value is None:
            return self.generic_visit(node)
        return ast.parse(value, mode="eval").body


def _place(node):
    return node.lineno, node.col_offset, node.end_lineno, node.end_col_offset


class _Undone(ast.NodeTransformer):
    """Takes the insertions out of a rewritten tree again."""

    def __init__(self, plan):
        self._prefix = plan.prefix
        self._copied = {plan.prefix + f.name: f.name for f in plan.copied}

    def visit_FunctionDef(self, node):
        return None if node.name.startswith(self._prefix) else self.generic_visit(node)

    def visit_Import(self, node):
        return None if any((a.asname or "").startswith(self._prefix) for a in node.names) else node

    def visit_Assign(self, node):
        first = node.targets[0].elts[0] if isinstance(node.targets[0], ast.Tuple) else node.targets[0]
        if isinstance(first, ast.Name) and first.id.startswith(self._prefix):
            return None
        return self.generic_visit(node)

    def visit_Name(self, node):
        return ast.Name(self._copied.get(node.id, node.id), node.ctx)
