"""Products with more structure than one matrix: a mixture of experts (grouped GEMM), and a 2-D convolution as an implicit GEMM."""

import common
import numpy
import triton
import triton.language as tl
from common import Array, Example


@triton.jit
def experts_kernel(
    tokens, weights, expert_of_block, out, count, N, K, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr
):
    """Tokens are sorted by expert and padded to whole blocks; a block of BM tokens takes its expert's weights."""
    pid = tl.program_id(0)
    tiles_n = tl.cdiv(N, BN)
    block = pid // tiles_n
    expert = tl.load(expert_of_block + block).to(tl.int64)
    rows = block * BM + tl.arange(0, BM)
    columns = pid % tiles_n * BN + tl.arange(0, BN)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for begin in range(0, K, BK):
        inner = begin + tl.arange(0, BK)
        a = tl.load(
            tokens + rows[:, None] * K + inner[None, :], mask=(rows[:, None] < count) & (inner[None, :] < K), other=0.0
        )
        b = tl.load(
            weights + expert * K * N + inner[:, None] * N + columns[None, :],
            mask=(inner[:, None] < K) & (columns[None, :] < N),
            other=0.0,
        )
        total = tl.dot(a, b, total)
    tl.store(
        out + rows[:, None] * N + columns[None, :],
        total.to(tl.float16),
        mask=(rows[:, None] < count) & (columns[None, :] < N),
    )


@triton.jit
def conv2d_kernel(
    image,
    weights,
    out,
    height,
    width,
    channels,
    filters,
    R: tl.constexpr,
    BP: tl.constexpr,
    BF: tl.constexpr,
    BC: tl.constexpr,
):
    """R x R filters, no padding; image [batch, height, width, channels], weights [R, R, channels, filters]."""
    out_height, out_width = height - R + 1, width - R + 1
    pixel = tl.program_id(0) * BP + tl.arange(0, BP)
    batch = tl.program_id(2)
    y, x = pixel // out_width, pixel % out_width
    inside = pixel < out_height * out_width
    filter_ = tl.program_id(1) * BF + tl.arange(0, BF)
    total = tl.zeros((BP, BF), dtype=tl.float32)
    for tap in range(R * R):
        source = ((batch * height + y + tap // R) * width + x + tap % R) * channels
        for begin in range(0, channels, BC):
            channel = begin + tl.arange(0, BC)
            a = tl.load(
                image + source[:, None] + channel[None, :],
                mask=inside[:, None] & (channel[None, :] < channels),
                other=0.0,
            )
            b = tl.load(
                weights + (tap * channels + channel[:, None]) * filters + filter_[None, :],
                mask=(channel[:, None] < channels) & (filter_[None, :] < filters),
                other=0.0,
            )
            total = tl.dot(a, b, total)
    place = (batch * out_height * out_width + pixel[:, None]) * filters + filter_[None, :]
    tl.store(out + place, total.to(tl.float16), mask=inside[:, None] & (filter_[None, :] < filters))


def block_experts(s, random):
    return numpy.sort(random.integers(0, s.experts, s.blocks)).astype(numpy.int32)


def expert_arrays(s):
    return {
        "tokens": Array((s.blocks * 64, s.K), "float16"),
        "weights": Array((s.experts, s.K, s.N), "float16"),
        "expert_of_block": Array((s.blocks,), "int32", block_experts),
        "out": Array((s.blocks * 64, s.N), "float16"),
    }


def launch_experts(kernel, t, s):
    kernel[(s.blocks * triton.cdiv(s.N, 128),)](
        t["tokens"],
        t["weights"],
        t["expert_of_block"],
        t["out"],
        s.blocks * 64,
        s.N,
        s.K,
        BM=64,
        BN=128,
        BK=32,
        num_warps=4,
        num_stages=3,
    )


def experts_reference(t, s):
    tokens = t["tokens"].astype("float32").reshape(s.blocks, 64, s.K)
    return {"out": (tokens @ t["weights"].astype("float32")[t["expert_of_block"]]).reshape(-1, s.N)}


def conv_arrays(s):
    return {
        "image": Array((s.batch, s.height, s.width, s.channels), "float16"),
        "weights": Array((3, 3, s.channels, s.filters), "float16"),
        "out": Array((s.batch, s.height - 2, s.width - 2, s.filters), "float16"),
    }


def launch_conv(kernel, t, s):
    grid = (triton.cdiv((s.height - 2) * (s.width - 2), 64), triton.cdiv(s.filters, 64), s.batch)
    kernel[grid](
        t["image"],
        t["weights"],
        t["out"],
        s.height,
        s.width,
        s.channels,
        s.filters,
        R=3,
        BP=64,
        BF=64,
        BC=32,
        num_warps=4,
        num_stages=2,
    )


def conv_reference(t, s):
    image, weights = t["image"].astype("float32"), t["weights"].astype("float32")
    rows, columns = s.height - 2, s.width - 2
    return {"out": sum(image[:, r : r + rows, c : c + columns] @ weights[r, c] for r in range(3) for c in range(3))}


EXPERTS = Example(
    "grouped_gemm",
    experts_kernel,
    {"blocks": 256, "experts": 8, "N": 4096, "K": 4096},
    {"blocks": 3, "experts": 2, "N": 150, "K": 70},
    expert_arrays,
    launch_experts,
    experts_reference,
    flops="2 * blocks * 64 * N * K",
    flops_dtype="fp16",
    flops_matrix=True,
)
CONV2D = Example(
    "conv2d",
    conv2d_kernel,
    {"batch": 16, "height": 58, "width": 58, "channels": 256, "filters": 256},
    {"batch": 2, "height": 11, "width": 13, "channels": 40, "filters": 70},
    conv_arrays,
    launch_conv,
    conv_reference,
    flops="18 * batch * (height - 2) * (width - 2) * channels * filters",
    flops_dtype="fp16",
    flops_matrix=True,
)
EXAMPLES = (EXPERTS, CONV2D)

if __name__ == "__main__":
    common.main(*EXAMPLES)
