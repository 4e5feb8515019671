"""A Python file as its syntax tree sees it: what names stand for, which functions are Triton's, what they call.

Positions are bytes, since a rewrite must keep every byte that it does not mean to change.
"""

import ast
import io
import tokenize

from ..errors import Unsupported, UserError

_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


class Source:
    """A parsed file. `data`: its bytes."""

    def __init__(self, data, name):
        self.data, self.name = data, name
        self.tree = _parse(data, name)
        self.parents = {child: node for node in ast.walk(self.tree) for child in ast.iter_child_nodes(node)}
        self._bom = 3 if data.startswith(b"\xef\xbb\xbf") else 0
        self._line_starts = [0]
        for line in data.splitlines(keepends=True):
            self._line_starts.append(self._line_starts[-1] + len(line))

    def line_start(self, line):
        """Offset of a line's first byte; lines count from 1."""
        return self._line_starts[line - 1]

    def span(self, node):
        """First byte, and the byte behind the last, of a node."""
        return self._offset(node.lineno, node.col_offset), self._offset(node.end_lineno, node.end_col_offset)

    def text(self, node):
        start, end = self.span(node)
        return self.data[start:end].decode()

    def whole_lines(self, statement):
        """Span of a statement with its decorators, from the start of its first line to the end of its last."""
        start = self.line_start(first_line(statement))
        return start, self._line_starts[min(statement.end_lineno, len(self._line_starts) - 1)]

    def indent(self, statement):
        """The blanks in front of a statement that begins its line."""
        start = self.line_start(first_line(statement))
        blanks = self.data[start : self.span(statement)[0] if not decorators(statement) else None]
        return blanks[: len(blanks) - len(blanks.lstrip(b" \t\f"))].decode()

    def newline(self):
        return "\r\n" if b"\r\n" in self.data else "\n"

    def error(self, node, message):
        return Unsupported(f"{self.name}:{node.lineno}: {message}")

    def _offset(self, line, column):
        return self._line_starts[line - 1] + column + (self._bom if line == 1 else 0)


def _parse(data, name):
    try:
        encoding, _ = tokenize.detect_encoding(io.BytesIO(data).readline)
        if encoding not in ("utf-8", "utf-8-sig"):
            raise Unsupported(f"{name}: the file is encoded as {encoding}; only UTF-8 can be rewritten")
        return ast.parse(data, name)
    except SyntaxError as error:
        raise UserError(f"{name}:{error.lineno or 1}: not Python: {error.msg}") from None
    except (ValueError, RecursionError, MemoryError) as error:
        raise UserError(f"{name}: not Python: {error}") from None


def decorators(statement):
    return getattr(statement, "decorator_list", [])


def first_line(statement):
    return min([statement.lineno, *(d.lineno for d in decorators(statement))])


class Names:
    """What dotted names stand for: {"tl": "triton.language"}, from imports and plain aliases at module level."""

    def __init__(self, source):
        self.source = source
        self.modules = {}  # name -> what it stands for
        self.functions = {}  # name -> its definition in this file; the last one wins, as when the file runs
        self._star = False  # `from triton.language import *`
        for statement in _statements(source.tree.body):
            self._bind(statement)

    def resolve(self, node, scope):
        """Dotted name that an expression stands for inside the functions `scope` (innermost last), or None."""
        if isinstance(node, ast.Attribute):
            base = self.resolve(node.value, scope)
            return None if base is None else _canonical(f"{base}.{node.attr}")
        if not isinstance(node, ast.Name):
            return None
        for function in reversed(scope):
            bound = _imports_of(function)
            if node.id in bound:
                return bound[node.id]
            if node.id in local_names(function):
                return None
        if node.id in self.modules:
            return self.modules[node.id]
        if node.id in self.functions or not self._star:
            return None
        return f"triton.language.{node.id}"

    def name_of(self, dotted):
        """How module-level code writes a dotted name, shortest first, or None."""
        written = [name for name, meaning in self.modules.items() if meaning == dotted]
        head, _, tail = dotted.rpartition(".")
        if head:
            written += [f"{name}.{tail}" for name, meaning in self.modules.items() if meaning == head]
        return min(written, key=lambda text: (len(text), text), default=None)

    def _bind(self, statement):
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            imported = imports(statement)
            self._star = self._star or imported.pop("*", "") == "triton.language.*"
            self.modules.update(imported)
            for name in imported:
                self.functions.pop(name, None)
        elif isinstance(statement, _FUNCTIONS):
            self.functions[statement.name] = statement
            self.modules.pop(statement.name, None)
        elif isinstance(statement, ast.Assign):
            for target in statement.targets:
                optional = isinstance(statement.value, ast.Constant) and statement.value.value is None
                if not isinstance(target, ast.Name) or optional:  # `triton = None` where the import failed
                    continue
                meaning = self.resolve(statement.value, [])
                self.modules.pop(target.id, None)
                if meaning is not None:
                    self.modules[target.id] = meaning


