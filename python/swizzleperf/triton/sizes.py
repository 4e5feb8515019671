"""Whole numbers that remember how they were computed, so that a case can be asked about other sizes."""

from ..errors import UserError


class Size(int):
    """An int with a text in the map language: `M`, `(M + 127) / 128`. Branches on sizes are not remembered."""

    def __new__(cls, value, text, names):
        made = super().__new__(cls, value)
        made.text, made.names = text, names
        return made

    def _combine(self, other, sign, compute, reverse=False):
        if not isinstance(other, int):
            return NotImplemented
        left, right = (other, self) if reverse else (self, other)
        names = {**getattr(left, "names", {}), **getattr(right, "names", {})}
        return Size(compute(int(left), int(right)), f"({text_of(left)} {sign} {text_of(right)})", names)

    def __add__(self, other):
        return self._combine(other, "+", lambda a, b: a + b)

    def __radd__(self, other):
        return self._combine(other, "+", lambda a, b: a + b, True)

    def __sub__(self, other):
        return self._combine(other, "-", lambda a, b: a - b)

    def __rsub__(self, other):
        return self._combine(other, "-", lambda a, b: a - b, True)

    def __mul__(self, other):
        return self._combine(other, "*", lambda a, b: a * b)

    def __rmul__(self, other):
        return self._combine(other, "*", lambda a, b: a * b, True)

    def __floordiv__(self, other):
        return self._combine(other, "/", lambda a, b: a // b)

    def __rfloordiv__(self, other):
        return self._combine(other, "/", lambda a, b: a // b, True)

    def __mod__(self, other):
        return self._combine(other, "%", lambda a, b: a % b)

    def __rmod__(self, other):
        return self._combine(other, "%", lambda a, b: a % b, True)

    __hash__ = int.__hash__


def sizes(**named):
    """`M, N = sizes(M=8192, N=4096)`: sizes that the case's variants will name."""
    for name, value in named.items():
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise UserError(f"the size {name} must be a positive whole number, not {value!r}")
    made = [Size(value, name, {name: int(value)}) for name, value in named.items()]
    return made[0] if len(made) == 1 else tuple(made)


def text_of(number):
    """The number as the map language writes it; outer parentheses stay, since it may become part of something."""
    return number.text if isinstance(number, Size) else str(int(number))


def bare(text):
    """A text without the one pair of parentheses around all of it."""
    if not text.startswith("("):
        return text
    depth = 0
    for place, sign in enumerate(text):
        depth += (sign == "(") - (sign == ")")
        if depth == 0:
            return text[1:-1] if place == len(text) - 1 else text
    return text
