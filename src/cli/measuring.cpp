#include "cli/measuring.h"

#include <fmt/format.h>

#include "measure/runner.h"
#include "report/json.h"
#include "rewrite/rewrite.h"
#include "swizzle/cost.h"
#include "workload/reuse.h"

namespace swizzleperf {
namespace {

Expected<Swizzle> prove_order(const Session& session, const std::string& map) {
  const auto expr = SwizzleExpr::parse(map, "--map");
  if (!expr) return tl::unexpected(expr.error());
  auto proof = prove(*expr, session.instance.grid, session.map_sizes);
  if (!proof) return tl::unexpected(proof.error());
  if (auto* swizzle = std::get_if<Swizzle>(&*proof)) return std::move(*swizzle);
  return user_error(fmt::format("'{}' is not a bijection on the grid {}", map, to_string(session.instance.grid)),
                    {"--map"}, "`swizzleperf check --map ...` shows what it loses");
}

// Adds an order to the plan: its source to the job, its prediction to the list.
Expected<void> add_order(const Session& session, const Swizzle& swizzle, bool guarded, PlannedOrder order, bool energy,
                         std::vector<SourceVariant>& sources, MeasurePlan& plan) {
  const auto rewritten = rewrite_kernel(session.the_case, *session.kernel, swizzle, {.guarded = guarded});
  if (!rewritten) return tl::unexpected(rewritten.error());
  order.map = swizzle.expr().text();
  order.operations = rewritten->operations;
  sources.push_back({order.name, rewritten->source, energy});
  plan.orders.push_back(std::move(order));
  return {};
}

// The remap's code with a condition that is never true: the launch order again, compiled like the remapped kernel. What
// it gains or loses against the launch order is the compiler's doing.
Expected<void> add_switched_off(const Session& session, const Swizzle& swizzle, std::vector<SourceVariant>& sources,
                                MeasurePlan& plan) {
  auto rewritten = rewrite_kernel(session.the_case, *session.kernel, swizzle, {.guarded = true});
  if (!rewritten) return tl::unexpected(rewritten.error());
  std::string source = std::move(rewritten->source);
  const std::string condition = fmt::format("::gridDim.x == {}u", swizzle.grid().x);
  size_t at = source.find(condition);
  if (at == std::string::npos) return internal_error("the remap's condition was not found");
  for (; at != std::string::npos; at = source.find(condition, at))
    source.replace(at, condition.size(), "::gridDim.x == 0u");
  sources.push_back({"remap switched off", std::move(source)});
  plan.orders.push_back({.name = "remap switched off",
                         .proposer = "default",
                         .operations = rewritten->operations,
                         .prediction = plan.orders.front().prediction});
  return {};
}

// What the answer repeats, so that it can be read without the case.
std::string note(const Session& session, const MeasurePlan& plan) {
  Json json = {{"case", session.the_case.name},
               {"kernel", session.the_case.kernel},
               {"touched_bytes", plan.touched_bytes},
               {"variant", session.instance.variant},
               {"gpu", session.gpu.name},
               {"grid", {session.workload.grid.x, session.workload.grid.y, session.workload.grid.z}},
               {"flops", session.instance.flops ? Json(*session.instance.flops) : Json(nullptr)},
               {"occupancy", session.workload.occupancy},
               {"orders", Json::array()}};
  for (const PlannedOrder& order : plan.orders) {
    Json entry = {
        {"name", order.name}, {"map", order.map}, {"proposer", order.proposer}, {"operations", order.operations}};
    entry["prediction"] = to_json(order.prediction, session.gpu);
    json["orders"].push_back(std::move(entry));
  }
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace

Expected<MeasurePlan> plan_measurement(const Session& session, const std::vector<std::string>& maps,
                                       const std::vector<Candidate>& best) {
  if (!session.kernel)
    return user_error("the case declares its accesses and has no source that could be run", {session.the_case.file},
                      "give a case with `source` and `kernel`");
  MeasurePlan plan;
  for (const ArrayReuse& array : analyse_reuse(session.workload).arrays) {
    if (array.loaded) plan.touched_bytes += static_cast<double>(array.touched_bytes);
  }
  std::vector<SourceVariant> sources = {{"default again", session.kernel->source}};
  const Prediction baseline = session.model.predict(order_of("", "", session.workload.grid, session.map_sizes).value());
  plan.orders.push_back({.name = "default", .proposer = "default", .prediction = baseline});
  plan.orders.push_back({.name = "default again", .proposer = "default", .prediction = baseline});
  std::vector<Swizzle> proven;
  for (const std::string& map : maps) {
    auto swizzle = prove_order(session, map);
    if (!swizzle) return tl::unexpected(swizzle.error());
    proven.push_back(std::move(*swizzle));
  }
  if (!best.empty() || !proven.empty()) {
    const Swizzle& first = best.empty() ? proven.front() : best.front().swizzle;
    if (auto status = add_switched_off(session, first, sources, plan); !status) return tl::unexpected(status.error());
  }
  for (size_t i = 0; i < proven.size(); ++i) {
    const Swizzle* swizzle = &proven[i];
    const int instructions = estimate_instructions(swizzle->expr(), session.workload.grid);
    PlannedOrder order{.name = fmt::format("map {}", i + 1), .proposer = "user"};
    order.prediction = session.model.predict(swizzle->tiles(), {.index_instructions = instructions});
    if (auto status = add_order(session, *swizzle, true, std::move(order), true, sources, plan); !status)
      return tl::unexpected(status.error());
  }
  for (const Candidate& candidate : best) {
    PlannedOrder order{.name = candidate.name, .proposer = candidate.proposer, .prediction = candidate.prediction};
    const bool energy = &candidate == &best.front();
    if (auto status =
            add_order(session, candidate.swizzle, !candidate.every_grid, std::move(order), energy, sources, plan);
        !status)
      return tl::unexpected(status.error());
  }
  auto job = make_job(session.the_case, session.instance, session.kernel->source, sources);
  if (!job) return tl::unexpected(job.error());
  plan.job = std::move(*job);
  plan.job.note = note(session, plan);
  return plan;
}

void add_plan_options(CLI::App& verb, PlanOptions& options) {
  add_request_options(verb, options.request);
  verb.add_option("--device", options.device, "cuda:N or hip:N; default cuda:0");
  verb.add_option("--map", options.maps, "A map of your own to measure")->allow_extra_args(false);
  verb.add_option("--best", options.best, "How many of the best predicted orders to measure, too")
      ->check(CLI::Range(0, 64));
}

Expected<MeasurePlan> make_plan(const PlanOptions& options, StageLine& stage) {
  const auto device = parse_device(options.device);
  if (!device) return tl::unexpected(device.error());
  const auto session = open_session(options.request, [&](const std::string& name) { stage.show(name); });
  if (!session) return tl::unexpected(session.error());
  std::vector<Candidate> best;
  if (options.best > 0) {
    stage.show("searching orders");
    auto found = search(session->workload, session->gpu, session->model, session->map_sizes, {.keep = options.best});
    if (!found) return tl::unexpected(found.error());
    best = std::move(found->ranked);
  }
  auto plan = plan_measurement(*session, options.maps, best);
  if (!plan) return plan;
  if (plan->job.api != device->api)
    return user_error(fmt::format("the case is written for {}", plan->job.api == runner::Api::kCuda ? "CUDA" : "HIP"),
                      {"--device"});
  plan->job.device = device->index;
  return plan;
}

}  // namespace swizzleperf
