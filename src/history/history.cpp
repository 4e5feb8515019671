#include "history/history.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <set>

#include "history/fingerprint.h"
#include "history/rows.h"
#include "history/schema.h"

namespace swizzleperf {
namespace {

std::string now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

// The ranking of orders, about: time to three digits after the first, then the bytes moved, then what came first.
constexpr const char* kBestFirst =
    "CAST(printf('%.3e', p.time_ms) AS REAL), p.dram_read_bytes + p.dram_write_bytes + p.l2_miss_bytes, c.number";

SqlValue optional_real(const std::optional<double>& value) {
  return value ? SqlValue(*value) : SqlValue();
}
std::optional<double> real_if(const SqlValue& value) {
  return std::holds_alternative<std::monostate>(value) ? std::nullopt : std::optional(real(value));
}

}  // namespace

std::string default_history_file() {
  const auto variable = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value != nullptr ? value : "");
  };
  if (std::string file = variable("SWIZZLEPERF_HISTORY"); !file.empty()) return file;
  // The XDG base directory specification: a relative path there is to be ignored.
  if (const std::string state = variable("XDG_STATE_HOME"); state.starts_with('/'))
    return state + "/swizzleperf/history.db";
  if (const std::string home = variable("HOME"); home.starts_with('/'))
    return home + "/.local/state/swizzleperf/history.db";
  return {};
}

Expected<History> History::open(const std::filesystem::path& file) {
  auto database = Database::open(file, Database::Mode::kReadWrite);
  if (!database) return tl::unexpected(database.error());
  if (const auto status = migrate(*database); !status) return tl::unexpected(status.error());
  return History(std::move(*database));
}

Expected<History> History::open_to_read(const std::filesystem::path& file) {
  std::error_code ignored;
  if (!std::filesystem::exists(file, ignored))
    return user_error("there is no history yet", {file.string()}, "`swizzleperf optimize` records one");
  auto database = Database::open(file, Database::Mode::kReadOnly);
  if (!database) return tl::unexpected(database.error());
  if (const auto status = check_version(*database); !status) return tl::unexpected(status.error());
  return History(std::move(*database));
}

Expected<int64_t> History::begin(const RunInfo& info) {
  auto done = database_.run(
      "INSERT INTO runs(started, status, tool_version, case_file, case_name, variant, gpu, grid, proposer, seed, "
      "evaluations, problem, fingerprint) VALUES(?1, 'running', ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
      {now(), info.tool_version, info.case_file, info.case_name, info.variant, info.gpu, info.grid, info.proposer,
       info.seed, info.evaluations, info.problem, info.fingerprint});
  if (!done) return tl::unexpected(done.error());
  return database_.last_row();
}

Expected<void> History::record(int64_t run, const Tries& tries, size_t first, int simulated) {
  return database_.transaction([&]() -> Expected<void> {
    const auto count = database_.query("SELECT count(*) FROM candidates WHERE run = ?1", {run});
    if (!count) return tl::unexpected(count.error());
    int64_t number = integer(count->front().front());
    for (size_t i = first; i < tries.size(); ++i) {
      if (tries[i].outcome == Scored::Outcome::kPruned) continue;
      if (auto done = insert_try(database_, run, number++, tries[i]); !done) return done;
    }
    return database_.run("UPDATE runs SET simulated = ?2 WHERE id = ?1", {run, static_cast<int64_t>(simulated)});
  });
}

Expected<void> History::record_message(int64_t run, const Message& m) {
  return database_.run(
      "INSERT INTO messages SELECT ?1, count(*), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13 FROM messages "
      "WHERE run = ?1",
      {run, now(), m.round, m.sample, m.provider, m.model, m.prompt, m.reply, m.outcome, m.tokens_in, m.tokens_out,
       optional_real(m.cost_usd), m.milliseconds});
}

Expected<void> History::record_measurement(int64_t run, const StoredMeasurement& measurement) {
  return database_.run("INSERT INTO measurements(run, recorded, map, device, result) VALUES(?1, ?2, ?3, ?4, ?5)",
                       {run, now(), measurement.map, measurement.device, measurement.result});
}

Expected<void> History::finish(int64_t run, const std::string& status, const std::string& verdict,
                               const std::string& reason) {
  return database_.run("UPDATE runs SET finished = ?2, status = ?3, verdict = ?4, reason = ?5 WHERE id = ?1",
                       {run, now(), status, verdict, reason});
}

Expected<void> History::reopen(int64_t run) {
  return database_.run(
      "UPDATE runs SET finished = NULL, status = 'running', verdict = NULL, reason = NULL WHERE id = ?1", {run});
}

Expected<std::vector<Run>> History::select_runs(const std::string& condition, const std::vector<SqlValue>& values) {
  const auto rows = database_.query(
      "SELECT id, started, finished, status, verdict, reason, simulated, tool_version, case_file, case_name, variant, "
      "gpu, grid, proposer, seed, evaluations, problem, fingerprint, "
      "(SELECT count(*) FROM candidates c WHERE c.run = runs.id), "
      "(SELECT c.normalised FROM predictions p JOIN candidates c USING(run, number) WHERE p.run = runs.id ORDER BY " +
          std::string(kBestFirst) +
          " LIMIT 1), "
          "(SELECT min(time_ms) FROM predictions p WHERE p.run = runs.id), "
          "(SELECT p.time_ms FROM predictions p JOIN proofs f USING(run, number) WHERE p.run = runs.id AND f.identity "
          "LIMIT "
          "1) FROM runs " +
          condition,
      values);
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Run> runs;
  for (const SqlRow& r : *rows) {
    Run run{.id = integer(r[0]),
            .info = {.tool_version = text(r[7]),
                     .case_file = text(r[8]),
                     .case_name = text(r[9]),
                     .variant = text(r[10]),
                     .gpu = text(r[11]),
                     .grid = text(r[12]),
                     .proposer = text(r[13]),
                     .seed = integer(r[14]),
                     .evaluations = integer(r[15]),
                     .problem = text(r[16]),
                     .fingerprint = text(r[17])}};
    run.started = text(r[1]);
    run.finished = text(r[2]);
    run.status = text(r[3]);
    run.verdict = text(r[4]);
    run.reason = text(r[5]);
    run.simulated = integer(r[6]);
    run.candidates = integer(r[18]);
    run.best_map = text(r[19]);
    run.best_ms = real_if(r[20]);
    run.baseline_ms = real_if(r[21]);
    runs.push_back(std::move(run));
  }
  return runs;
}

