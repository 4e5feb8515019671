#include "measure/topology.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "measure/probe.h"
#include "measure/statistics.h"

namespace swizzleperf {
namespace {

void read_place(const std::vector<std::vector<double>>& outputs, Topology& topology) {
  const auto &units = outputs.at(0), &domains = outputs.at(1), &starts = outputs.at(2);
  topology.domains = static_cast<int>(std::set<double>(domains.begin(), domains.end()).size());
  std::set<std::pair<double, double>> seen;
  size_t in_turn = 0, in_order = 0;
  constexpr double kMicrosecond = 1000;
  for (size_t w = 0; w < units.size(); ++w) {
    seen.emplace(domains[w], units[w]);
    in_turn += domains[w] == domains[w % static_cast<size_t>(topology.domains)] ? 1 : 0;
    if (w > 0) in_order += starts[w] >= starts[w - 1] - kMicrosecond ? 1 : 0;
  }
  topology.units_seen = static_cast<int>(seen.size());
  topology.round_robin = static_cast<double>(in_turn) / static_cast<double>(units.size());
  topology.in_launch_order = static_cast<double>(in_order) / static_cast<double>(units.size() - 1);
}

void read_sides(const std::vector<std::vector<double>>& outputs, Topology& topology) {
  // Units in the order of their numbers; one that two workgroups ran on keeps the better figures.
  std::map<int, std::vector<double>> by_unit;
  for (size_t w = 0; w < outputs.at(0).size(); ++w) {
    const auto begin = outputs.at(1).begin() + static_cast<std::ptrdiff_t>(w * kSideLines);
    std::vector<double> row(begin, begin + kSideLines);
    auto& known = by_unit[static_cast<int>(outputs.at(0)[w])];
    if (known.empty())
      known = row;
    else
      std::transform(row.begin(), row.end(), known.begin(), known.begin(),
                     [](double a, double b) { return std::min(a, b); });
  }
  std::vector<std::vector<double>> latencies;
  for (auto& [unit, row] : by_unit) latencies.push_back(std::move(row));
  topology.side_of_unit = split_sides(latencies);
  if (topology.side_of_unit.empty()) return;
  // A line is near to the side whose mean latency to it is lower.
  std::vector<double> near, far;
  for (int line = 0; line < kSideLines; ++line) {
    std::array<std::vector<double>, 2> of_side;
    for (size_t u = 0; u < latencies.size(); ++u)
      of_side.at(static_cast<size_t>(topology.side_of_unit[u])).push_back(latencies[u][static_cast<size_t>(line)]);
    const auto [low, high] = std::minmax(median(of_side[0]), median(of_side[1]));
    near.push_back(low);
    far.push_back(high);
  }
  topology.near_cycles = median(near);
  topology.far_cycles = median(far);
}

// `reads`: how often the whole buffer is read in a pass.
std::vector<CliffPoint> read_curve(const std::vector<double>& took_ns, double reads) {
  std::vector<CliffPoint> curve;
  for (size_t i = 0; i < took_ns.size(); ++i) {
    const int64_t bytes = static_cast<int64_t>(i + 1) * kCliffStepBytes;
    curve.push_back({bytes, took_ns[i] > 0 ? static_cast<double>(bytes) * reads * kCliffPasses / took_ns[i] * 1e9 : 0});
  }
  return curve;
}

// Replaces the figure `key` of a section ("" : before all sections) in the text of a GPU file.
bool replace_figure(std::string& text, const std::string& section, const std::string& key, const std::string& figure) {
  size_t at = 0;
  if (!section.empty()) {
    at = text.find("\n[" + section + "]");
    if (at == std::string::npos) return false;
    ++at;
  }
  const size_t end_of_section = std::min(text.find("\n[", at), text.size());
  const size_t line = text.find("\n" + key + " = ", at);
  if (line >= end_of_section) return false;
  const size_t begin = line + 1, end = std::min(text.find('\n', begin), text.size());
  text.replace(begin, end - begin, key + " = " + figure);
  return true;
}

}  // namespace

int64_t find_cliff(const std::vector<CliffPoint>& curve) {
  if (curve.size() < 4) return 0;
  // The median of a point and its neighbours: single rates are noisy.
  std::vector<double> rates;
  for (size_t i = 1; i + 1 < curve.size(); ++i)
    rates.push_back(median({curve[i - 1].bytes_per_second, curve[i].bytes_per_second, curve[i + 1].bytes_per_second}));
  const double fast = *std::max_element(rates.begin(), rates.end());
  const double slow = median({rates.end() - static_cast<std::ptrdiff_t>((rates.size() + 3) / 4), rates.end()});
  if (slow > 0.9 * fast) return 0;
  int64_t cliff = 0;
  for (size_t i = 0; i < rates.size(); ++i) {
    if (rates[i] >= (fast + slow) / 2) cliff = curve[i + 1].bytes;
  }
  return cliff;
}

std::vector<int> split_sides(const std::vector<std::vector<double>>& latencies) {
  if (latencies.size() < 4) return {};
  // What is left of a latency without the unit's own mean and the line's own mean.
  std::vector<std::vector<double>> rest = latencies;
  const size_t lines = rest.front().size();
  for (auto& row : rest) {
    const double mean = std::accumulate(row.begin(), row.end(), 0.0) / static_cast<double>(lines);
    for (double& value : row) value -= mean;
  }
  for (size_t line = 0; line < lines; ++line) {
    double mean = 0;
    for (const auto& row : rest) mean += row[line] / static_cast<double>(rest.size());
    for (auto& row : rest) row[line] -= mean;
  }
  // The direction along which units differ most, by power iteration from the unit that differs most.
  const auto norm = [](const std::vector<double>& v) { return std::inner_product(v.begin(), v.end(), v.begin(), 0.0); };
  std::vector<double> direction =
      *std::max_element(rest.begin(), rest.end(), [&](const auto& a, const auto& b) { return norm(a) < norm(b); });
  double along = 0;
  for (int i = 0; i < 20; ++i) {
    std::vector<double> next(lines, 0.0);
    along = 0;
    const double length = std::sqrt(norm(direction));
    if (length == 0) return {};
    for (const auto& row : rest) {
      const double dot = std::inner_product(row.begin(), row.end(), direction.begin(), 0.0) / length;
      along += dot * dot;
      for (size_t line = 0; line < lines; ++line) next[line] += dot * row[line];
    }
    direction = next;
  }
  double all = 0;
  for (const auto& row : rest) all += norm(row);
  // Two sides explain most of what is left; noise explains little.
  if (along < 0.4 * all) return {};
  std::vector<int> side;
  for (const auto& row : rest)
    side.push_back(std::inner_product(row.begin(), row.end(), direction.begin(), 0.0) > 0 ? 1 : 0);
  if (side.front() == 1) {
    for (int& one : side) one = 1 - one;
  }
  return side;
}

Expected<Topology> read_topology(const std::vector<DeviceOutputs>& answers, runner::Api api) {
  const auto fits = [&](size_t index, size_t variants, std::initializer_list<size_t> sizes) {
    if (index >= answers.size() || answers[index].variants.size() != variants) return false;
    for (const auto& outputs : answers[index].variants) {
      if (!std::equal(outputs.begin(), outputs.end(), sizes.begin(), sizes.end(),
                      [](const auto& output, size_t size) { return output.size() == size; }))
        return false;
    }
    return true;
  };
  const auto units = answers.empty() ? size_t{0} : static_cast<size_t>(std::max(0, answers.front().compute_units));
  const size_t workgroups = units * kPlaceWaves;
  if (units == 0 || !fits(0, 1, {workgroups, workgroups, workgroups}) || !fits(1, 1, {units, units * kSideLines}) ||
      !fits(2, 2, {1, kCliffSteps}))
    return user_error("these are not the answers to the probes' jobs");
  Topology topology{.device = answers[0].device,
                    .api = api,
                    .compute_units = answers[0].compute_units,
                    .l2_bytes = answers[0].l2_bytes};
  read_place(answers[0].variants[0], topology);
  if (api == runner::Api::kCuda) read_sides(answers[1].variants[0], topology);
  topology.own = read_curve(answers[2].variants[0][1], 1);
  topology.shared = read_curve(answers[2].variants[1][1], topology.compute_units);
  topology.own_cliff_bytes = find_cliff(topology.own);
  topology.shared_cliff_bytes = find_cliff(topology.shared);
  return topology;
}

Expected<std::string> gpu_file(const Topology& topology, const std::string& base_text, const std::string& date) {
  std::string text = "\n" + base_text;
  const auto figure = [&](const std::string& value, const std::string& how) {
    return fmt::format("{{ value = {}, source = \"swizzleperf probe on {}, {}: {}\" }}", value, topology.device, date,
                       how);
  };
  // Modes belong to the base GPU: with another number of domains they would not fit.
  if (const size_t modes = text.find("\n[partitions]"); modes != std::string::npos)
    text.erase(modes, std::min(text.find("\n[", modes + 1), text.size()) - modes);
  bool done = replace_figure(text, "", "name", "\"" + topology.device + "\"");
  done &= replace_figure(text, "", "domains",
                         figure(std::to_string(topology.domains), "different XCC_ID of workgroups; 1 on NVIDIA"));
  done &= replace_figure(text, "", "cus_per_domain",
                         figure(std::to_string(topology.compute_units / topology.domains), "as the driver says"));
  const bool round_robin = topology.domains > 1 && topology.round_robin > 0.99;
  done &= replace_figure(text, "", "dispatch",
                         figure(round_robin ? "\"round_robin\"" : "\"single_queue\"",
                                fmt::format("{:.1f} % of the workgroups in turn, {:.1f} % began in launch order",
                                            100 * topology.round_robin, 100 * topology.in_launch_order)));
  const int64_t bytes = topology.domains > 1 ? topology.l2_bytes / topology.domains : topology.l2_bytes;
  done &=
      replace_figure(text, "l2", "bytes",
                     figure(std::to_string(bytes),
                            fmt::format("as the driver says; reads slow down beyond {} bytes of own data, {} of shared",
                                        topology.own_cliff_bytes, topology.shared_cliff_bytes)));
  if (topology.api == runner::Api::kCuda)
    done &= replace_figure(text, "l2", "partitions",
                           figure(topology.side_of_unit.empty() ? "1" : "2",
                                  fmt::format("latencies of atomics, near {:.0f} and far {:.0f} cycles",
                                              topology.near_cycles, topology.far_cycles)));
  if (!done) return user_error("the base GPU's file lacks a figure that was measured");
  return text.substr(1);
}

}  // namespace swizzleperf
