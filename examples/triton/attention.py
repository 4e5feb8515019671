"""Attention: flash attention, causal or not, with query heads that share keys (grouped KV heads), and decoding of one token with
the keys split among programs."""

import common
import numpy
import triton
import triton.language as tl
from common import Array, Example


@triton.jit
def flash_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    out_ptr,
    length,
    heads,
    group,
    scale,
    CAUSAL: tl.constexpr,
    BQ: tl.constexpr,
    BK: tl.constexpr,
    D: tl.constexpr,
):
    """A program a block of queries of one head; arrays are [batch, heads, length, D]."""
    block = tl.program_id(0)
    head = tl.program_id(1)
    batch = tl.program_id(2).to(tl.int64)
    q_base = (batch * heads + head) * length * D
    kv_base = (batch * (heads // group) + head // group) * length * D
    rows = block * BQ + tl.arange(0, BQ)
    inner = tl.arange(0, D)
    q = tl.load(q_ptr + q_base + rows[:, None] * D + inner[None, :], mask=rows[:, None] < length, other=0.0)
    best = tl.full((BQ,), -float("inf"), tl.float32)
    total = tl.zeros((BQ,), tl.float32)
    out = tl.zeros((BQ, D), tl.float32)
    end = length
    if CAUSAL:
        end = tl.minimum((block + 1) * BQ, length)
    for begin in range(0, end, BK):
        keys = begin + tl.arange(0, BK)
        k = tl.load(k_ptr + kv_base + keys[None, :] * D + inner[:, None], mask=keys[None, :] < length, other=0.0)
        s = tl.dot(q, k) * scale
        seen = keys[None, :] < length
        if CAUSAL:
            seen = seen & (keys[None, :] <= rows[:, None])
        s = tl.where(seen, s, -float("inf"))
        higher = tl.maximum(best, tl.max(s, axis=1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(best - higher)
        v = tl.load(v_ptr + kv_base + keys[:, None] * D + inner[None, :], mask=keys[:, None] < length, other=0.0)
        total = total * shrink + tl.sum(p, axis=1)
        out = out * shrink[:, None] + tl.dot(p.to(tl.float16), v)
        best = higher
    tl.store(
        out_ptr + q_base + rows[:, None] * D + inner[None, :],
        (out / total[:, None]).to(tl.float16),
        mask=rows[:, None] < length,
    )


@triton.jit
def split_kernel(
    q_ptr,
    k_ptr,
    v_ptr,
    partial_ptr,
    best_ptr,
    total_ptr,
    length,
    kv_heads,
    splits,
    scale,
    GROUP: tl.constexpr,
    BK: tl.constexpr,
    D: tl.constexpr,
):
    """One token a sequence: a program takes one split of the keys of one KV head, for all query heads that share it."""
    split = tl.program_id(0)
    kv_head = tl.program_id(1)
    sequence = tl.program_id(2).to(tl.int64)
    lanes = tl.arange(0, 16)
    inner = tl.arange(0, D)
    head = (sequence * kv_heads + kv_head) * GROUP + lanes
    mine = lanes < GROUP
    q = tl.load(q_ptr + head[:, None] * D + inner[None, :], mask=mine[:, None], other=0.0)
    base = (sequence * kv_heads + kv_head) * length * D
    share = tl.cdiv(tl.cdiv(length, splits), BK) * BK
    best = tl.full((16,), -float("inf"), tl.float32)
    total = tl.zeros((16,), tl.float32)
    out = tl.zeros((16, D), tl.float32)
    for begin in range(split * share, tl.minimum((split + 1) * share, length), BK):
        keys = begin + tl.arange(0, BK)
        k = tl.load(k_ptr + base + keys[None, :] * D + inner[:, None], mask=keys[None, :] < length, other=0.0)
        s = tl.where(keys[None, :] < length, tl.dot(q, k) * scale, -float("inf"))
        higher = tl.maximum(best, tl.max(s, axis=1))
        p = tl.exp(s - higher[:, None])
        shrink = tl.exp(best - higher)
        v = tl.load(v_ptr + base + keys[:, None] * D + inner[None, :], mask=keys[:, None] < length, other=0.0)
        total = total * shrink + tl.sum(p, axis=1)
        out = out * shrink[:, None] + tl.dot(p.to(tl.float16), v)
        best = higher
    place = head * splits + split
    tl.store(best_ptr + place, best, mask=mine)
    tl.store(total_ptr + place, total, mask=mine)
    tl.store(partial_ptr + place[:, None] * D + inner[None, :], out, mask=mine[:, None])


def attention_arrays(s):
    kv = (s.batch, s.heads // s.group, s.length, 64)
    return {
        "q": Array((s.batch, s.heads, s.length, 64), "float16"),
        "k": Array(kv, "float16"),
        "v": Array(kv, "float16"),
        "out": Array((s.batch, s.heads, s.length, 64), "float16"),
    }


def launcher(causal):
    def launch(kernel, t, s):
        kernel[(triton.cdiv(s.length, 64), s.heads, s.batch)](
            t["q"],
            t["k"],
            t["v"],
            t["out"],
            s.length,
            s.heads,
            s.group,
            0.125,
            CAUSAL=causal,
            BQ=64,
            BK=64,
            D=64,
            num_warps=4,
            num_stages=2,
        )

    return launch


def weights(scores):
    powers = numpy.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


def referee(causal):
    def reference(t, s):
        q, k, v = (t[name].astype("float32") for name in "qkv")
        k, v = (numpy.repeat(each, s.group, axis=1) for each in (k, v))
        scores = q @ k.transpose(0, 1, 3, 2) * 0.125
        if causal:
            scores = numpy.where(numpy.tri(s.length, dtype=bool), scores, -numpy.inf)
        return {"out": weights(scores) @ v}

    return reference


def decode_arrays(s):
    kv = (s.sequences, s.kv_heads, s.length, 64)
    heads = s.sequences * s.kv_heads * 8
    return {
        "q": Array((heads, 64), "float16"),
        "k": Array(kv, "float16"),
        "v": Array(kv, "float16"),
        "partial": Array((heads, s.splits, 64)),
        "best": Array((heads, s.splits)),
        "total": Array((heads, s.splits)),
    }


def launch_decode(kernel, t, s):
    kernel[(s.splits, s.kv_heads, s.sequences)](
        t["q"],
        t["k"],
        t["v"],
        t["partial"],
        t["best"],
        t["total"],
        s.length,
        s.kv_heads,
        s.splits,
        0.125,
        GROUP=8,
        BK=64,
        D=64,
        num_warps=4,
        num_stages=2,
    )


def decode_reference(t, s):
    q, k, v = (t[name].astype("float32") for name in "qkv")
    scores = q.reshape(s.sequences, s.kv_heads, 8, 64) @ k.transpose(0, 1, 3, 2) * 0.125
    share = -(-(-(-s.length // s.splits)) // 64) * 64
    result = {name: numpy.zeros_like(t[name]) for name in ("partial", "best", "total")}
    for split in range(s.splits):
        part = scores[..., split * share : (split + 1) * share]
        best = part.max(axis=-1)
        powers = numpy.exp(part - best[..., None])
        result["best"][:, split] = best.reshape(-1)
        result["total"][:, split] = powers.sum(axis=-1).reshape(-1)
        result["partial"][:, split] = (powers @ v[:, :, split * share : (split + 1) * share]).reshape(-1, 64)
    return result


SIZES = {"batch": 4, "heads": 32, "group": 4, "length": 4096}
SMALL = {"batch": 2, "heads": 4, "group": 2, "length": 100}
COST = {"flops": "4 * batch * heads * length * length * 64", "flops_dtype": "fp16", "flops_matrix": True}
FULL = Example("attention", flash_kernel, SIZES, SMALL, attention_arrays, launcher(False), referee(False), **COST)
CAUSAL = Example(
    "attention_causal",
    flash_kernel,
    SIZES,
    SMALL,
    attention_arrays,
    launcher(True),
    referee(True),
    **{**COST, "flops": "2 * batch * heads * length * length * 64"},
)
DECODE = Example(
    "decode_attention",
    split_kernel,
    {"sequences": 16, "kv_heads": 8, "length": 16384, "splits": 16},
    {"sequences": 2, "kv_heads": 2, "length": 300, "splits": 2},
    decode_arrays,
    launch_decode,
    decode_reference,
    flops="4 * sequences * kv_heads * 8 * length * 64",
    flops_dtype="fp16",
    flops_matrix=True,
)
EXAMPLES = (FULL, CAUSAL, DECODE)

if __name__ == "__main__":
    common.main(*EXAMPLES)
