#include "history/schema.h"

#include <fmt/format.h>

#include <array>

namespace swizzleperf {
namespace {

constexpr int64_t kApplication = 0x53575A48;  // "SWZH" in PRAGMA application_id

// Never change a step that has been released: add one.
constexpr std::array kSteps = {
    // 1: runs, and what became of each map.
    R"(
CREATE TABLE runs(
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  started TEXT NOT NULL, finished TEXT, status TEXT NOT NULL,
  tool_version TEXT NOT NULL, case_file TEXT NOT NULL, case_name TEXT NOT NULL, variant TEXT NOT NULL,
  gpu TEXT NOT NULL, grid TEXT NOT NULL, proposer TEXT NOT NULL, seed INTEGER NOT NULL, evaluations INTEGER NOT NULL,
  problem TEXT NOT NULL, fingerprint TEXT NOT NULL,
  simulated INTEGER NOT NULL DEFAULT 0, verdict TEXT, reason TEXT);
CREATE TABLE candidates(
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL,
  name TEXT NOT NULL, proposer TEXT NOT NULL, map TEXT NOT NULL, normalised TEXT NOT NULL, every_grid INTEGER NOT NULL,
  why TEXT NOT NULL, outcome TEXT NOT NULL, instructions INTEGER NOT NULL, footprint REAL NOT NULL,
  near_fast REAL NOT NULL, near_slow REAL NOT NULL,
  PRIMARY KEY(run, number)) WITHOUT ROWID;
CREATE TABLE proofs(
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL,
  bijective INTEGER NOT NULL, identity INTEGER NOT NULL, permutation TEXT NOT NULL, fault TEXT NOT NULL,
  missing INTEGER, duplicated INTEGER, out_of_range INTEGER,
  PRIMARY KEY(run, number)) WITHOUT ROWID;
CREATE TABLE predictions(
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL,
  time_ms REAL NOT NULL, l2_hit_rate REAL NOT NULL, ceiling REAL NOT NULL, dram_read_bytes INTEGER NOT NULL,
  dram_write_bytes INTEGER NOT NULL, l2_miss_bytes INTEGER NOT NULL, llc_hit_rate REAL NOT NULL,
  llc_bytes INTEGER NOT NULL, balance REAL NOT NULL, compute_ms REAL NOT NULL, l2_ms REAL NOT NULL, llc_ms REAL NOT NULL,
  dram_ms REAL NOT NULL, index_ms REAL NOT NULL, tail REAL NOT NULL, bound TEXT NOT NULL,
  fabric_sectors INTEGER NOT NULL, fabric_hit_sectors INTEGER NOT NULL,
  time_has_compute INTEGER NOT NULL, domains TEXT NOT NULL,
  PRIMARY KEY(run, number)) WITHOUT ROWID;
)",
    // 2: what was said to language models and what it cost; what a GPU said.
    R"(
CREATE TABLE messages(
  run INTEGER NOT NULL REFERENCES runs(id), number INTEGER NOT NULL, recorded TEXT NOT NULL,
  round INTEGER NOT NULL, sample INTEGER NOT NULL, provider TEXT NOT NULL, model TEXT NOT NULL, prompt TEXT NOT NULL, reply TEXT NOT NULL,
  outcome TEXT NOT NULL, tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_usd REAL,
  milliseconds REAL NOT NULL,
  PRIMARY KEY(run, number)) WITHOUT ROWID;
CREATE TABLE measurements(
  id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL REFERENCES runs(id), recorded TEXT NOT NULL,
  map TEXT NOT NULL, device TEXT NOT NULL, result TEXT NOT NULL);
CREATE INDEX runs_by_gpu ON runs(gpu, id);
)"};

Expected<int64_t> version_of(Database& database) {
  // One statement, so that no other process's migration can fall between two of the answers.
  const auto rows = database.query(
      "SELECT user_version, application_id, (SELECT count(*) FROM sqlite_master) FROM pragma_user_version, "
      "pragma_application_id");
  if (!rows) return tl::unexpected(rows.error());
  const SqlRow& head = rows->front();
  const int64_t version = integer(head[0]);
  const int64_t application = integer(head[1]);
  const int64_t tables = integer(head[2]);
  if (application != kApplication && (tables > 0 || version != 0)) {
    return user_error("the file is a database of something else, not a history", {database.file().string()},
                      "name another file with --history FILE");
  }
  if (version > schema_version()) {
    return user_error(fmt::format("the history was written by a newer version of this program (schema {}, known: {})",
                                  version, schema_version()),
                      {database.file().string()}, "use that version, or name another file with --history FILE");
  }
  return version;
}

}  // namespace

int schema_version() {
  return static_cast<int>(kSteps.size());
}

Expected<void> migrate(Database& database, int version) {
  const auto before = version_of(database);
  if (!before) return tl::unexpected(before.error());
  if (*before >= version) return {};
  // Readers and one writer at a time do not wait for each other. Some file systems cannot; then they wait.
  if (auto mode = database.use_write_ahead_log(); !mode) return mode;
  return database.transaction([&]() -> Expected<void> {
    const auto now = version_of(database);  // another process may have been faster
    if (!now) return tl::unexpected(now.error());
    for (auto step = static_cast<size_t>(*now); step < static_cast<size_t>(version); ++step) {
      if (auto done = database.script(kSteps.at(step)); !done) return done;
    }
    if (*now >= version) return {};
    return database.script(fmt::format("PRAGMA application_id = {}; PRAGMA user_version = {}", kApplication, version));
  });
}

Expected<void> check_version(Database& database) {
  const auto version = version_of(database);
  if (!version) return tl::unexpected(version.error());
  if (*version == schema_version()) return {};
  return user_error(fmt::format("the history is of an older version (schema {})", *version), {database.file().string()},
                    "the next `optimize` that records there brings it up to date");
}

}  // namespace swizzleperf
