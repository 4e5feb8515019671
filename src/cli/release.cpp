#include "cli/release.h"

#include <algorithm>

namespace swizzleperf {
namespace {

// What is known of a map for a Triton kernel without its patch, which the Python package makes.
GateReport triton_gate(const Session& session, bool allow_order_dependent) {
  using Outcome = GateStep::Outcome;
  GateReport gate;
  const Grid& grid = session.instance.grid;
  gate.steps.push_back({"bijection", Outcome::kPassed,
                        "all " + std::to_string(grid.size()) + " launches of grid " + to_string(grid) + " evaluated"});
  const auto& variants = session.the_case.variants;
  const bool verify = std::find(variants.begin(), variants.end(), "verify") != variants.end();
  const auto small = verify ? session.the_case.instance("verify") : Expected<CaseInstance>(session.instance);
  const auto kernel =
      small && verify ? TritonKernel::open(session.the_case, "verify") : Expected<TritonKernel>(*session.triton);
  const auto order = !small   ? tl::unexpected(small.error())
                     : kernel ? triton_order(*kernel, *small)
                              : Expected<TritonOrder>(tl::unexpected(kernel.error()));
  if (!order) {
    gate.steps.push_back({"order dependence", Outcome::kNotDone, describe(order.error())});
  } else if (order->dependent) {
    gate.order_dependent = true;
    gate.steps.push_back({"order dependence", allow_order_dependent ? Outcome::kPassed : Outcome::kNotDone,
                          order->detail + (allow_order_dependent ? "; allowed by --allow-order-dependent" : "")});
  } else {
    gate.steps.push_back(
        {"order dependence", Outcome::kPassed,
         "no program touches what another one writes on grid " + to_string(small->grid) +
             (order->atomics ? "; floating-point sums by atomics, whose last bits depend on the order" : "")});
  }
  gate.steps.push_back(
      {"patch", Outcome::kNotDone, "the Python package rewrites, compiles and compares a Triton kernel"});
  return gate;
}

}  // namespace

Expected<Release> release(const Session& session, const Swizzle& swizzle, const RewriteOptions& options,
                          bool allow_order_dependent, StageLine& stage) {
  if (session.triton) {
    stage.show("looking for order dependence");
    Release result{.verdict = "unverified",
                   .reason = "",
                   .rewritten = std::nullopt,
                   .gate = triton_gate(session, allow_order_dependent)};
    result.reason = result.gate->verdict();
    return result;
  }
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
