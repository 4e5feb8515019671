"""C = A B, one program a tile of C, tiles row by row; and the same with persistent programs, and as stream-K."""

import common
import numpy
import triton
import triton.language as tl
from common import Array, Example


@triton.jit
def tile_product(a_ptr, b_ptr, row, column, first, last, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The tile's sum over the steps first..last-1 of K."""
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(first, last):
        inner = step * BK + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + inner[:, None] * N + columns[None, :], mask=(inner[:, None] < K) & (columns[None, :] < N), other=0.0
        )
        total = tl.dot(a, b, total)
    return total


@triton.jit
def gemm_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BN)
    row, column = pid // tiles_n, pid % tiles_n
    total = tile_product(a_ptr, b_ptr, row, column, 0, tl.cdiv(K, BK), M, N, K, BM, BN, BK)
    rows = row * BM + tl.arange(0, BM)
    columns = column * BN + tl.arange(0, BN)
    tl.store(
        c_ptr + rows[:, None] * N + columns[None, :],
        total.to(tl.float16),
        mask=(rows[:, None] < M) & (columns[None, :] < N),
    )


@triton.jit
def persistent_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """As many programs as fit the GPU; each takes every num_programs-th tile."""
    tiles_n = tl.cdiv(N, BN)
    for tile in range(tl.program_id(0), tl.cdiv(M, BM) * tiles_n, tl.num_programs(0)):
        row, column = tile // tiles_n, tile % tiles_n
        total = tile_product(a_ptr, b_ptr, row, column, 0, tl.cdiv(K, BK), M, N, K, BM, BN, BK)
        rows = row * BM + tl.arange(0, BM)
        columns = column * BN + tl.arange(0, BN)
        tl.store(
            c_ptr + rows[:, None] * N + columns[None, :],
            total.to(tl.float16),
            mask=(rows[:, None] < M) & (columns[None, :] < N),
        )


@triton.jit
def stream_k_kernel(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """Each program takes an equal share of all steps of all tiles; shares of a tile meet in C by atomics. C starts as zeros."""
    tiles_n = tl.cdiv(N, BN)
    steps = tl.cdiv(K, BK)
    work = tl.cdiv(M, BM) * tiles_n * steps
    share = tl.cdiv(work, tl.num_programs(0))
    at = tl.program_id(0) * share
    end = tl.minimum(at + share, work)
    while at < end:
        tile = at // steps
        first = at % steps
        last = tl.minimum(steps, first + end - at)
        row, column = tile // tiles_n, tile % tiles_n
        total = tile_product(a_ptr, b_ptr, row, column, first, last, M, N, K, BM, BN, BK)
        rows = row * BM + tl.arange(0, BM)
        columns = column * BN + tl.arange(0, BN)
        place = c_ptr + rows[:, None] * N + columns[None, :]
        tl.atomic_add(place, total, mask=(rows[:, None] < M) & (columns[None, :] < N))
        at += last - first


def zeros(s, _):
    return numpy.zeros((s.M, s.N), numpy.float32)


def arrays(result, fill=None):
    return lambda s: {
        "a": Array((s.M, s.K), "float16"),
        "b": Array((s.K, s.N), "float16"),
        "c": Array((s.M, s.N), result, fill),
    }


def launch_tiles(kernel, t, s):
    grid = lambda meta: (triton.cdiv(s.M, meta["BM"]) * triton.cdiv(s.N, meta["BN"]),)
    kernel[grid](t["a"], t["b"], t["c"], s.M, s.N, s.K, BM=128, BN=128, BK=32, num_warps=8, num_stages=3)


def launch_programs(kernel, t, s):
    kernel[(s.programs,)](t["a"], t["b"], t["c"], s.M, s.N, s.K, BM=128, BN=128, BK=32, num_warps=8, num_stages=3)


def reference(t, s):
    return {"c": t["a"].astype("float32") @ t["b"].astype("float32")}


COST = {"flops": "2 * M * N * K", "flops_dtype": "fp16", "flops_matrix": True}
GEMM = Example(
    "gemm",
    gemm_kernel,
    {"M": 8192, "N": 8192, "K": 8192},
    {"M": 300, "N": 260, "K": 70},
    arrays("float16"),
    launch_tiles,
    reference,
    **COST,
)
PERSISTENT = Example(
    "persistent_gemm",
    persistent_kernel,
    {"M": 8192, "N": 8192, "K": 8192, "programs": 304},
    {"M": 300, "N": 260, "K": 70, "programs": 4},
    arrays("float16"),
    launch_programs,
    reference,
    **COST,
)
STREAM_K = Example(
    "stream_k",
    stream_k_kernel,
    {"M": 8192, "N": 8192, "K": 8192, "programs": 304},
    {"M": 300, "N": 260, "K": 70, "programs": 5},
    arrays("float32", zeros),
    launch_programs,
    reference,
    **COST,
)
EXAMPLES = (GEMM, PERSISTENT, STREAM_K)

if __name__ == "__main__":
    common.main(*EXAMPLES)
