#include "model/model.h"

#include <algorithm>
#include <utility>

#include "model/engine.h"
#include "model/footprint.h"

namespace swizzleperf {

struct Model::State {
  // Compulsory misses only, over so many requests.
  double ceiling_of(int64_t requests) const;

  std::vector<std::string> array_names;
  GpuSpec gpu;
  int64_t occupancy = 1;
  ObjectStream stream;
  FootprintModel footprint;
  int64_t waves = 0;  // of the whole launch
  std::optional<double> flops;
  std::optional<double> peak_flops;  // of the case's dtype on the units it uses; unknown where the GPU's file lacks it
};

namespace {

// Times of each resource, in ms, and the largest of them. A rate that is unknown takes no part.
void estimate_time(const GpuSpec& gpu, const Counts& counts, Prediction& prediction) {
  const auto milliseconds = [](double amount, double rate) { return rate > 0 ? 1000 * amount / rate : 0; };
  for (const auto& domain : counts.domains) {
    const double bytes = static_cast<double>(domain.requests) * static_cast<double>(gpu.load_request_bytes);
    prediction.l2_ms = std::max(prediction.l2_ms, milliseconds(bytes, gpu.l2_bytes_per_second));
  }
  prediction.llc_ms = milliseconds(static_cast<double>(prediction.llc_bytes), gpu.llc_bytes_per_second);
  prediction.dram_ms =
      milliseconds(static_cast<double>(counts.dram_read_bytes + counts.dram_write_bytes), gpu.dram_bytes_per_second);
  const std::pair<double, const char*> resources[] = {{prediction.dram_ms, "DRAM"},
                                                      {prediction.llc_ms, "LLC"},
                                                      {prediction.l2_ms, "L2"},
                                                      {prediction.compute_ms, "compute"},
                                                      {prediction.index_ms, "index arithmetic"}};
  const auto* largest = std::max_element(std::begin(resources), std::end(resources),
                                         [](const auto& a, const auto& b) { return a.first < b.first; });
  prediction.time_ms = largest->first;
  prediction.bound = largest->second;
}

}  // namespace

Model::Model(std::unique_ptr<const State> state) : state_(std::move(state)) {}
Model::Model(Model&&) noexcept = default;
Model& Model::operator=(Model&&) noexcept = default;
Model::~Model() = default;

Expected<Model> Model::create(const Workload& workload, const GpuSpec& gpu) {
  auto stream = build_objects(workload, gpu);
  if (!stream) return tl::unexpected(stream.error());
  FootprintModel footprint(*stream, gpu, workload.occupancy);
  std::vector<std::string> names;
  for (const ArrayInfo& array : workload.arrays) names.push_back(array.name);
  const int64_t waves = workload.grid.size() * ((workload.threads_per_workgroup + gpu.wave_lanes - 1) / gpu.wave_lanes);
  std::optional<double> peak;
  const auto& rates = workload.flops_matrix ? gpu.peak_flops : gpu.vector_flops;
  if (const auto found = rates.find(workload.flops_dtype); found != rates.end()) peak = found->second;
  return Model(std::make_unique<const State>(State{std::move(names), gpu, workload.occupancy, std::move(*stream),
                                                   std::move(footprint), waves, workload.flops, peak}));
}

Prediction Model::predict(const Order& order, const PredictOptions& options) const {
  const State& s = *state_;
  const int64_t occupancy = options.occupancy > 0 ? options.occupancy : s.occupancy;
  const bool domains = s.gpu.dispatch == Dispatch::kRoundRobin;
  Counts counts = options.lines != nullptr ? options.lines->simulate(order, occupancy)
                  : domains                ? simulate_domains(s.stream, s.gpu, occupancy, order)
                                           : simulate_sides(s.stream, s.gpu, occupancy, order);
  Prediction prediction;
  int64_t requests = 0, hits = 0, most = 0;
  for (const auto& domain : counts.domains) {
    requests += domain.requests;
    hits += domain.hits;
    most = std::max(most, domain.requests);
  }
  prediction.l2_hit_rate = requests > 0 ? static_cast<double>(hits) / static_cast<double>(requests) : 0;
  prediction.balance =
      most > 0 ? static_cast<double>(requests) / static_cast<double>(counts.domains.size()) / static_cast<double>(most)
               : 1;
  // An order under which the L1s absorb less has more requests, and as many compulsory misses.
  prediction.ceiling = std::max(ceiling(), s.ceiling_of(requests));
  prediction.dram_read_bytes = counts.dram_read_bytes;
  prediction.dram_write_bytes = counts.dram_write_bytes;
  prediction.l2_miss_bytes = counts.l2_read_miss_bytes + counts.l2_write_back_bytes;
  prediction.llc_bytes = s.gpu.llc.bytes > 0 ? prediction.l2_miss_bytes : 0;
  prediction.llc_hit_rate =
      counts.llc_requests > 0 ? static_cast<double>(counts.llc_hits) / static_cast<double>(counts.llc_requests) : 0;
  prediction.tail =
      counts.slot_rounds > 0 ? 1 - static_cast<double>(counts.phases) / static_cast<double>(counts.slot_rounds) : 0;
  prediction.time_has_compute = s.flops.has_value() && s.peak_flops.has_value();
  // In lock step a phase takes as long wherever it runs, so slots without one are compute time lost.
  if (prediction.time_has_compute) prediction.compute_ms = 1000 * *s.flops / *s.peak_flops / (1 - prediction.tail);
  // Each of a compute unit's four SIMDs (AMD) or partitions of an SM (NVIDIA) issues one instruction a clock at most.
  constexpr int64_t kIssuePorts = 4;
  const int64_t ports = kIssuePorts * s.gpu.cus_per_domain * s.gpu.domains;
  if (s.gpu.clock_hz > 0)
    prediction.index_ms = 1000 * static_cast<double>(s.waves * options.index_instructions) /
                          (static_cast<double>(ports) * s.gpu.clock_hz);
  estimate_time(s.gpu, counts, prediction);
  prediction.domains = std::move(counts.domains);
  return prediction;
}

std::vector<ArrayTraffic> Model::explain(const Order& order) const {
  const State& s = *state_;
  ObjectTraffic traffic(s.stream.lines.size());
  s.gpu.dispatch == Dispatch::kRoundRobin ? simulate_domains(s.stream, s.gpu, s.occupancy, order, &traffic)
                                          : simulate_sides(s.stream, s.gpu, s.occupancy, order, &traffic);
  return sum_by_array(s.stream, traffic, s.array_names);
}

double Model::footprint_cost(const Order& order) const {
  return state_->footprint.cost(order);
}

int64_t Model::work() const {
  // Clearing the lists of every domain costs about half a touch an object.
  return state_->stream.touch_count + static_cast<int64_t>(state_->stream.lines.size()) * state_->gpu.domains / 2;
}

double Model::State::ceiling_of(int64_t requests) const {
  // On NVIDIA a first load misses sector by sector, and stores hit: the least misses are the compulsory ones among the
  // loads.
  const int64_t misses = gpu.dispatch == Dispatch::kSingleQueue ? stream.compulsory_load_requests : stream.total_lines;
  return requests > 0 ? 1 - static_cast<double>(misses) / static_cast<double>(requests) : 0;
}

double Model::ceiling() const {
  int64_t requests = state_->stream.least_requests;
  const int64_t tiles = static_cast<int64_t>(state_->stream.tile_begin.size()) - 1;
  if (state_->gpu.dispatch == Dispatch::kRoundRobin) {
    for (int64_t domain = 0; domain < state_->gpu.domains; ++domain)
      requests += code_fetch(state_->gpu, tiles, domain).requests;
  }
  return state_->ceiling_of(requests);
}

}  // namespace swizzleperf
