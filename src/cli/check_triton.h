// `swizzleperf check --case ... --ttir-rewritten ...`: does a rewritten Triton kernel, launched under a map, touch what
// the original touches?
#pragma once

#include <string>

#include "cli/check_cases.h"

namespace swizzleperf {

struct TritonCheckRequest {
  std::string case_file;
  std::string rewritten;  // the rewritten kernel's IR
  std::string variant;    // empty: the case's default
  bool asked() const { return !case_file.empty() || !rewritten.empty() || !variant.empty(); }
};

// Exit code 0: a bijection, and the accesses are equal. 1: not so. 2: bad input, or what cannot be followed.
int check_triton(const CheckRequest& check, const TritonCheckRequest& request, bool json);

}  // namespace swizzleperf
