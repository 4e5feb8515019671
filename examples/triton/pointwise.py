"""Kernels that touch each element once or a few times: fused elementwise, transpose, Black-Scholes, the 5-point stencil."""

import math

import common
import numpy
import triton
import triton.language as tl
from common import Array, Example


@triton.jit
def fused_kernel(gate, up, bias, out, n, BLOCK: tl.constexpr):
    """out = gate * sigmoid(gate) * up + bias"""
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(gate + at, mask=at < n, other=0.0).to(tl.float32)
    u = tl.load(up + at, mask=at < n, other=0.0).to(tl.float32)
    b = tl.load(bias + at, mask=at < n, other=0.0).to(tl.float32)
    tl.store(out + at, (g / (1 + tl.exp(-g)) * u + b).to(tl.float16), mask=at < n)


@triton.jit
def transpose_kernel(source, target, rows, columns, BLOCK: tl.constexpr):
    x = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    y = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = (y[:, None] < rows) & (x[None, :] < columns)
    block = tl.load(source + y[:, None] * columns + x[None, :], mask=inside)
    tl.store(target + x[:, None] * rows + y[None, :], tl.trans(block), mask=tl.trans(inside))


@triton.jit
def normal_cdf(x):
    return 0.5 * (1.0 + tl.erf(x * 0.7071067811865476))


@triton.jit
def black_scholes_kernel(spot, strike, years, call, put, n, rate, volatility, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    s = tl.load(spot + at, mask=at < n, other=1.0)
    k = tl.load(strike + at, mask=at < n, other=1.0)
    t = tl.load(years + at, mask=at < n, other=1.0)
    root = volatility * tl.sqrt(t)
    d1 = (tl.log(s / k) + (rate + 0.5 * volatility * volatility) * t) / root
    d2 = d1 - root
    later = k * tl.exp(-rate * t)
    tl.store(call + at, s * normal_cdf(d1) - later * normal_cdf(d2), mask=at < n)
    tl.store(put + at, later * normal_cdf(-d2) - s * normal_cdf(-d1), mask=at < n)


@triton.jit
def stencil_kernel(source, target, rows, columns, BY: tl.constexpr, BX: tl.constexpr):
    """The mean of a cell and its four neighbours; the rim is left alone."""
    x = tl.program_id(0) * BX + tl.arange(0, BX)
    y = tl.program_id(1) * BY + tl.arange(0, BY)
    inside = (y[:, None] > 0) & (y[:, None] < rows - 1) & (x[None, :] > 0) & (x[None, :] < columns - 1)
    here = source + y[:, None] * columns + x[None, :]
    total = tl.load(here, mask=inside, other=0.0)
    total += tl.load(here - columns, mask=inside, other=0.0) + tl.load(here + columns, mask=inside, other=0.0)
    total += tl.load(here - 1, mask=inside, other=0.0) + tl.load(here + 1, mask=inside, other=0.0)
    tl.store(target + y[:, None] * columns + x[None, :], total * 0.2, mask=inside)


def launch_fused(kernel, t, s):
    kernel[(triton.cdiv(s.n, 1024),)](t["gate"], t["up"], t["bias"], t["out"], s.n, BLOCK=1024, num_warps=4)


def fused_reference(t, s):
    g, u, b = (t[name].astype("float32") for name in ("gate", "up", "bias"))
    return {"out": g / (1 + numpy.exp(-g)) * u + b}


def launch_transpose(kernel, t, s):
    kernel[(triton.cdiv(s.columns, 64), triton.cdiv(s.rows, 64))](
        t["source"], t["target"], s.rows, s.columns, BLOCK=64, num_warps=8
    )


def positive(s, random):
    return random.random(s.n, numpy.float32) + 0.5


def launch_black_scholes(kernel, t, s):
    kernel[(triton.cdiv(s.n, 512),)](
        t["spot"], t["strike"], t["years"], t["call"], t["put"], s.n, 0.02, 0.3, BLOCK=512, num_warps=4
    )


def black_scholes_reference(t, s):
    spot, strike, years = (t[name].astype("float64") for name in ("spot", "strike", "years"))
    cdf = numpy.vectorize(lambda x: 0.5 * (1 + math.erf(x / math.sqrt(2))))
    d1 = (numpy.log(spot / strike) + (0.02 + 0.045) * years) / (0.3 * numpy.sqrt(years))
    d2, later = d1 - 0.3 * numpy.sqrt(years), strike * numpy.exp(-0.02 * years)
    return {"call": spot * cdf(d1) - later * cdf(d2), "put": later * cdf(-d2) - spot * cdf(-d1)}


def launch_stencil(kernel, t, s):
    kernel[(triton.cdiv(s.columns, 128), triton.cdiv(s.rows, 16))](
        t["source"], t["target"], s.rows, s.columns, BY=16, BX=128, num_warps=8
    )


def stencil_reference(t, s):
    a, result = t["source"], t["target"].copy()
    result[1:-1, 1:-1] = (a[1:-1, 1:-1] + a[:-2, 1:-1] + a[2:, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:]) * 0.2
    return {"target": result}


FUSED = Example(
    "elementwise",
    fused_kernel,
    {"n": 1 << 26},
    {"n": 5000},
    lambda s: {name: Array((s.n,), "float16") for name in ("gate", "up", "bias", "out")},
    launch_fused,
    fused_reference,
    flops="10 * n",
)
TRANSPOSE = Example(
    "transpose",
    transpose_kernel,
    {"rows": 16384, "columns": 16384},
    {"rows": 130, "columns": 200},
    lambda s: {"source": Array((s.rows, s.columns)), "target": Array((s.columns, s.rows))},
    launch_transpose,
    lambda t, s: {"target": t["source"].T},
)
BLACK_SCHOLES = Example(
    "black_scholes",
    black_scholes_kernel,
    {"n": 1 << 25},
    {"n": 1500},
    lambda s: {
        **{name: Array((s.n,), "float32", positive) for name in ("spot", "strike", "years")},
        "call": Array((s.n,)),
        "put": Array((s.n,)),
    },
    launch_black_scholes,
    black_scholes_reference,
    flops="60 * n",
)
STENCIL = Example(
    "stencil",
    stencil_kernel,
    {"rows": 8192, "columns": 8192},
    {"rows": 50, "columns": 300},
    lambda s: {"source": Array((s.rows, s.columns)), "target": Array((s.rows, s.columns))},
    launch_stencil,
    stencil_reference,
    flops="5 * rows * columns",
)
EXAMPLES = (FUSED, TRANSPOSE, BLACK_SCHOLES, STENCIL)

if __name__ == "__main__":
    common.main(*EXAMPLES)
