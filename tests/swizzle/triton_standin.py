"""Just enough of Triton to run printed maps as plain Python: scalars of 32 or 64 bits that divide as Triton's do."""


class Int:
    """An integer of a width; a result that does not fit is an error, since the printer proved that all fit."""

    def __init__(self, value, bits=32):
        if not -(1 << (bits - 1)) <= value < 1 << (bits - 1):
            raise OverflowError(f"{value} does not fit in {bits} bits")
        self.value, self.bits = value, bits

    def to(self, bits):
        return Int(self.value, bits)

    def _with(self, other, compute):
        if isinstance(other, Int):
            return Int(compute(self.value, other.value), max(self.bits, other.bits))
        return Int(compute(self.value, other), self.bits if -(1 << 31) <= other < 1 << 31 else 64)

    def _from(self, other, compute):
        return Int(compute(other, self.value), self.bits if -(1 << 31) <= other < 1 << 31 else 64)

    def __add__(self, o): return self._with(o, lambda a, b: a + b)
    def __radd__(self, o): return self._from(o, lambda a, b: a + b)
    def __sub__(self, o): return self._with(o, lambda a, b: a - b)
    def __rsub__(self, o): return self._from(o, lambda a, b: a - b)
    def __mul__(self, o): return self._with(o, lambda a, b: a * b)
    def __rmul__(self, o): return self._from(o, lambda a, b: a * b)
    def __floordiv__(self, o): return self._with(o, quotient)
    def __rfloordiv__(self, o): return self._from(o, quotient)
    def __mod__(self, o): return self._with(o, remainder)
    def __rmod__(self, o): return self._from(o, remainder)
    def __and__(self, o): return self._with(o, lambda a, b: a & b)
    def __rand__(self, o): return self._from(o, lambda a, b: a & b)
    def __or__(self, o): return self._with(o, lambda a, b: a | b)
    def __ror__(self, o): return self._from(o, lambda a, b: a | b)
    def __xor__(self, o): return self._with(o, lambda a, b: a ^ b)
    def __rxor__(self, o): return self._from(o, lambda a, b: a ^ b)
    def __lshift__(self, o): return self._with(o, self._shift_left)
    def __rlshift__(self, o): return self._from(o, self._shift_left)
    def __rshift__(self, o): return self._with(o, self._shift_right)
    def __rrshift__(self, o): return self._from(o, self._shift_right)
    def __neg__(self): return Int(-self.value, self.bits)
    def __invert__(self): return Int(~self.value, self.bits)
    def __lt__(self, o): return self.value < plain(o)
    def __le__(self, o): return self.value <= plain(o)
    def __gt__(self, o): return self.value > plain(o)
    def __ge__(self, o): return self.value >= plain(o)
    def __eq__(self, o): return self.value == plain(o)
    def __ne__(self, o): return self.value != plain(o)
    __hash__ = None

    def __bool__(self):
        raise TypeError("a number used as a condition")

    def _shift_left(self, a, b):
        if not 0 <= b < self.bits:
            raise OverflowError("shift count")
        return a << b

    def _shift_right(self, a, b):
        if not 0 <= b < self.bits:
            raise OverflowError("shift count")
        return a >> b


def plain(x):
    return x.value if isinstance(x, Int) else x


def quotient(a, b):
    q = abs(a) // abs(b)
    return q if (a < 0) == (b < 0) else -q


def remainder(a, b):
    return a - b * quotient(a, b)


def widest(*values):
    return max([v.bits for v in values if isinstance(v, Int)], default=32)


class Language:
    int64 = 64

    def program_id(self, axis): return Int(self.id[axis])
    def num_programs(self, axis): return Int(self.grid[axis])
    def abs(self, a): return Int(abs(plain(a)), widest(a))
    def minimum(self, a, b): return Int(min(plain(a), plain(b)), widest(a, b))
    def maximum(self, a, b): return Int(max(plain(a), plain(b)), widest(a, b))

    def where(self, condition, a, b):
        if not isinstance(condition, bool):
            raise TypeError("a condition that is no comparison")
        return Int(plain(a if condition else b), widest(a, b))


class triton:
    @staticmethod
    def jit(function):
        return function


tl = Language()


def run(name, function, grid):
    """Prints the tiles of all launches of a grid in launch order."""
    tl.grid = grid
    tiles = []
    for z in range(grid[2]):
        for y in range(grid[1]):
            for x in range(grid[0]):
                tl.id = (x, y, z)
                px, py, pz = (plain(v) for v in function())
                tiles.append(px + grid[0] * (py + grid[1] * pz))
    print(name, *tiles)
