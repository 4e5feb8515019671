// What each example computes, written down once more, without tiles, vectors or threads, in double precision.
#pragma once

#include "inputs.h"

namespace swizzleperf {

using Outputs = std::vector<std::vector<double>>;

// pointwise.cpp
Outputs elementwise(const Inputs& in);
Outputs layernorm(const Inputs& in);
Outputs softmax(const Inputs& in);
Outputs black_scholes(const Inputs& in);
Outputs stencil(const Inputs& in);
Outputs stencil3d(const Inputs& in);
Outputs histogram(const Inputs& in);
Outputs fdtd_hz(const Inputs& in);
Outputs fdtd_ex(const Inputs& in);
Outputs fdtd_ey(const Inputs& in);

// matrices.cpp
Outputs gemm(const Inputs& in);
Outputs matrix_gemm(const Inputs& in);
Outputs batched_gemm(const Inputs& in);
Outputs conv2d(const Inputs& in);
Outputs spmv(const Inputs& in);
Outputs transpose(const Inputs& in);

// attention.cpp
Outputs flash_attention(const Inputs& in);
Outputs flash_attention_causal(const Inputs& in);
Outputs decode_attention(const Inputs& in);
Outputs combine_splits(const Inputs& in);

// stream_k.cpp
Outputs stream_k(const Inputs& in);
Outputs stream_k_fixup(const Inputs& in);

// sequences.cpp
Outputs smith_waterman(const Inputs& in);

}  // namespace swizzleperf
