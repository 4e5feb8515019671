"""Kernels that the tests capture, rewrite and run."""

import triton
import triton.language as tl


@triton.jit
def scale_of(x, FACTOR: tl.constexpr):
    return x * FACTOR


@triton.heuristics({"EVEN": lambda arguments: arguments["n"] % arguments["BLOCK"] == 0})
@triton.jit
def add(x, y, one, none, n, alpha, flag, BLOCK: tl.constexpr, EVEN: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + at * one, mask=at < n)
    tl.store(y + at, scale_of(value, 2) + alpha, mask=at < n)


@triton.jit
def matmul(a_ptr, b_ptr, c_ptr, M, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    pid = tl.program_id(0)  # linear
    columns = tl.cdiv(N, BN)
    rows = pid // columns * BM + tl.arange(0, BM)
    cols = pid % columns * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for k in range(0, K, BK):
        inner = k + tl.arange(0, BK)
        a = tl.load(
            a_ptr + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < M) & (inner[None, :] < K), other=0.0
        )
        b = tl.load(
            b_ptr + inner[:, None] * N + cols[None, :], mask=(inner[:, None] < K) & (cols[None, :] < N), other=0.0
        )
        total = tl.dot(a, b, total)
    tl.store(c_ptr + rows[:, None] * N + cols[None, :], total, mask=(rows[:, None] < M) & (cols[None, :] < N))


@triton.jit
def gather(table, index, out, n, BLOCK: tl.constexpr):
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    which = tl.load(index + at, mask=at < n, other=0)
    tl.store(out + at, tl.load(table + which, mask=at < n), mask=at < n)


@triton.jit
def column_of(width):
    return tl.program_id(1) % width


@triton.jit
def planes(out, width, depth):
    """Writes each program's number, three axes, one of them through a helper."""
    x = tl.program_id(axis=0)
    place = (tl.program_id(2) * tl.num_programs(1) + column_of(width)) * tl.num_programs(0) + x
    tl.store(out + place, place + x * 1000)


@triton.jit
def persistent(out, tiles, BLOCK: tl.constexpr):
    for tile in range(tl.program_id(0), tiles, tl.num_programs(0)):
        tl.store(out + tile * BLOCK + tl.arange(0, BLOCK), tl.program_id(0) * 0 + tile)


@triton.jit
def who(counter, out):
    """Writes for each tile when it was done: interpreted programs run one after the other."""
    x, y = tl.program_id(0), tl.program_id(1)
    tl.store(out + y * tl.num_programs(0) + x, tl.atomic_add(counter, 1))


@triton.jit
def moved(source, target, BLOCK: tl.constexpr):
    """Copies by descriptors that the host made."""
    at = tl.program_id(0) * BLOCK
    target.store([at, 0], source.load([at, 0]))
