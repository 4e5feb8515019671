#include "cli/validation.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
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

// kernel -> map id -> measurements.
using Measurements = std::map<std::string, std::map<std::string, std::vector<double>>>;

Expected<Measurements> hit_rates(const Table& table) {
  if (auto status = table.require({"kernel", "config", "mapping_id", "l2_hit_before_pct", "l2_hit_after_pct"}); !status)
    return tl::unexpected(status.error());
  Measurements result;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto before = table.number(i, "l2_hit_before_pct"), after = table.number(i, "l2_hit_after_pct");
    if (!before) return tl::unexpected(before.error());
    if (!after) return tl::unexpected(after.error());
    auto& maps = result[table.text(i, "kernel") + "." + table.text(i, "config")];
    maps[kBaseline].push_back(*before);
    maps[table.text(i, "mapping_id")].push_back(*after);
  }
  return result;
}

Expected<Measurements> dram_reads(const Table& table) {
  if (auto status = table.require({"kernel", "order", "dram_read_bytes"}); !status)
    return tl::unexpected(status.error());
  Measurements result;
  for (size_t i = 0; i < table.size(); ++i) {
    const auto bytes = table.number(i, "dram_read_bytes");
    if (!bytes) return tl::unexpected(bytes.error());
    result[table.text(i, "kernel")][table.text(i, "order")].push_back(*bytes);
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
  const auto measured = set.metric == Metric::kDramReadBytes ? dram_reads(*table) : hit_rates(*table);
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
    for (const auto& [id, values] : rows) {
      ValidationMap map;
      map.row = {.kernel = name, .map = id, .core = core->erase({name, id}) > 0, .measured = values};
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
