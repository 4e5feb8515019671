#include "model/model.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "model/engine.h"
#include "model/footprint.h"

namespace swizzleperf {

struct Model::State {
  // Compulsory misses only, over so many requests.
  double ceiling_of(int64_t requests) const;
  double least_ceiling() const;
  Counts simulate(int64_t workgroups, const Order& order, ObjectTraffic* traffic, const Timing& timing) const;
  void take_counts(const Counts& counts, Prediction& prediction) const;
  // How workgroups go on beside each other. Compute units of uneven speed let them drift where arithmetic sets the
  // pace; when DRAM falls behind, those ahead wait for it, and those behind find what they fetched. A kernel that
  // states no flops is taken to be paced by memory, which keeps workgroups together: lock step.
  Timing timing(int64_t workgroups) const;

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

// What the hardware does not promise: how far workgroups drift apart. Each entry changes the timing that is predicted
// with. Which XCD comes first is no entry: in the model they are alike.
std::vector<Timing> other_timings(const Timing& predicted) {
  std::vector<Timing> others(3, predicted);
  // A load that misses waits two to four rounds longer than one that hits, at random: an MI300X answers from its L2 in
  // about 120 ns, from its Infinity Cache in 220, from HBM in 350 and more under load (chipsandcheese.com, "Testing
  // AMD's Giant MI300X").
  others[0].miss_rounds = others[0].miss_jitter = 2;
  others[1].shuffled = true;
  // Compute units as uneven as an H200's are found to be, or all alike where the prediction has them uneven.
  constexpr double kSpread = 0.02;
  others[2] = predicted.uneven > 0 ? Timing{} : Timing{.uneven = kSpread};
  return others;
}

// Times of each resource, in ms, and the largest of them. A rate that is unknown takes no part.
void estimate_time(const GpuSpec& gpu, const Counts& counts, Prediction& prediction) {
  const auto milliseconds = [](double amount, double rate) { return rate > 0 ? 1000 * amount / rate : 0; };
  prediction.l2_ms = 0;
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

Outcome outcome_of(const Prediction& prediction) {
  return {prediction.l2_hit_rate, prediction.dram_read_bytes, prediction.dram_write_bytes, prediction.l2_miss_bytes,
          prediction.time_ms};
}

// The rounds that a launch takes in lock step: who waits for memory, or is slow, is no part of it. Each queue gives its
// next tile to the slot that is done first.
int64_t lock_step_rounds(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order) {
  const bool in_turn = gpu.dispatch == Dispatch::kRoundRobin;
  const auto queues = static_cast<size_t>(in_turn ? gpu.domains : 1);
  const auto slots = static_cast<size_t>(gpu.cus_per_domain * occupancy * (in_turn ? 1 : gpu.domains));
  int64_t rounds = 0;
  for (size_t queue = 0; queue < queues; ++queue) {
    std::priority_queue<int64_t, std::vector<int64_t>, std::greater<>> done;
    for (size_t id = queue; id < order.size(); id += queues) {
      if (order[id] < 0) continue;
      const auto tile = static_cast<size_t>(order[id]);
      int64_t end = stream.tile_begin[tile + 1] - stream.tile_begin[tile];
      if (done.size() == slots) {
        end += done.top();
        done.pop();
      }
      done.push(end);
      rounds = std::max(rounds, end);
    }
  }
  return rounds;
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

Counts Model::State::simulate(int64_t workgroups, const Order& order, ObjectTraffic* traffic,
                              const Timing& timing) const {
  return gpu.dispatch == Dispatch::kRoundRobin ? simulate_domains(stream, gpu, workgroups, order, traffic, timing)
                                               : simulate_sides(stream, gpu, workgroups, order, traffic, timing);
}

Timing Model::State::timing(int64_t workgroups) const {
  if (gpu.speed_spread <= 0 || !flops || !peak_flops || *flops <= 0 || gpu.dram_bytes_per_second <= 0) return {};
  const double slots = static_cast<double>(gpu.domains * gpu.cus_per_domain * workgroups);
  const double rounds = std::max(1.0, static_cast<double>(stream.phase_begin.size() - 1) / slots);
  const double seconds_a_round = *flops / *peak_flops / rounds;
  return {.uneven = gpu.speed_spread, .memory_bytes = gpu.dram_bytes_per_second * seconds_a_round};
}

void Model::State::take_counts(const Counts& counts, Prediction& prediction) const {
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
  prediction.ceiling = std::max(least_ceiling(), ceiling_of(requests));
  prediction.dram_read_bytes = counts.dram_read_bytes;
  prediction.dram_write_bytes = counts.dram_write_bytes;
  prediction.l2_miss_bytes = counts.l2_read_miss_bytes + counts.l2_write_back_bytes;
  prediction.llc_bytes = gpu.llc.bytes > 0 ? prediction.l2_miss_bytes : 0;
  prediction.llc_hit_rate =
      counts.llc_requests > 0 ? static_cast<double>(counts.llc_hits) / static_cast<double>(counts.llc_requests) : 0;
  prediction.fabric_sectors = counts.fabric_requests;
  prediction.fabric_hit_sectors = counts.fabric_hits;
  estimate_time(gpu, counts, prediction);
}

Prediction Model::predict(const Order& order, const PredictOptions& options) const {
  const State& s = *state_;
  const int64_t occupancy = options.occupancy > 0 ? options.occupancy : s.occupancy;
  const Timing timing = s.timing(occupancy);
  Counts counts = options.lines != nullptr ? options.lines->simulate(order, occupancy)
                                           : s.simulate(occupancy, order, nullptr, timing);
  Prediction prediction;
  // Drift changes which slot takes which tile a little, and must not make one order's arithmetic slower than another's.
  if (options.lines == nullptr && !timing.lock_step())
    counts.slot_rounds =
        lock_step_rounds(s.stream, s.gpu, occupancy, order) * s.gpu.domains * s.gpu.cus_per_domain * occupancy;
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
  s.take_counts(counts, prediction);
  if (options.range && options.lines == nullptr) {
    std::vector<Outcome> outcomes = {outcome_of(prediction)};
    for (const Timing& other : other_timings(timing)) {
      Prediction drifted = prediction;
      s.take_counts(s.simulate(occupancy, order, nullptr, other), drifted);
      outcomes.push_back(outcome_of(drifted));
    }
    prediction.outcomes = std::move(outcomes);
  }
  prediction.domains = std::move(counts.domains);
  return prediction;
}

std::vector<ArrayTraffic> Model::explain(const Order& order) const {
  const State& s = *state_;
  ObjectTraffic traffic(s.stream.lines.size());
  s.simulate(s.occupancy, order, &traffic, s.timing(s.occupancy));
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
  return state_->least_ceiling();
}

double Model::State::least_ceiling() const {
  int64_t requests = stream.least_requests;
  const int64_t tiles = static_cast<int64_t>(stream.tile_begin.size()) - 1;
  if (gpu.dispatch == Dispatch::kRoundRobin) {
    for (int64_t domain = 0; domain < gpu.domains; ++domain) requests += code_fetch(gpu, tiles, domain).requests;
  }
  return ceiling_of(requests);
}

}  // namespace swizzleperf
