// What each kernel of cases/ computes, written down once more without threads.
#pragma once

#include "examples/inputs.h"

namespace swizzleperf {

using Outputs = std::vector<std::vector<double>>;

// arrays.cpp
Outputs saxpy(const Inputs& in);
Outputs add_transposed(const Inputs& in);
Outputs scale_rows(const Inputs& in);
Outputs smooth(const Inputs& in);
Outputs scaled(const Inputs& in);
Outputs gemm_once(const Inputs& in);
Outputs gemm_twice(const Inputs& in);
Outputs axpy_halves(const Inputs& in);
Outputs activated(const Inputs& in);
Outputs gathered(const Inputs& in);
Outputs blurred(const Inputs& in);
Outputs turned(const Inputs& in);
Outputs added(const Inputs& in);

// reductions.cpp
Outputs row_sums(const Inputs& in);
Outputs row_maxima(const Inputs& in);
Outputs row_softmax(const Inputs& in);
Outputs row_rms(const Inputs& in);
Outputs row_top_4(const Inputs& in);
Outputs counts_of_64(const Inputs& in);
Outputs sums_and_maxima(const Inputs& in);
Outputs running_sums(const Inputs& in);

// bits.cpp
Outputs compacted(const Inputs& in);
Outputs blended(const Inputs& in);
Outputs mixed_bits(const Inputs& in);
Outputs voted(const Inputs& in);

}  // namespace swizzleperf
