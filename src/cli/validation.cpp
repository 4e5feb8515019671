#include "cli/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

#include "base/file.h"

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;

constexpr const char* kBaseline = "baseline";

// One line of a CSV file; cells may be quoted, a quote inside is doubled.
std::vector<std::string> split_line(const std::string& line) {
  std::vector<std::string> cells(1);
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quoted && c == '"' && i + 1 < line.size() && line[i + 1] == '"') {
      cells.back() += c;
      ++i;
    } else if (c == '"') {
      quoted = !quoted;
    } else if (c == ',' && !quoted) {
      cells.emplace_back();
    } else if (c != '\r') {
      cells.back() += c;
    }
  }
  return cells;
}

// Rows by column name.
class Table {
 public:
  static Expected<Table> read(const fs::path& file) {
    const auto content = read_file(file, size_t{16} << 20);
    if (!content) return tl::unexpected(content.error());
    Table table;
    table.file_ = file.string();
    std::istringstream lines(*content);
    std::string line;
    while (std::getline(lines, line)) {
      auto cells = split_line(line);
      if (table.header_.empty()) {
        table.header_ = std::move(cells);
        continue;
      }
      if (cells.size() != table.header_.size())
        return user_error(fmt::format("{} cells instead of {}", cells.size(), table.header_.size()),
                          table.place(table.rows_.size()));
      table.rows_.push_back(std::move(cells));
    }
    return table;
  }
  size_t size() const { return rows_.size(); }
  bool has(const std::string& column) const {
    return std::find(header_.begin(), header_.end(), column) != header_.end();
  }
  // Requires has(column).
  const std::string& text(size_t row, const std::string& column) const {
    return rows_[row][static_cast<size_t>(std::find(header_.begin(), header_.end(), column) - header_.begin())];
  }
  Expected<double> number(size_t row, const std::string& column) const {
    const std::string& cell = text(row, column);
    double value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size())
      return user_error(fmt::format("'{}' in the column '{}' is no number", cell, column), place(row));
    return value;
  }
  Expected<void> require(std::initializer_list<const char*> columns) const {
    for (const char* column : columns) {
      if (!has(column)) return user_error(fmt::format("the column '{}' is missing", column), {file_, 1, 0});
    }
    return {};
  }

 private:
  Place place(size_t row) const { return {file_, static_cast<int>(row) + 2, 0}; }
  std::string file_;
  std::vector<std::string> header_;
  std::vector<std::vector<std::string>> rows_;
};

// What was measured of one order.
struct Measured {
  std::vector<double> values;
  std::vector<double> gains;  // over the kernel's own order in the same session
  std::map<std::string, std::vector<double>> side_figures;
};
// kernel -> map id.
using Measurements = std::map<std::string, std::map<std::string, Measured>>;

// Hit rates and times before and after a map, one session a row.
Expected<Measurements> hit_rates(const Table& table) {
  if (auto status = table.require({"kernel", "config", "mapping_id", "l2_hit_before_pct", "l2_hit_after_pct"}); !status)
    return tl::unexpected(status.error());
  const bool timed = table.has("time_before_ms") && table.has("time_after_ms");
  Measurements result;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto before = table.number(i, "l2_hit_before_pct"), after = table.number(i, "l2_hit_after_pct");
    if (!before) return tl::unexpected(before.error());
    if (!after) return tl::unexpected(after.error());
    auto& maps = result[table.text(i, "kernel") + "." + table.text(i, "config")];
    Measured &own = maps[kBaseline], &mapped = maps[table.text(i, "mapping_id")];
    own.values.push_back(*before);
    own.gains.push_back(0);
    mapped.values.push_back(*after);
    mapped.gains.push_back(*after - *before);
    if (!timed) continue;
    const auto slow = table.number(i, "time_before_ms"), fast = table.number(i, "time_after_ms");
    if (!slow) return tl::unexpected(slow.error());
    if (!fast) return tl::unexpected(fast.error());
    own.side_figures[kTimeFigure].push_back(*slow);
    mapped.side_figures[kTimeFigure].push_back(*fast);
  }
  return result;
}

