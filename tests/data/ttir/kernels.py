"""Small Triton kernels whose IR the C++ tests read; generate.py writes it. Each uses what the others do not."""
import triton
import triton.language as tl


@triton.jit
def copy(x, y, n, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def copy_reversed(x, y, n, BLOCK: tl.constexpr):
    """copy, launched from the last tile to the first."""
    i = (tl.num_programs(0) - 1 - tl.program_id(0)) * BLOCK + tl.arange(0, BLOCK)
    tl.store(y + i, tl.load(x + i, mask=i < n, other=0.0), mask=i < n)


@triton.jit
def gemm_tile(a, b, c, m, n, k, BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr):
    """The tile of examples/gemm: x counts tile columns, y tile rows."""
    rows = tl.program_id(1) * BM + tl.arange(0, BM)
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    steps = tl.arange(0, BK)
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, k, BK):
        left = tl.load(a + rows[:, None] * k + (step + steps)[None, :],
                       mask=(rows[:, None] < m) & ((step + steps)[None, :] < k), other=0.0)
        right = tl.load(b + (step + steps)[:, None] * n + columns[None, :],
                        mask=((step + steps)[:, None] < k) & (columns[None, :] < n), other=0.0)
        total += tl.dot(left, right)
    tl.store(c + rows[:, None] * n + columns[None, :], total.to(tl.float16),
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def gemm_grouped(a, b, c, m, n, k, stride_am, stride_bk, stride_cm, BM: tl.constexpr, BN: tl.constexpr,
                 BK: tl.constexpr, GROUP: tl.constexpr):
    """Triton's tutorial order: groups of rows, wrapped indices, pointers that advance."""
    pid = tl.program_id(0)
    tiles_m = tl.cdiv(m, BM)
    tiles_n = tl.cdiv(n, BN)
    in_group = GROUP * tiles_n
    first = pid // in_group * GROUP
    size = min(tiles_m - first, GROUP)
    tile_m = first + (pid % in_group) % size
    tile_n = (pid % in_group) // size
    rows = (tile_m * BM + tl.arange(0, BM)) % m
    columns = (tile_n * BN + tl.arange(0, BN)) % n
    steps = tl.arange(0, BK)
    at_a = a + rows[:, None] * stride_am + steps[None, :]
    at_b = b + steps[:, None] * stride_bk + columns[None, :]
    total = tl.zeros((BM, BN), dtype=tl.float32)
    for step in range(0, tl.cdiv(k, BK)):
        left = tl.load(at_a, mask=steps[None, :] < k - step * BK, other=0.0)
        right = tl.load(at_b, mask=steps[:, None] < k - step * BK, other=0.0)
        total = tl.dot(left, right, total)
        at_a += BK
        at_b += BK * stride_bk
    rows = tile_m * BM + tl.arange(0, BM)
    columns = tile_n * BN + tl.arange(0, BN)
    tl.store(c + rows[:, None] * stride_cm + columns[None, :], total.to(tl.float16),
             mask=(rows[:, None] < m) & (columns[None, :] < n))


@triton.jit
def block_pointers(x, y, rows, columns, B: tl.constexpr, STEPS: tl.constexpr):
    source = tl.make_block_ptr(x, (rows, columns), (columns, 1), (tl.program_id(0) * B, 0), (B, B), (1, 0))
    target = tl.make_block_ptr(y, (columns, rows), (rows, 1), (0, tl.program_id(0) * B), (B, B), (1, 0))
    for _ in range(STEPS):
        tile = tl.load(source, boundary_check=(0, 1), padding_option="zero")
        tl.store(target, tl.trans(tile), boundary_check=(0, 1))
        source = tl.advance(source, (0, B))
        target = tl.advance(target, (B, 0))


@triton.jit
def softmax(x, y, stride, columns, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    i = tl.arange(0, BLOCK)
    values = tl.load(x + row * stride + i, mask=i < columns, other=-float("inf"))
    values = tl.exp(values - tl.max(values, axis=0))
    tl.store(y + row * stride + i, values / tl.sum(values, axis=0), mask=i < columns)


@triton.jit
def attention(q, k, v, out, length, scale, heads, group, D: tl.constexpr, BM: tl.constexpr, BN: tl.constexpr,
              CAUSAL: tl.constexpr):
    """Online softmax; keys and values are shared by `group` heads. 3 axes: query block, head, batch."""
    block = tl.program_id(0)
    head = tl.program_id(1)
    batch = tl.program_id(2)
    base = (batch * heads + head).to(tl.int64) * length * D
    base_kv = (batch * (heads // group) + head // group).to(tl.int64) * length * D
    rows = block * BM + tl.arange(0, BM)
    d = tl.arange(0, D)
    queries = tl.load(q + base + rows[:, None] * D + d[None, :], mask=rows[:, None] < length, other=0.0)
    largest = tl.full((BM,), -float("inf"), tl.float32)
    weight = tl.zeros((BM,), tl.float32)
    total = tl.zeros((BM, D), tl.float32)
    end = length
    if CAUSAL:
        end = tl.minimum(length, (block + 1) * BM)
    for start in range(0, end, BN):
        columns = start + tl.arange(0, BN)
        keys = tl.load(k + base_kv + columns[None, :] * D + d[:, None], mask=columns[None, :] < length, other=0.0)
        scores = tl.dot(queries, keys) * scale
        if CAUSAL:
            scores = tl.where(rows[:, None] >= columns[None, :], scores, -float("inf"))
        new = tl.maximum(largest, tl.max(scores, 1))
        p = tl.exp(scores - new[:, None])
        alpha = tl.exp(largest - new)
        weight = weight * alpha + tl.sum(p, 1)
        values = tl.load(v + base_kv + columns[:, None] * D + d[None, :], mask=columns[:, None] < length, other=0.0)
        total = total * alpha[:, None] + tl.dot(p.to(tl.float16), values)
        largest = new
    tl.store(out + base + rows[:, None] * D + d[None, :], (total / weight[:, None]).to(tl.float16),
             mask=rows[:, None] < length)


@triton.jit
def gather_rows(table, indices, out, n, width, B: tl.constexpr, W: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    row = tl.load(indices + i, mask=i < n, other=0)
    column = tl.arange(0, W)
    inside = (i[:, None] < n) & (column[None, :] < width)
    tl.store(out + i[:, None] * width + column[None, :],
             tl.load(table + row[:, None] * width + column[None, :], mask=inside, other=0.0), mask=inside)


@triton.jit
def persistent(x, y, tiles, BLOCK: tl.constexpr):
    tile = tl.program_id(0)
    while tile < tiles:
        i = tile * BLOCK + tl.arange(0, BLOCK)
        tl.store(y + i, tl.load(x + i) * 2.0)
        tile += tl.num_programs(0)


@triton.jit
def csr_rows(starts, columns, values, x, y, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    begin = tl.load(starts + row)
    end = tl.load(starts + row + 1)
    total = tl.zeros((BLOCK,), tl.float32)
    for at in range(begin, end, BLOCK):
        i = at + tl.arange(0, BLOCK)
        inside = i < end
        total += tl.load(values + i, mask=inside, other=0.0) * tl.load(x + tl.load(columns + i, mask=inside, other=0),
                                                                       mask=inside, other=0.0)
    tl.store(y + row, tl.sum(total, 0))


@triton.jit
def lock_and_add(x, y, lock, n, BLOCK: tl.constexpr):
    """A spin lock, atomics of both kinds."""
    i = tl.arange(0, BLOCK)
    tl.atomic_add(y + i, tl.load(x + tl.program_id(0) * BLOCK + i), mask=i < n)
    while tl.atomic_cas(lock, 0, 1) == 1:
        pass
    old = tl.load(y)
    tl.store(y, old + 1.0)
    tl.debug_barrier()
    tl.atomic_xchg(lock, 0)


@triton.jit(noinline=True)
def helper(x, i, n):
    if n == 0:
        return tl.load(x + i)
    return tl.load(x + i * 2)


@triton.jit
def calls_and_branches(x, y, n, flag, BLOCK: tl.constexpr):
    pid = tl.program_id(0)
    if pid >= n:
        return
    value = helper(x, pid, flag)
    i = tl.arange(0, BLOCK)
    if pid % 2 == 0:
        value += tl.load(x + pid * 3)
    else:
        value -= tl.load(x + pid)
    tl.store(y + pid * BLOCK + i, value + i.to(tl.float32))


@triton.jit
def maximum(a, b):
    return tl.maximum(a, b)


@triton.jit
def scans_and_shapes(x, y, z, BLOCK: tl.constexpr):
    """Operations on data, some of which decide addresses."""
    i = tl.arange(0, BLOCK)
    base = tl.program_id(0) * BLOCK
    values = tl.load(x + base + i)
    running = tl.cumsum(values, 0)
    tl.store(y + running, values)
    highest = tl.associative_scan(values, 0, maximum)
    tl.device_print("highest", highest)
    pairs = tl.reshape(values, (BLOCK // 2, 2))
    left, right = tl.split(pairs)
    joined = tl.join(left, right)
    tl.store(z + base + tl.reshape(joined, (BLOCK,)) % BLOCK, tl.sum(values, 0) + highest)
    counts = tl.histogram(values, 16)
    tl.store(z + base + tl.arange(0, 16), counts)


@triton.jit
def assembly(x, y, BLOCK: tl.constexpr):
    i = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x + i)
    value = tl.inline_asm_elementwise("mov.b32 $0, $1;", "=r,r", [value], dtype=tl.int32, is_pure=True, pack=1)
    value = tl.where(value > 3, tl.abs(value), value.to(tl.int64).to(tl.int32)) ^ 5
    tl.store(y + i, value.to(tl.int8), mask=(value & 1) == 0)


@triton.jit
def stencil_3d(x, y, nx, ny, nz, BX: tl.constexpr, BY: tl.constexpr):
    px = tl.program_id(0) * BX + tl.arange(0, BX)
    py = tl.program_id(1) * BY + tl.arange(0, BY)
    pz = tl.program_id(2)
    inside = (px[None, :] > 0) & (px[None, :] < nx - 1) & (py[:, None] > 0) & (py[:, None] < ny - 1) & (pz > 0) & (
        pz < nz - 1)
    at = x + (pz * ny + py[:, None]) * nx + px[None, :]
    total = tl.load(at, mask=inside) * 0.5
    total += tl.load(at - 1, mask=inside) + tl.load(at + 1, mask=inside)
    total += tl.load(at - nx, mask=inside) + tl.load(at + nx, mask=inside)
    total += tl.load(at - nx * ny, mask=inside) + tl.load(at + nx * ny, mask=inside)
    tl.store(y + (pz * ny + py[:, None]) * nx + px[None, :], total, mask=inside)


@triton.jit
def descriptors(x, y, rows, columns, B: tl.constexpr):
    """Tensor descriptors, of Triton 3.4 and later."""
    source = tl.make_tensor_descriptor(x, shape=[rows, columns], strides=[columns, 1], block_shape=[B, B])
    target = tl.make_tensor_descriptor(y, shape=[rows, columns], strides=[columns, 1], block_shape=[B, B])
    row = tl.program_id(1) * B
    column = tl.program_id(0) * B
    target.store([row, column], source.load([row, column]))


# name -> (signature without constants, constants, first and last version that have what it uses)
KERNELS = {
    "copy": (dict(x="*fp32", y="*fp32", n="i32"), dict(BLOCK=256), (3, 0), (99, 0)),
    "copy_reversed": (dict(x="*fp32", y="*fp32", n="i32"), dict(BLOCK=256), (3, 0), (99, 0)),
    "gemm_tile": (dict(a="*fp16", b="*fp16", c="*fp16", m="i32", n="i32", k="i32"), dict(BM=128, BN=128, BK=32),
                  (3, 0), (99, 0)),
    "gemm_grouped": (dict(a="*fp16", b="*fp16", c="*fp16", m="i32", n="i32", k="i32", stride_am="i32",
                          stride_bk="i32", stride_cm="i32"), dict(BM=64, BN=64, BK=32, GROUP=4), (3, 0), (99, 0)),
    "block_pointers": (dict(x="*fp16", y="*fp16", rows="i32", columns="i32"), dict(B=32, STEPS=3), (3, 0), (3, 8)),
    "softmax": (dict(x="*fp32", y="*fp32", stride="i32", columns="i32"), dict(BLOCK=1024), (3, 0), (99, 0)),
    "attention": (dict(q="*fp16", k="*fp16", v="*fp16", out="*fp16", length="i32", scale="fp32", heads="i32",
                       group="i32"), dict(D=64, BM=64, BN=32, CAUSAL=True), (3, 0), (99, 0)),
    "gather_rows": (dict(table="*fp32", indices="*i64", out="*fp32", n="i32", width="i32"), dict(B=16, W=64), (3, 0), (99, 0)),
    "persistent": (dict(x="*fp32", y="*fp32", tiles="i32"), dict(BLOCK=128), (3, 0), (99, 0)),
    "csr_rows": (dict(starts="*i32", columns="*i32", values="*fp32", x="*fp32", y="*fp32"), dict(BLOCK=32), (3, 0), (99, 0)),
    "lock_and_add": (dict(x="*fp32", y="*fp32", lock="*i32", n="i32"), dict(BLOCK=64), (3, 0), (99, 0)),
    "calls_and_branches": (dict(x="*fp32", y="*fp32", n="i32", flag="i32"), dict(BLOCK=32), (3, 0), (99, 0)),
    "scans_and_shapes": (dict(x="*i32", y="*i32", z="*i32"), dict(BLOCK=64), (3, 0), (99, 0)),
    "assembly": (dict(x="*i32", y="*i8"), dict(BLOCK=64), (3, 0), (99, 0)),
    "stencil_3d": (dict(x="*fp32", y="*fp32", nx="i32", ny="i32", nz="i32"), dict(BX=32, BY=8), (3, 0), (99, 0)),
    "descriptors": (dict(x="*fp16", y="*fp16", rows="i32", columns="i32"), dict(B=32), (3, 4), (99, 0)),
}
