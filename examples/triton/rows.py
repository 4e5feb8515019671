"""Kernels with a program a row: softmax, layer normalisation, and a sparse matrix times a vector (CSR)."""

import common
import numpy
import triton
import triton.language as tl
from common import Array, Example


@triton.jit
def softmax_kernel(source, target, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    values = tl.load(source + row * columns + at, mask=at < columns, other=-float("inf"))
    powers = tl.exp(values - tl.max(values, axis=0))
    tl.store(target + row * columns + at, powers / tl.sum(powers, axis=0), mask=at < columns)


@triton.jit
def layernorm_kernel(source, weight, bias, target, columns, epsilon, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    at = tl.arange(0, BLOCK)
    values = tl.load(source + row * columns + at, mask=at < columns, other=0.0).to(tl.float32)
    mean = tl.sum(values, axis=0) / columns
    centred = tl.where(at < columns, values - mean, 0.0)
    scale = 1 / tl.sqrt(tl.sum(centred * centred, axis=0) / columns + epsilon)
    w = tl.load(weight + at, mask=at < columns, other=0.0)
    b = tl.load(bias + at, mask=at < columns, other=0.0)
    tl.store(target + row * columns + at, (centred * scale * w + b).to(tl.float16), mask=at < columns)


@triton.jit
def spmv_kernel(starts, indices, values, x, y, BLOCK: tl.constexpr):
    """y = A x; the row's elements lie from starts[row] to starts[row + 1]."""
    row = tl.program_id(0)
    first = tl.load(starts + row)
    last = tl.load(starts + row + 1)
    total = tl.zeros((BLOCK,), dtype=tl.float32)
    for begin in range(first, last, BLOCK):
        at = begin + tl.arange(0, BLOCK)
        column = tl.load(indices + at, mask=at < last, other=0)
        total += tl.load(values + at, mask=at < last, other=0.0) * tl.load(x + column, mask=at < last, other=0.0)
    tl.store(y + row, tl.sum(total, axis=0))


def launch_softmax(kernel, t, s):
    kernel[(s.rows,)](t["source"], t["target"], s.columns, BLOCK=triton.next_power_of_2(int(s.columns)), num_warps=8)


def softmax_reference(t, s):
    powers = numpy.exp(t["source"] - t["source"].max(axis=1, keepdims=True))
    return {"target": powers / powers.sum(axis=1, keepdims=True)}


def launch_layernorm(kernel, t, s):
    kernel[(s.rows,)](
        t["source"],
        t["weight"],
        t["bias"],
        t["target"],
        s.columns,
        1e-5,
        BLOCK=triton.next_power_of_2(int(s.columns)),
        num_warps=8,
    )


def layernorm_reference(t, s):
    values = t["source"].astype("float32")
    centred = values - values.mean(axis=1, keepdims=True)
    return {"target": centred / numpy.sqrt((centred**2).mean(axis=1, keepdims=True) + 1e-5) * t["weight"] + t["bias"]}


def row_starts(s, _):
    return (numpy.arange(s.rows + 1) * s.filled).astype(numpy.int32)


def band_indices(s, random):
    """Each row's elements lie near the diagonal, a few of them anywhere."""
    rows = numpy.repeat(numpy.arange(s.rows), s.filled)
    near = numpy.clip(rows + random.integers(-512, 513, rows.size), 0, s.rows - 1)
    far = random.integers(0, s.rows, rows.size)
    return numpy.where(random.random(rows.size) < 0.9, near, far).astype(numpy.int32)


def launch_spmv(kernel, t, s):
    kernel[(s.rows,)](t["starts"], t["indices"], t["values"], t["x"], t["y"], BLOCK=64, num_warps=1)


def spmv_reference(t, s):
    products = t["values"] * t["x"][t["indices"]]
    return {"y": products.reshape(s.rows, s.filled).sum(axis=1)}


SOFTMAX = Example(
    "softmax",
    softmax_kernel,
    {"rows": 16384, "columns": 4096},
    {"rows": 7, "columns": 300},
    lambda s: {"source": Array((s.rows, s.columns)), "target": Array((s.rows, s.columns))},
    launch_softmax,
    softmax_reference,
    flops="5 * rows * columns",
)
LAYERNORM = Example(
    "layernorm",
    layernorm_kernel,
    {"rows": 16384, "columns": 4096},
    {"rows": 7, "columns": 300},
    lambda s: {
        "source": Array((s.rows, s.columns), "float16"),
        "weight": Array((s.columns,)),
        "bias": Array((s.columns,)),
        "target": Array((s.rows, s.columns), "float16"),
    },
    launch_layernorm,
    layernorm_reference,
    flops="8 * rows * columns",
)
SPMV = Example(
    "spmv",
    spmv_kernel,
    {"rows": 8192, "filled": 32},
    {"rows": 40, "filled": 70},
    lambda s: {
        "starts": Array((s.rows + 1,), "int32", row_starts),
        "indices": Array((s.rows * s.filled,), "int32", band_indices),
        "values": Array((s.rows * s.filled,)),
        "x": Array((s.rows,)),
        "y": Array((s.rows,)),
    },
    launch_spmv,
    spmv_reference,
    flops="2 * rows * filled",
)
EXAMPLES = (SOFTMAX, LAYERNORM, SPMV)

if __name__ == "__main__":
    common.main(*EXAMPLES)
