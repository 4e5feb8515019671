"""An autotuned kernel; versions of Triton before 3.4 want torch and a GPU to define one."""

import triton

import triton_kernels

matmul = triton.autotune(
    configs=[
        triton.Config({"BM": 64, "BN": 32, "BK": 32}, num_warps=4, num_stages=2),
        triton.Config({"BM": 32, "BN": 32, "BK": 32}, num_warps=2, num_stages=2),
    ],
    key=["M", "N"],
)(triton_kernels.matmul)
