#include "cli/release.h"

namespace swizzleperf {

Expected<Release> release(const Session& session, const Swizzle& swizzle, const RewriteOptions& options,
                          bool allow_order_dependent, StageLine& stage) {
  if (!session.kernel) {
    return Release{.verdict = "unverified",
                   .reason =
                       "the case declares its accesses and has no source: nothing is patched or verified, put "
                       "the map in by hand",
                   .rewritten = std::nullopt,
                   .gate = std::nullopt};
  }
  stage.show("rewriting the kernel");
  auto rewritten = rewrite_kernel(session.the_case, *session.kernel, swizzle, options);
  if (!rewritten) return tl::unexpected(rewritten.error());
  stage.show("verifying the rewritten kernel");
  auto gate = run_gate(session.the_case, session.instance, *session.kernel, *session.traced, swizzle, *rewritten,
                       session.gpu.wave_lanes, {.allow_order_dependent = allow_order_dependent});
  if (!gate) return tl::unexpected(gate.error());
  Release result{.verdict = "apply", .reason = "", .rewritten = std::move(*rewritten), .gate = std::move(*gate)};
  if (!result.gate->passed()) {
    result.reason = result.gate->verdict();
    result.verdict = result.reason.rfind("rejected", 0) == 0 ? "rejected" : "unverified";
  }
  return result;
}

}  // namespace swizzleperf
