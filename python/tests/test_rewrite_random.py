"""Rewriting kernels made at random: the remap follows, every other byte stays, and a second rewrite is refused."""

import functools
import random

import pytest

from conftest import BALANCED
from standin import run
from swizzleperf.errors import UserError
from swizzleperf.triton import rewrite as rewriting

GRID = (8, 2, 2)
KERNELS = 40


class Maker:
    """Makes a file with a kernel, helpers that it reaches, and other code, in all manners of writing."""

    def __init__(self, seed):
        self.random = random.Random(seed)
        self.language = self.random.choice(["tl", "language", "T"])
        self.reads = 0

    def pick(self, *choices):
        return self.random.choice(choices)

    def read(self):
        self.reads += 1
        axis = self.random.randrange(3)
        call = self.pick(
            "{0}({1})", "{0}(axis={1})", "{0}( {1} )", "{0}(\n    {1}\n)", "{0}({1},)", "{0}(  # which?\n  {1})"
        )
        return call.format(self.pick(f"{self.language}.program_id", f"{self.language}.core.program_id", "get_id"), axis)

    def value(self, depth=0):
        if depth > 2 or self.random.random() < 0.3:
            return self.pick(self.read(), self.read(), "n", "7", "q" if depth < 9 else "1")
        left, right = self.value(depth + 1), self.value(depth + 1)
        return self.pick(
            f"({left} + {right})",
            f"({left}*3 - {right})",
            f"({left} if n > 2 else {right})",
            f"helper({left})",
            f"abs({left} - {right})",
            f"({left} % 5 + outer({right}))",
            f"[{left}, {right}][-1]",
        )

    def statements(self, indent, depth=0):
        lines = []
        for _ in range(self.random.randrange(1, 4)):
            kind = self.random.randrange(6)
            if kind == 0 and depth < 2:
                lines += [f"{indent}if {self.value()} % 2 == 0:  # why", *self.statements(indent + "  ", depth + 1)]
            elif kind == 1 and depth < 2:
                lines += [f"{indent}for q in range(2):", *self.statements(indent + "\t", depth + 1)]
            elif kind == 2:
                lines += [f"{indent}# a comment with program_id(0) in it", f"{indent}q = {self.value()}; n = n+0"]
            else:
                lines.append(f"{indent}{self.language}.record({self.value()}, 'tl.program_id(0)')")
        return lines

    def function(self, name, body, indent):
        doc = self.pick([], [f"{indent}'''About {name}: program_id.'''"], [f"{indent}# first"])
        return [self.pick("@triton.jit", "@triton.jit()"), f"def {name}(n):", *doc, f"{indent}q = 1", *body, "", ""]

    def source(self):
        head = [
            "import triton",
            f"import triton.language as {self.language}",
            f"get_id = {self.language}.program_id",
            "",
        ]
        indent = self.pick("    ", "  ", "\t")
        parts = self.function("helper", [f"{indent}return n + {self.pick('1', self.read())}"], indent)
        parts += self.function("outer", [f"{indent}return helper(n) - {self.pick('2', self.read())}"], indent)
        body = [f"{indent}{self.language}.record({self.read()})", *self.statements(indent)]
        parts += self.function("kernel", body, indent)
        parts += self.function("other", [f"{indent}{self.language}.record(outer(n))"], indent)
        return "\n".join(head + parts)


@pytest.fixture(autouse=True)
def one_proof(monkeypatch):
    """The map is the same each time: the program is asked once."""
    prints = functools.lru_cache(maxsize=None)(lambda prefix: original(BALANCED, [GRID], prefix, None, None, 8))
    original = rewriting.print_map
    monkeypatch.setattr(rewriting, "print_map", lambda *a, **k: dict(prints(a[2])))


def balanced(w):
    return w % 8 * (32 // 8) + w // 8


@pytest.mark.parametrize("seed", range(0, KERNELS, 20))
def test_random_kernels(seed):
    for each in range(seed, seed + 20):
        source = Maker(each).source()
        done = rewriting.rewrite_source(source.encode(), "k.py", "kernel", BALANCED, [GRID], xcds=8)
        text = done.after.decode()
        for kernel, follows in (("kernel", True), ("other", False)):
            before = run(source, lambda names: names[kernel], GRID, 3)
            after = run(text, lambda names: names[kernel], GRID, 3)
            assert after == [before[balanced(w) if follows else w] for w in range(32)], (each, source, text)
        # Without the inserted functions and statements, only reads and names of copied helpers differ.
        assert source.split("def other")[1] == text.split("def other")[1]
        assert source.count("#") + inserted_comments(text, done) == text.count("#"), each
        with pytest.raises(UserError, match="already"):
            rewriting.rewrite_source(done.after, "k.py", "kernel", BALANCED, [GRID], xcds=8)


def inserted_comments(text, done):
    """The three lines above the tile function, and the comments of copied helpers."""
    import ast

    lines = text.splitlines()
    copies = [
        node
        for node in ast.parse(text).body
        if getattr(node, "name", "").startswith(done.prefix) and node.name != f"{done.prefix}tile"
    ]
    return 3 + sum("\n".join(lines[node.lineno - 1 : node.end_lineno]).count("#") for node in copies)
