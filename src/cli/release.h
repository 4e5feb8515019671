// From a map that is worth applying to a patch that may leave the tool: rewrite, then the gate.
#pragma once

#include <optional>
#include <string>

#include "cli/session.h"
#include "rewrite/rewrite.h"
#include "verify/gate.h"

namespace swizzleperf {

struct Release {
  std::string verdict;                 // "apply", "rejected", "unverified"
  std::string reason;                  // of a verdict other than apply
  std::optional<Rewritten> rewritten;  // none for a declared case, which has no source
  std::optional<GateReport> gate;      // likewise
  // The patch may leave the tool.
  bool released() const { return verdict == "apply"; }
};

Expected<Release> release(const Session& session, const Swizzle& swizzle, const RewriteOptions& options,
                          bool allow_order_dependent, StageLine& stage);

}  // namespace swizzleperf
