#include "cli/rewrite.h"

#include <fmt/format.h>

#include <memory>

#include "cli/output.h"
#include "cli/session.h"
#include "report/json.h"
#include "report/text.h"
#include "verify/gate.h"

namespace swizzleperf {
namespace {

struct RewriteVerbOptions {
  Request request;
  std::string map;
  OutputOptions output;
  bool allow_order_dependent = false;
  bool json = false;
};

Expected<Swizzle> prove_map(const std::string& text, const Grid& grid, const Sizes& sizes) {
  const auto expr = SwizzleExpr::parse(text, "--map");
  if (!expr) return tl::unexpected(expr.error());
  auto proof = prove(*expr, grid, sizes);
  if (!proof) return tl::unexpected(proof.error());
  if (const auto* report = std::get_if<MapReport>(&*proof)) {
    return user_error(
        fmt::format("the map is not a bijection on the grid {}: {} of {} tiles are lost, {} launches repeat a "
                    "tile, {} leave the grid",
                    to_string(grid), report->missing, grid.size(), report->duplicated, report->out_of_range),
        {"--map"}, "`swizzleperf check --map ...` shows which, and what to use instead");
  }
  return std::get<Swizzle>(std::move(*proof));
}

int run_rewrite(const RewriteVerbOptions& options) {
  StageLine stage(true);
  const auto on_stage = [&](const std::string& name) { stage.show(name); };
  const auto open = open_case(options.request, on_stage);
  if (!open) return report_error(open.error());
  const Case& the_case = open->the_case;
  if (the_case.declared) {
    return report_error({Blame::kUser,
                         "the case declares its accesses and has no source to rewrite",
                         {options.request.case_file},
                         "give a case with `source` and `kernel`"});
  }
  if (the_case.triton()) {
    return report_error({Blame::kUser,
                         "a Triton kernel is rewritten by the Python package, not by this verb",
                         {options.request.case_file},
                         "see docs/triton-python.md: python -m swizzleperf.triton rewrite"});
  }
  const auto swizzle = prove_map(options.map, open->instance.grid, open->map_sizes);
  if (!swizzle) return report_error(swizzle.error());
  const auto kernel = read_source(the_case, on_stage);
  if (!kernel) return report_error(kernel.error());
  const auto rewritten = rewrite_kernel(the_case, *kernel, *swizzle);
  if (!rewritten) return report_error(rewritten.error());
  on_stage("verifying the rewritten kernel");
  const auto traced = TracedKernel::compile(the_case, *kernel, kernel->source);
  if (!traced) return report_error(traced.error());
  const auto gate = run_gate(the_case, open->instance, *kernel, *traced, *swizzle, *rewritten, open->gpu.wave_lanes,
                             {.allow_order_dependent = options.allow_order_dependent});
  stage.clear();
  if (!gate) return report_error(gate.error());
  if (options.json) {
    const Json patch = gate->passed() ? Json(rewritten->patch) : Json(nullptr);
    fmt::print("{}", print({{"map", swizzle->expr().text()}, {"gate", to_json(*gate)}, {"patch", patch}}));
    return gate->passed() ? finish_with_outputs(options.output, the_case, *kernel, *rewritten) : 0;
  }
  fmt::print(stderr, "Gate ({})\n{}", gate->verdict(), format_gate(*gate));
  fmt::print(stderr, "{} integer operations of {} bits added per workgroup, at most\n", rewritten->operations,
             rewritten->bits);
  if (!gate->passed()) return report_error({Blame::kUser, "the gate did not pass: nothing was written"});
  if (options.output.patch_file.empty() && !options.output.in_place) fmt::print("{}", rewritten->patch);
  return finish_with_outputs(options.output, the_case, *kernel, *rewritten);
}

}  // namespace

void add_rewrite(CLI::App& app, int& exit_code) {
  const auto options = std::make_shared<RewriteVerbOptions>();
  auto* verb =
      app.add_subcommand("rewrite", "Put a map of your own into a kernel: prove, rewrite, verify, print the patch");
  add_request_options(*verb, options->request);
  verb->add_option("--map", options->map, "Map program")->required();
  verb->add_option("--patch", options->output.patch_file, "Write the patch to this file");
  verb->add_flag("--in-place", options->output.in_place,
                 "Rewrite the source itself; the original is kept as NAME.orig");
  verb->add_flag("--allow-order-dependent", options->allow_order_dependent,
                 "Release a patch although workgroups read or write what others write in the same launch");
  verb->add_flag("--json", options->json, "Print JSON: the map, the gate's steps, and the patch where all passed");
  verb->callback([options, &exit_code] { exit_code = run_rewrite(*options); });
}

}  // namespace swizzleperf
