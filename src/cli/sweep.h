// optimize --sweep: one map for many sizes of a kernel.
#pragma once

#include <string>
#include <vector>

#include "cli/models.h"
#include "cli/output.h"
#include "cli/proposers.h"
#include "cli/session.h"
#include "search/search.h"

namespace swizzleperf {

struct SweepOptions {
  Request request;
  std::vector<std::string> ranges;  // "NAME=FROM:TO:STEP" or "NAME=A,B,C"; several: every combination
  SearchOptions search;
  std::string device;  // where orders are measured; empty: nowhere
  ModelOptions models;
  ProposerOptions proposer;  // not of a sweep
  OutputOptions output;
  bool allow_order_dependent = false;
  bool json = false;
};

// The sizes of every point, as --size takes them: {"M=1024", "N=1024"}, ... User error for a malformed range, a name
// that is given twice, more than 256 points.
Expected<std::vector<std::vector<std::string>>> expand_ranges(const std::vector<std::string>& ranges);

int run_sweep(const SweepOptions& options);

}  // namespace swizzleperf
