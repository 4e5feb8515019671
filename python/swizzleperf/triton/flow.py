"""Which pointers a kernel writes, and whose contents decide what it touches: data flow over the syntax tree.

An over-estimate: a name's sources are all that its expressions mention. `base`: the pointer arguments that a value is
made of. `data`: the pointer arguments whose loaded contents it is made of.
"""

import ast
from dataclasses import dataclass, field

_LOADS = {"load", "gather"}
_STORES = {"store", "scatter"}
_ATOMICS = {
    "atomic_add",
    "atomic_max",
    "atomic_min",
    "atomic_and",
    "atomic_or",
    "atomic_xor",
    "atomic_xchg",
    "atomic_cas",
}
_DEPTH = 16


@dataclass(frozen=True)
class Sources:
    """What a value is made of."""

    base: frozenset = frozenset()
    data: frozenset = frozenset()

    def __or__(self, other):
        return Sources(self.base | other.base, self.data | other.data)


@dataclass
class Flow:
    """Names of arguments. `written`: stored to. `atomics`: updated by atomics. `indirect`: contents decide addresses or branches."""

    written: set = field(default_factory=set)
    atomics: set = field(default_factory=set)
    indirect: set = field(default_factory=set)


def flow_of(functions, kernel, pointers):
    """The flow of a kernel and the helpers of its file, between its arguments `pointers`."""
    flow = Flow()
    _Walker(functions, kernel, {name: Sources(frozenset([name])) for name in pointers}, flow, 0).run()
    return flow


class _Walker:
    """One function with the sources of its arguments; runs until nothing new is learnt."""

    def __init__(self, functions, function, known, flow, depth):
        self.functions, self.function, self.known, self.flow, self.depth = functions, function, dict(known), flow, depth
        self.result = Sources()

    def run(self):
        before = None
        while before != (self.known, self.result):
            before = (dict(self.known), self.result)
            for statement in self.function.body:
                self.statement(statement)
        return self.result

    def statement(self, node):
        if isinstance(node, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and node.value is not None:
            value = self.value(node.value)
            for target in getattr(node, "targets", None) or [node.target]:
                self.bind(target, value)
        elif isinstance(node, ast.For):
            value = self.value(node.iter)
            self.flow.indirect |= value.data
            self.bind(node.target, value)
        elif isinstance(node, (ast.If, ast.While)):
            self.flow.indirect |= self.value(node.test).data
        elif isinstance(node, ast.Return) and node.value is not None:
            self.result |= self.value(node.value)
        elif isinstance(node, ast.Expr):
            self.value(node.value)
        for name in ("body", "orelse"):
            for inner in getattr(node, name, []):
                if isinstance(inner, ast.stmt):
                    self.statement(inner)

    def bind(self, target, value):
        for node in ast.walk(target):
            if isinstance(node, ast.Name):
                self.known[node.id] = self.known.get(node.id, Sources()) | value

    def value(self, node):
        if isinstance(node, ast.Name):
            return self.known.get(node.id, Sources())
        if isinstance(node, ast.Call):
            return self.call(node)
        if isinstance(node, ast.IfExp):
            test = self.value(node.test)
            self.flow.indirect |= test.data
        total = Sources()
        for child in ast.iter_child_nodes(node):
            total |= self.value(child)
        return total

    def call(self, node):
        scope = self.functions.function_scope(self.function)
        dotted = self.functions.names.resolve(node.func, scope) or ""
        method = isinstance(node.func, ast.Attribute) and not dotted
        name = node.func.attr if method else dotted.rpartition(".")[2] if dotted.startswith("triton.language.") else ""
        if name in _LOADS | _STORES | _ATOMICS and (method or node.args or node.keywords):
            return self.access(name, node, method)
        given = [self.value(node.func.value)] if method else []
        given += [self.value(a) for a in node.args] + [self.value(k.value) for k in node.keywords]
        definition = self.functions.definition(node.func.id, self.function) if isinstance(node.func, ast.Name) else None
        if definition is not None and self.depth < _DEPTH:
            return self.helper(definition, node)
        total = Sources()
        for value in given:
            total |= value
        return total

    def access(self, name, node, method):
        """A load, store or atomic: tl.load(pointer, mask), descriptor.store(offsets, value), and so on."""
        positional = [self.value(a) for a in node.args]
        named = {k.arg: self.value(k.value) for k in node.keywords}
        if method:
            pointer = self.value(node.func.value)
            decides = {"load": positional, "gather": positional, "scatter": positional[1:]}.get(name, positional[:1])
        else:
            pointer = positional[0] if positional else named.get("pointer", Sources())
            decides = positional[1:2] if name in _LOADS else positional[2:3]
        decides += [value for key, value in named.items() if key not in ("value", "val", "cmp", "other", "pointer")]
        self.flow.indirect |= pointer.data.union(*(value.data for value in decides))
        if name not in _LOADS:
            self.flow.written |= pointer.base
        if name in _ATOMICS:
            self.flow.atomics |= pointer.base
        return Sources() if name in _STORES else Sources(frozenset(), pointer.base | pointer.data)

    def helper(self, definition, node):
        arguments = definition.args
        names = [a.arg for a in [*arguments.posonlyargs, *arguments.args]]
        known = {name: self.value(value) for name, value in zip(names, node.args)}
        known.update({k.arg: self.value(k.value) for k in node.keywords if k.arg})
        return _Walker(self.functions, definition, known, self.flow, self.depth + 1).run()
