"""Steps of simulations: FDTD in two dimensions (three kernels a step), and one anti-diagonal of Smith-Waterman."""

import common
import numpy
import triton
import triton.language as tl
from common import Array, Example


@triton.jit
def cell(columns, BY: tl.constexpr, BX: tl.constexpr):
    """The cells of this program."""
    x = tl.program_id(0) * BX + tl.arange(0, BX)
    y = tl.program_id(1) * BY + tl.arange(0, BY)
    return y[:, None], x[None, :], y[:, None] * columns + x[None, :]


@triton.jit
def fdtd_ex_kernel(ex, hz, rows, columns, BY: tl.constexpr, BX: tl.constexpr):
    y, x, at = cell(columns, BY, BX)
    inside = (y > 0) & (y < rows) & (x < columns)
    change = tl.load(hz + at, mask=inside) - tl.load(hz + at - columns, mask=inside)
    tl.store(ex + at, tl.load(ex + at, mask=inside) - 0.5 * change, mask=inside)


@triton.jit
def fdtd_ey_kernel(ey, hz, rows, columns, BY: tl.constexpr, BX: tl.constexpr):
    y, x, at = cell(columns, BY, BX)
    inside = (y < rows) & (x > 0) & (x < columns)
    change = tl.load(hz + at, mask=inside) - tl.load(hz + at - 1, mask=inside)
    tl.store(ey + at, tl.load(ey + at, mask=inside) - 0.5 * change, mask=inside)


@triton.jit
def fdtd_hz_kernel(ex, ey, hz, rows, columns, BY: tl.constexpr, BX: tl.constexpr):
    y, x, at = cell(columns, BY, BX)
    inside = (y < rows - 1) & (x < columns - 1)
    change = tl.load(ex + at + columns, mask=inside) - tl.load(ex + at, mask=inside)
    change += tl.load(ey + at, mask=inside) - tl.load(ey + at + 1, mask=inside)
    tl.store(hz + at, tl.load(hz + at, mask=inside) + 0.7 * change, mask=inside)


@triton.jit
def smith_waterman_kernel(first, second, scores, length, diagonal, BLOCK: tl.constexpr):
    """Scores of the cells (i, diagonal - i) of one pair of sequences a program row; the table has a rim of zeros."""
    pair = tl.program_id(1).to(tl.int64)
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK) + 1
    j = diagonal - i
    inside = (i <= length) & (j >= 1) & (j <= length)
    width = length + 1
    here = scores + pair * width * width + i * width + j
    a = tl.load(first + pair * length + i - 1, mask=inside, other=0)
    b = tl.load(second + pair * length + j - 1, mask=inside, other=1)
    best = tl.load(here - width - 1, mask=inside, other=0) + tl.where(a == b, 3, -2)
    best = tl.maximum(best, tl.load(here - width, mask=inside, other=0) - 1)
    best = tl.maximum(best, tl.load(here - 1, mask=inside, other=0) - 1)
    tl.store(here, tl.maximum(best, 0), mask=inside)


def fields(*names):
    return lambda s: {name: Array((s.rows, s.columns)) for name in names}


def launcher(*names):
    def launch(kernel, t, s):
        grid = (triton.cdiv(s.columns, 128), triton.cdiv(s.rows, 8))
        kernel[grid](*(t[name] for name in names), s.rows, s.columns, BY=8, BX=128, num_warps=4)

    return launch


def ex_reference(t, s):
    t["ex"][1:] -= 0.5 * (t["hz"][1:] - t["hz"][:-1])
    return {"ex": t["ex"]}


def ey_reference(t, s):
    t["ey"][:, 1:] -= 0.5 * (t["hz"][:, 1:] - t["hz"][:, :-1])
    return {"ey": t["ey"]}


def hz_reference(t, s):
    ex, ey, hz = t["ex"], t["ey"], t["hz"]
    hz[:-1, :-1] += 0.7 * (ex[1:, :-1] - ex[:-1, :-1] + ey[:-1, :-1] - ey[:-1, 1:])
    return {"hz": hz}


def letters(s, random):
    return random.integers(0, 4, (s.pairs, s.length)).astype(numpy.int8)


def launch_smith_waterman(kernel, t, s):
    kernel[(triton.cdiv(s.length, 256), s.pairs)](
        t["first"], t["second"], t["scores"], s.length, s.diagonal, BLOCK=256, num_warps=4
    )


def smith_waterman_reference(t, s):
    table = t["scores"].copy()
    for i in range(max(1, s.diagonal - s.length), min(s.length, s.diagonal - 1) + 1):
        j = s.diagonal - i
        equal = numpy.where(t["first"][:, i - 1] == t["second"][:, j - 1], 3, -2)
        table[:, i, j] = numpy.maximum.reduce(
            [
                table[:, i - 1, j - 1] + equal,
                table[:, i - 1, j] - 1,
                table[:, i, j - 1] - 1,
                numpy.zeros(s.pairs, numpy.int32),
            ]
        )
    return {"scores": table}


LARGE, SMALL = {"rows": 8192, "columns": 8192}, {"rows": 21, "columns": 300}
FDTD_EX = Example(
    "fdtd_ex",
    fdtd_ex_kernel,
    LARGE,
    SMALL,
    fields("ex", "hz"),
    launcher("ex", "hz"),
    ex_reference,
    flops="3 * rows * columns",
)
FDTD_EY = Example(
    "fdtd_ey",
    fdtd_ey_kernel,
    LARGE,
    SMALL,
    fields("ey", "hz"),
    launcher("ey", "hz"),
    ey_reference,
    flops="3 * rows * columns",
)
FDTD_HZ = Example(
    "fdtd_hz",
    fdtd_hz_kernel,
    LARGE,
    SMALL,
    fields("ex", "ey", "hz"),
    launcher("ex", "ey", "hz"),
    hz_reference,
    flops="5 * rows * columns",
)
SMITH_WATERMAN = Example(
    "smith_waterman",
    smith_waterman_kernel,
    {"pairs": 64, "length": 4096, "diagonal": 4096},
    {"pairs": 3, "length": 300, "diagonal": 290},
    lambda s: {
        "first": Array((s.pairs, s.length), "int8", letters),
        "second": Array((s.pairs, s.length), "int8", letters),
        "scores": Array((s.pairs, s.length + 1, s.length + 1), "int32"),
    },
    launch_smith_waterman,
    smith_waterman_reference,
    flops="6 * pairs * length",
    flops_dtype="fp32",
)
EXAMPLES = (FDTD_EX, FDTD_EY, FDTD_HZ, SMITH_WATERMAN)

if __name__ == "__main__":
    common.main(*EXAMPLES)
