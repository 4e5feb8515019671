// The gate: fail closed. Every step that ran is listed; what did not run is listed as not done, with the reason.
#pragma once

#include <string>
#include <vector>

#include "frontend/clike/trace.h"
#include "rewrite/rewrite.h"

namespace swizzleperf {

struct GateStep {
  enum class Outcome { kPassed, kFailed, kNotDone };
  std::string name;  // "bijection", "order dependence", "patch", "compile cpu", "compile gfx942", "equal outputs", ...
  Outcome outcome = Outcome::kNotDone;
  std::string detail;
  bool mandatory = true;  // false: needs a tool or a size that not everybody has, and may be left undone
};

struct GateReport {
  std::vector<GateStep> steps;
  bool order_dependent = false;
  bool passed() const;          // every mandatory step ran and passed
  std::string verdict() const;  // "proven", "rejected: ...", "unverified: ..."
};

struct GateOptions {
  bool allow_order_dependent = false;
  TraceLimits limits = {};
};

// `wave_lanes` as for tracing. Uses the case's `verify` variant for whole runs and the given instance for sampled
// tiles.
Expected<GateReport> run_gate(const Case& the_case, const CaseInstance& instance, const KernelInfo& kernel,
                              const TracedKernel& original, const Swizzle& swizzle, const Rewritten& rewritten,
                              int64_t wave_lanes, const GateOptions& options = {});

}  // namespace swizzleperf