Expected<std::vector<Run>> History::runs(int64_t limit) {
  return select_runs("ORDER BY id DESC LIMIT ?1", {limit});
}

Expected<Run> History::run(int64_t id) {
  auto found = select_runs("WHERE id = ?1", {id});
  if (!found) return tl::unexpected(found.error());
  if (found->empty())
    return user_error(fmt::format("the history has no run {}", id), {file().string()},
                      "`swizzleperf history list` shows the runs");
  return std::move(found->front());
}

Expected<Tries> History::tries(int64_t run) {
  return select_tries(database_, run);
}

Expected<std::vector<Message>> History::messages(int64_t run) {
  const auto rows = database_.query(
      "SELECT recorded, round, sample, provider, model, prompt, reply, outcome, tokens_in, tokens_out, cost_usd, "
      "milliseconds FROM messages WHERE run = ?1 ORDER BY number",
      {run});
  if (!rows) return tl::unexpected(rows.error());
  std::vector<Message> messages;
  for (const SqlRow& r : *rows) {
    messages.push_back({.round = integer(r[1]),
                        .sample = integer(r[2]),
                        .provider = text(r[3]),
                        .model = text(r[4]),
                        .prompt = text(r[5]),
                        .reply = text(r[6]),
                        .outcome = text(r[7]),
                        .tokens_in = integer(r[8]),
                        .tokens_out = integer(r[9]),
                        .cost_usd = real_if(r[10]),
                        .milliseconds = real(r[11]),
                        .recorded = text(r[0])});
  }
  return messages;
}

Expected<std::vector<StoredMeasurement>> History::measurements(int64_t run) {
  const auto rows =
      database_.query("SELECT map, device, result, recorded FROM measurements WHERE run = ?1 ORDER BY id", {run});
  if (!rows) return tl::unexpected(rows.error());
  std::vector<StoredMeasurement> result;
  for (const SqlRow& r : *rows) result.push_back({text(r[0]), text(r[1]), text(r[2]), text(r[3])});
  return result;
}

Expected<std::vector<EarlierMap>> History::nearest(const std::string& fingerprint, const std::string& gpu,
                                                   size_t count) {
  constexpr int64_t kNewestRuns = 500;
  constexpr int64_t kMapsOfARun = 4;
  constexpr double kTooFar = 6;      // six factors of two, or one whole share of a neighbour and two factors
  constexpr double kOtherGpu = 1.5;  // what worked on another GPU is worth less
  const auto wanted = parse_fingerprint(fingerprint);
  if (!wanted) return tl::unexpected(wanted.error());
  const auto rows = database_.query(
      "SELECT id, case_name, gpu, fingerprint FROM runs WHERE simulated > 1 ORDER BY id DESC LIMIT ?1", {kNewestRuns});
  if (!rows) return tl::unexpected(rows.error());
  std::vector<EarlierMap> near;
  for (const SqlRow& r : *rows) {
    const auto other = parse_fingerprint(text(r[3]));
    if (!other) continue;
    const double away = distance(*wanted, *other) + (text(r[2]) == gpu ? 0 : kOtherGpu);
    if (away <= kTooFar) near.push_back({integer(r[0]), text(r[1]), text(r[2]), {}, away, 0, 0});
  }
  std::sort(near.begin(), near.end(), [](const EarlierMap& a, const EarlierMap& b) {
    return std::tie(a.distance, b.run) < std::tie(b.distance, a.run);
  });
  std::vector<EarlierMap> result;
  std::set<std::string> known;
  for (const EarlierMap& run : near) {
    if (result.size() >= count) break;
    const auto maps = database_.query(
        "SELECT c.normalised, 1 - p.time_ms / b.time_ms, 1 - CAST(p.l2_miss_bytes AS REAL) / b.l2_miss_bytes "
        "FROM predictions p JOIN candidates c USING(run, number), "
        "(SELECT p.* FROM predictions p JOIN proofs f USING(run, number) WHERE p.run = ?1 AND f.identity LIMIT 1) b "
        "WHERE p.run = ?1 AND c.outcome = 'predicted' AND (p.time_ms < 0.99 * b.time_ms OR (p.time_ms < 1.001 * "
        "b.time_ms AND p.l2_miss_bytes < 0.98 * b.l2_miss_bytes)) ORDER BY " +
            std::string(kBestFirst) + " LIMIT ?2",
        {run.run, kMapsOfARun});
    if (!maps) return tl::unexpected(maps.error());
    for (const SqlRow& r : *maps) {
      if (result.size() >= count || !known.insert(text(r[0])).second) continue;
      result.push_back(run);
      result.back().map = text(r[0]);
      result.back().time_saved = real(r[1]);
      result.back().bytes_saved = real(r[2]);
    }
  }
  return result;
}

}  // namespace swizzleperf
