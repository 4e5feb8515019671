#include "llm/context.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <numeric>
#include <sstream>

#include "base/nearest.h"
#include "llm/history_text.h"
#include "llm/prompt.h"
#include "report/explain_text.h"
#include "report/reuse_text.h"
#include "report/text.h"

namespace swizzleperf {
namespace {

constexpr size_t kLongestSource = 48'000;  // characters of a kernel's file that are shown
constexpr size_t kLongestMeasured = 8'000;

using Values = std::map<std::string, std::string>;

std::string clipped(const std::string& text, size_t limit) {
  return text.size() <= limit ? text : text.substr(0, limit) + "\n[cut here]";
}

std::string sizes_text(const Sizes& sizes) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : sizes) parts.push_back(fmt::format("{} = {}", name, value));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string resident_text(const Workload& workload, const GpuSpec& gpu, const Reuse& reuse) {
  double bytes_per_tile = 0;
  for (const auto& array : reuse.arrays) bytes_per_tile += array.bytes_per_tile;
  const int64_t tiles =
      std::min(gpu.cus_per_domain * workload.occupancy, (reuse.tiles + gpu.domains - 1) / gpu.domains);
  return format_bytes(bytes_per_tile * static_cast<double>(tiles));
}

std::string gpu_text(const GpuSpec& gpu) {
  std::string text =
      fmt::format("{}: {} L2 domain{} of {} compute units each, every domain with an L2 of {} in lines of {} B",
                  gpu.name, gpu.domains, gpu.domains == 1 ? "" : "s", gpu.cus_per_domain,
                  format_bytes(static_cast<double>(gpu.l2.bytes)), gpu.l2.line_bytes);
  if (gpu.l2.channels > 1)
    text += fmt::format(", in {} channels that change every {} B of address", gpu.l2.channels,
                        gpu.l2.channel_interleave_bytes);
  if (gpu.l2_partitions > 1) text += fmt::format(", in {} sides: what both use takes space on both", gpu.l2_partitions);
  text += ".";
  if (gpu.llc.bytes > 0)
    text += fmt::format(" Behind all L2s lies one cache of {}.", format_bytes(static_cast<double>(gpu.llc.bytes)));
  if (gpu.dram_bytes_per_second > 0) text += fmt::format(" DRAM gives {}/s.", format_bytes(gpu.dram_bytes_per_second));
  return text;
}

std::string counters_table(const Prediction& baseline, const GpuSpec& gpu) {
  return format_table({prediction_header(gpu), prediction_row("launch order", baseline, gpu)});
}

// Collects parts; remembers the first that fails.
class Composer {
 public:
  void add(const std::string& file, const Values& values) {
    if (error_) return;
    const auto text = prompt_file(file);
    const auto filled = text ? fill(*text, values) : tl::unexpected(text.error());
    if (filled)
      out_ += *filled;
    else
      error_ = filled.error();
  }
  Expected<std::string> result() const {
    if (error_) return tl::unexpected(*error_);
    return out_;
  }

 private:
  std::string out_;
  std::optional<Error> error_;
};

void add_counters(Composer& composer, const CaseFacts& facts, const Scorer& scorer, const Prediction& baseline,
                  bool overload) {
  const GpuSpec& gpu = scorer.gpu();
  const std::string fence = fence_for(facts.measured);
  const std::string origin = facts.measured.empty()
                                 ? std::string("Predicted by a simulator; nothing is measured.")
                                 : fmt::format(
                                       "Measured by the user's profiler (data):\n\n{}data\n{}\n{}\n\nPredicted by a "
                                       "simulator, for comparison with later tries:",
                                       fence, clipped(facts.measured, kLongestMeasured), fence);
  Order order(static_cast<size_t>(scorer.workload().grid.size()));
  std::iota(order.begin(), order.end(), 0);
  composer.add("counters.md",
               {{"origin", origin},
                {"table", counters_table(baseline, gpu)},
                {"traffic", format_explanation(scorer.model().explain(order), {}, scorer.workload(), gpu)},
                {"ceiling", format_percent(baseline.ceiling)}});
  if (overload) composer.add("counters_overload.md", {{"details", print(to_json(baseline, gpu))}});
}

void add_dispatch(Composer& composer, const Workload& workload, const GpuSpec& gpu) {
  const bool dealt = gpu.dispatch == Dispatch::kRoundRobin && gpu.domains > 1;
  const int64_t cus = dealt ? gpu.cus_per_domain : gpu.cus_per_domain * gpu.domains;
  composer.add(dealt ? "dispatch_round_robin.md" : "dispatch_single_queue.md",
               {{"num_xcds", fmt::format("{}", gpu.domains)},
                {"cus", fmt::format("{}", cus)},
                {"occupancy", fmt::format("{}", workload.occupancy)},
                {"slots", fmt::format("{}", cus * workload.occupancy)}});
}

}  // namespace