def imports(statement):
    """Names that an import binds, and what they stand for."""
    bound = {}
    for alias in statement.names:
        if isinstance(statement, ast.ImportFrom):
            bound[alias.asname or alias.name] = _canonical(
                f"{'.' * statement.level}{statement.module or ''}.{alias.name}"
            )
        elif alias.asname:
            bound[alias.asname] = _canonical(alias.name)
        else:
            bound[alias.name.split(".")[0]] = alias.name.split(".")[0]
    return bound


def _imports_of(function):
    bound = {}
    for node in ast.walk(function):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            bound.update(imports(node))
    return bound


def _canonical(dotted):
    """triton.language.core.program_id is triton.language.program_id, and so on."""
    return (
        "triton.language." + dotted[len("triton.language.core.") :]
        if dotted.startswith("triton.language.core.")
        else dotted
    )


def _statements(body):
    """Statements of a body and of the `if`, `try` and `with` blocks in it, but not of functions and classes."""
    for statement in body:
        yield statement
        if isinstance(statement, (*_FUNCTIONS, ast.ClassDef)):
            continue
        for field in ("body", "orelse", "finalbody"):
            yield from _statements(getattr(statement, field, []))
        for handler in getattr(statement, "handlers", []):
            yield from _statements(handler.body)


def local_names(function):
    """Names that a function binds itself: parameters and what it assigns."""
    arguments = function.args
    names = {a.arg for a in [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]}
    for node in ast.walk(function):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
        elif isinstance(node, _FUNCTIONS) and node is not function:
            names.add(node.name)
    return names


class Functions:
    """The Triton functions of a file and who refers to whom."""

    def __init__(self, source):
        self.source, self.names = source, Names(source)
        self._wrapped = self._wrapped_by_calls()
        self.jitted = [
            node for node in ast.walk(source.tree) if isinstance(node, ast.FunctionDef) and self._is_jit(node)
        ]

    def find(self, wanted):
        """The kernel of that name, `outer.kernel` where it is made inside of a function."""
        matches = [f for f in self.jitted if wanted in (f.name, self.qualified(f))]
        if len(matches) == 1:
            return matches[0]
        if matches:
            lines = ", ".join(str(f.lineno) for f in matches)
            raise UserError(
                f"{self.source.name}: several kernels are named {wanted} (lines {lines}): give the enclosing "
                "function's name, too: outer.kernel"
            )
        known = ", ".join(self.qualified(f) for f in self.jitted) or "none"
        raise UserError(f"{self.source.name}: no @triton.jit function is named {wanted}; there are: {known}")

    def qualified(self, function):
        return ".".join(f.name for f in self.scope(function))

    def scope(self, function):
        """Functions and classes around a function, outermost first, itself last."""
        chain, node = [], function
        while node is not None:
            if isinstance(node, (*_FUNCTIONS, ast.ClassDef)):
                chain.append(node)
            node = self.source.parents.get(node)
        return chain[::-1]

    def function_scope(self, function):
        return [f for f in self.scope(function) if isinstance(f, _FUNCTIONS)]

    def references(self, function):
        """(name node, definition) of each Triton function of this file that a function refers to."""
        found = []
        for node in ast.walk(function):
            if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
                definition = self.definition(node.id, function)
                if definition is not None and not self._in_decorators(node, function):
                    found.append((node, definition))
        return found

    def reach(self, function):
        """All Triton functions of this file that a function refers to, directly or not; itself first."""
        reached = [function]
        for each in reached:
            reached += [d for _, d in self.references(each) if d not in reached]
        return list(dict.fromkeys(reached))

    def jit_decorator(self, function):
        """The text that makes this function Triton's: `triton.jit`, or what the file calls it."""
        for node in decorators(function):
            callee = node.func if isinstance(node, ast.Call) else node
            if self.names.resolve(callee, self.function_scope(function)[:-1]) == "triton.jit":
                return self.source.text(callee)
        return self._wrapped.get(function.name)

    def _wrapped_by_calls(self):
        """{"f": "triton.jit"} for `kernel = triton.jit(f)`."""
        wrapped = {}
        for node in ast.walk(self.source.tree):
            if isinstance(node, ast.Call) and self.names.resolve(node.func, []) == "triton.jit":
                wrapped.update((a.id, self.source.text(node.func)) for a in node.args if isinstance(a, ast.Name))
        return wrapped

    def definition(self, name, function):
        """The Triton function of this file that a name stands for inside of a function, or None."""
        scopes = self.function_scope(function)
        if name in local_names(function):
            return None
        for outer in reversed(scopes[:-1]):
            for node in outer.body:
                if isinstance(node, ast.FunctionDef) and node.name == name:
                    return node if node in self.jitted else None
            if name in local_names(outer):
                return None
        found = self.names.functions.get(name)
        return found if found in self.jitted else None

    def _in_decorators(self, node, function):
        return any(node in ast.walk(d) for d in decorators(function))

    def _is_jit(self, function):
        return self.jit_decorator(function) is not None