// Columns of measurements by order: the metric's, and side figures that the table may have.
Expected<Measurements> by_order(const Table& table, const char* value_column) {
  if (auto status = table.require({"kernel", "order", value_column}); !status) return tl::unexpected(status.error());
  constexpr std::pair<const char*, const char*> kSides[] = {{"time_ms_median", kTimeFigure},
                                                            {"l2_sector_hit_rate_pct", kSectorFigure},
                                                            {"l2_fabric_sectors", kFabricFigure},
                                                            {"llc_hit_pct", kLlcFigure}};
  Measurements result;
  for (size_t i = 0; i < table.size(); ++i) {
    Measured& measured = result[table.text(i, "kernel")][table.text(i, "order")];
    const auto value = table.number(i, value_column);
    if (!value) return tl::unexpected(value.error());
    measured.values.push_back(*value);
    for (const auto& [column, name] : kSides) {
      if (!table.has(column)) continue;
      const auto side = table.number(i, column);
      if (!side) return tl::unexpected(side.error());
      measured.side_figures[name].push_back(*side);
    }
  }
  return result;
}

// The first two words of each line that is no comment.
Expected<std::map<std::pair<std::string, std::string>, std::string>> word_pairs(const fs::path& file) {
  std::map<std::pair<std::string, std::string>, std::string> pairs;
  std::error_code ignored;
  if (!fs::exists(file, ignored)) return pairs;
  const auto content = read_file(file, size_t{1} << 20);
  if (!content) return tl::unexpected(content.error());
  std::istringstream lines(*content);
  std::string line;
  while (std::getline(lines, line)) {
    if (line.empty() || line[0] == '#') continue;
    std::istringstream words(line);
    std::string first, second, rest;
    words >> first >> second;
    std::getline(words >> std::ws, rest);
    pairs[{first, second}] = rest;
  }
  return pairs;
}

}  // namespace

Expected<ValidationSet> load_validation(const fs::path& folder) {
  ValidationSet set;
  set.gpu = fs::absolute(folder / "x").parent_path().filename().string();
  const auto table = Table::read(folder / "measured.csv");
  if (!table) return tl::unexpected(table.error());
  set.metric = table->has("dram_read_bytes") ? Metric::kDramReadBytes : Metric::kL2HitPercent;
  const auto measured = set.metric == Metric::kDramReadBytes ? by_order(*table, "dram_read_bytes")
                        : table->has("l2_hit_pct")           ? by_order(*table, "l2_hit_pct")
                                                             : hit_rates(*table);
  if (!measured) return tl::unexpected(measured.error());
  const auto maps = Table::read(folder / "maps.csv");
  if (!maps) return tl::unexpected(maps.error());
  if (auto status = maps->require({"id", "map"}); !status) return tl::unexpected(status.error());
  std::map<std::string, std::string> texts = {{kBaseline, ""}};
  for (size_t i = 0; i < maps->size(); ++i) texts[maps->text(i, "id")] = maps->text(i, "map");
  auto core = word_pairs(folder / "core.txt");
  if (!core) return tl::unexpected(core.error());
  auto left_out = word_pairs(folder / "left_out.txt");
  if (!left_out) return tl::unexpected(left_out.error());

  for (const auto& [name, rows] : *measured) {
    ValidationKernel kernel{.name = name, .case_file = folder / (name + ".toml"), .maps = {}};
    std::error_code ignored;
    if (!fs::exists(kernel.case_file, ignored)) kernel.case_file.clear();
    for (const auto& [id, what] : rows) {
      ValidationMap map;
      map.row = {.kernel = name, .map = id, .core = core->erase({name, id}) > 0, .measured = what.values};
      map.row.gains = what.gains;
      for (const auto& [figure, values] : what.side_figures)
        map.row.side_figures.push_back(
            {figure, std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size()), 0});
      const auto text = texts.find(id);
      if (kernel.case_file.empty() || text == texts.end()) {
        const auto one = left_out->find({name, id}), whole = left_out->find({name, "*"});
        map.row.left_out = one != left_out->end()     ? one->second
                           : whole != left_out->end() ? whole->second
                                                      : "no case file or no map";
      } else {
        map.text = text->second;
      }
      kernel.maps.push_back(std::move(map));
    }
    set.kernels.push_back(std::move(kernel));
  }
  if (!core->empty()) {
    const auto& [kernel, map] = core->begin()->first;
    return user_error(fmt::format("the core row '{} {}' was not measured", kernel, map),
                      {(folder / "core.txt").string()});
  }
  return set;
}

}  // namespace swizzleperf