Expected<ContextParts> parse_context(const std::string& text) {
  if (text == "unaware") return ContextParts{.kernel = true, .history = true};
  ContextParts all{.kernel = true,
                   .accesses = true,
                   .gpu = true,
                   .dispatch = true,
                   .counters = true,
                   .history = true,
                   .known = true};
  all.overload = text == "overload";
  if (text == "aware" || text == "overload") return all;
  const std::map<std::string, bool ContextParts::*> names = {
      {"kernel", &ContextParts::kernel},     {"accesses", &ContextParts::accesses}, {"gpu", &ContextParts::gpu},
      {"dispatch", &ContextParts::dispatch}, {"counters", &ContextParts::counters}, {"history", &ContextParts::history},
      {"known", &ContextParts::known}};
  ContextParts parts;
  std::stringstream stream(text);
  for (std::string name; std::getline(stream, name, ',');) {
    const auto found = names.find(name);
    if (found == names.end()) {
      std::vector<std::string> known = {"unaware", "aware", "overload"};
      for (const auto& [part, unused] : names) known.push_back(part);
      return user_error(fmt::format("'{}' is no part of a context", name), {"--context"}, known_names(name, known));
    }
    parts.*found->second = true;
  }
  return parts;
}

Expected<std::string> describe_context(const ContextParts& parts, const CaseFacts& facts, const Scorer& scorer,
                                       const Prediction& baseline, const TryNotes& notes, const std::string& mine) {
  const Workload& workload = scorer.workload();
  const GpuSpec& gpu = scorer.gpu();
  Composer composer;
  composer.add("problem.md", {{"kernel", facts.kernel},
                              {"case", facts.name},
                              {"variant", facts.variant},
                              {"grid", to_string(workload.grid)},
                              {"num_wgs", fmt::format("{}", workload.grid.size())},
                              {"threads", fmt::format("{}", workload.threads_per_workgroup)},
                              {"sizes", sizes_text(scorer.sizes())}});
  if (parts.kernel && !facts.source.empty())
    composer.add("kernel.md", {{"language", facts.language},
                               {"fence", fence_for(facts.source)},
                               {"source", clipped(facts.source, kLongestSource)}});
  if (parts.accesses) {
    const Reuse reuse = analyse_reuse(workload);
    composer.add("accesses.md", {{"found", workload.footprint_source},
                                 {"reuse", format_reuse(reuse, gpu)},
                                 {"resident", resident_text(workload, gpu, reuse)},
                                 {"existing", facts.existing}});
  }
  if (parts.gpu) composer.add("gpu.md", {{"facts", gpu_text(gpu)}});
  if (parts.gpu && parts.overload) composer.add("gpu_overload.md", {{"figures", describe_figures(gpu)}});
  if (parts.dispatch) add_dispatch(composer, workload, gpu);
  if (parts.counters) add_counters(composer, facts, scorer, baseline, parts.overload);
  if (parts.known && !facts.known.empty()) composer.add("known.md", {{"known", facts.known}});
  if (parts.history)
    composer.add("history.md", {{"tries", describe_tries(scorer.tries(), shown_tries(scorer.tries(), mine), notes,
                                                         baseline, gpu, parts.counters)}});
  composer.add("request.md", {});
  return composer.result();
}

std::string describe_figures(const GpuSpec& gpu) {
  std::string text;
  for (const auto& figure : gpu.provenance)
    text +=
        fmt::format("* {}: {}{} ({})\n", figure.key, figure.value, figure.derived ? ", derived" : "", figure.source);
  return text;
}

}  // namespace swizzleperf
