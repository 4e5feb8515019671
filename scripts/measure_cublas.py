#!/usr/bin/env python3
"""Times the vendor's library (cuBLAS, through PyTorch) on the products of validation/gpu/cases.csv: a scale for our kernels.

    scripts/measure_cublas.py > ANSWERS/cublas.json

Needs an NVIDIA GPU and PyTorch. Times are taken as the runner takes them: events of the device, cold (a 512 MiB buffer
is written before each launch) and warm (directly after the same product).
"""
import json
import sys

PRODUCTS = {  # case.variant: batch, M, N, K, dtype, B transposed
    "gemm_cuda.8192": (1, 8192, 8192, 8192, "float16", False),
    "gemm_cuda.4096": (1, 4096, 4096, 4096, "float16", False),
    "gemm_cuda.mlp": (1, 4096, 11008, 4096, "float16", False),
    "gemm_fp32_cuda.8192": (1, 8192, 8192, 8192, "float32", False),
    "gemm_fp32_cuda.4096": (1, 4096, 4096, 4096, "float32", False),
    "matrix_gemm_cuda.mlp": (1, 4096, 28672, 8192, "float16", True),
    "matrix_gemm_cuda.8192": (1, 8192, 8192, 8192, "float16", True),
    "batched_gemm_cuda.experts": (16, 2048, 4096, 2048, "float16", False),
    "batched_gemm_cuda.scores": (64, 2048, 2048, 128, "float16", False),
}
ROUNDS = 15


def main():
    try:
        import torch
    except ImportError:
        print("skipped: PyTorch is not installed", file=sys.stderr)
        return 0
    if not torch.cuda.is_available():
        print("skipped: there is no CUDA device", file=sys.stderr)
        return 0
    torch.backends.cuda.matmul.allow_tf32 = False
    flush = torch.empty(512 << 20, dtype=torch.int8, device="cuda")
    answer = {"torch": torch.__version__, "device": torch.cuda.get_device_name(), "products": {}}
    for name, (batch, m, n, k, dtype, transposed) in PRODUCTS.items():
        kind = getattr(torch, dtype)
        a = torch.empty(batch, m, k, dtype=kind, device="cuda").uniform_(-1, 1)
        b = torch.empty(batch, *((n, k) if transposed else (k, n)), dtype=kind, device="cuda").uniform_(-1, 1)
        b = b.transpose(1, 2) if transposed else b
        out = torch.empty(batch, m, n, dtype=kind, device="cuda")
        times = {"cold_ms": [], "warm_ms": []}
        torch.matmul(a, b, out=out)
        for _ in range(ROUNDS):
            events = [torch.cuda.Event(enable_timing=True) for _ in range(4)]
            flush.zero_()
            for start, stop in ((0, 1), (2, 3)):
                events[start].record()
                torch.matmul(a, b, out=out)
                events[stop].record()
            torch.cuda.synchronize()
            times["cold_ms"].append(events[0].elapsed_time(events[1]))
            times["warm_ms"].append(events[2].elapsed_time(events[3]))
        answer["products"][name] = times
    print(json.dumps(answer))
    return 0


if __name__ == "__main__":
    sys.exit(main())
