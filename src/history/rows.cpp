#include "history/rows.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace swizzleperf {
namespace {

using Json = nlohmann::json;

const char* name_of(Scored::Outcome outcome) {
  switch (outcome) {
    case Scored::Outcome::kPredicted:
      return "predicted";
    case Scored::Outcome::kRepeated:
      return "repeated";
    case Scored::Outcome::kPruned:
      return "pruned";
    case Scored::Outcome::kFault:
      break;
  }
  return "fault";
}

Scored::Outcome outcome_of(const std::string& name) {
  if (name == "predicted") return Scored::Outcome::kPredicted;
  return name == "repeated" ? Scored::Outcome::kRepeated : Scored::Outcome::kFault;
}

std::string to_hex(const PermutationId& id) {
  return fmt::format("{:016x}{:016x}", id[0], id[1]);
}

PermutationId from_hex(const std::string& hex) {
  PermutationId id = {0, 0};
  for (size_t i = 0; i < hex.size() && i < 32; ++i) {
    const char c = hex[i];
    const auto digit = static_cast<uint64_t>(c >= 'a' ? c - 'a' + 10 : c - '0');
    id.at(i / 16) = id.at(i / 16) << 4U | (digit & 0xFU);
  }
  return id;
}

std::string domains_text(const Prediction& prediction) {
  Json json = Json::array();
  for (const auto& domain : prediction.domains) json.push_back({domain.workgroups, domain.requests, domain.hits});
  return json.dump();
}

std::vector<DomainPrediction> parse_domains(const std::string& text) {
  std::vector<DomainPrediction> domains;
  const Json json = Json::parse(text, nullptr, false);
  for (const Json& one : json.is_array() ? json : Json::array()) {
    const auto numbers = one.is_array() && one.size() == 3 ? one.get<std::vector<int64_t>>() : std::vector<int64_t>(3);
    domains.push_back({numbers[0], numbers[1], numbers[2]});
  }
  return domains;
}

Expected<void> insert_proof(Database& database, int64_t run, int64_t number, const Scored& scored) {
  const MapReport* report = scored.fault && scored.fault->report ? &*scored.fault->report : nullptr;
  const auto count = [&](int64_t MapReport::* field) { return report ? SqlValue(report->*field) : SqlValue(); };
  return database.run("INSERT INTO proofs VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
                      {run, number, static_cast<int64_t>(!scored.fault), static_cast<int64_t>(scored.identity),
                       to_hex(scored.permutation), scored.fault ? describe(*scored.fault) : std::string(),
                       count(&MapReport::missing), count(&MapReport::duplicated), count(&MapReport::out_of_range)});
}

Expected<void> insert_prediction(Database& database, int64_t run, int64_t number, const Prediction& p) {
  return database.run(
      "INSERT INTO predictions VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, "
      "?19, ?20, ?21, ?22)",
      {run,
       number,
       p.time_ms,
       p.l2_hit_rate,
       p.ceiling,
       p.dram_read_bytes,
       p.dram_write_bytes,
       p.l2_miss_bytes,
       p.llc_hit_rate,
       p.llc_bytes,
       p.balance,
       p.compute_ms,
       p.l2_ms,
       p.llc_ms,
       p.dram_ms,
       p.index_ms,
       p.tail,
       p.bound,
       p.fabric_sectors,
       p.fabric_hit_sectors,
       static_cast<int64_t>(p.time_has_compute),
       domains_text(p)});
}

// The columns of predictions from `at` on, in the order of the table.
Prediction prediction_of(const SqlRow& row, size_t at) {
  Prediction p;
  for (double* field : {&p.time_ms, &p.l2_hit_rate, &p.ceiling}) *field = real(row[at++]);
  for (int64_t* field : {&p.dram_read_bytes, &p.dram_write_bytes, &p.l2_miss_bytes}) *field = integer(row[at++]);
  p.llc_hit_rate = real(row[at++]);
  p.llc_bytes = integer(row[at++]);
  for (double* field : {&p.balance, &p.compute_ms, &p.l2_ms, &p.llc_ms, &p.dram_ms, &p.index_ms, &p.tail})
    *field = real(row[at++]);
  p.bound = text(row[at++]);
  for (int64_t* field : {&p.fabric_sectors, &p.fabric_hit_sectors}) *field = integer(row[at++]);
  p.time_has_compute = integer(row[at++]) != 0;
  p.domains = parse_domains(text(row[at]));
  return p;
}

}  // namespace

Expected<void> insert_try(Database& database, int64_t run, int64_t number, const Scored& scored) {
  auto done =
      database.run("INSERT INTO candidates VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)",
                   {run, number, scored.draft.name, scored.draft.proposer, scored.draft.map, scored.map,
                    static_cast<int64_t>(scored.draft.every_grid), scored.draft.why, name_of(scored.outcome),
                    static_cast<int64_t>(scored.instructions), scored.footprint, scored.near_fast, scored.near_slow});
  if (done) done = insert_proof(database, run, number, scored);
  if (done && scored.prediction) done = insert_prediction(database, run, number, *scored.prediction);
  return done;
}

Expected<Tries> select_tries(Database& database, int64_t run) {
  const auto rows = database.query(
      "SELECT c.name, c.proposer, c.map, c.normalised, c.every_grid, c.why, c.outcome, c.instructions, c.footprint, "
      "c.near_fast, c.near_slow, f.identity, f.permutation, f.fault, p.run, p.time_ms, p.l2_hit_rate, p.ceiling, "
      "p.dram_read_bytes, p.dram_write_bytes, p.l2_miss_bytes, p.llc_hit_rate, p.llc_bytes, p.balance, p.compute_ms, "
      "p.l2_ms, p.llc_ms, p.dram_ms, p.index_ms, p.tail, p.bound, "
      "p.fabric_sectors, p.fabric_hit_sectors, p.time_has_compute, p.domains "
      "FROM candidates c JOIN proofs f USING(run, number) LEFT JOIN predictions p USING(run, number) "
      "WHERE c.run = ?1 ORDER BY c.number",
      {run});
  if (!rows) return tl::unexpected(rows.error());
  Tries tries;
  for (const SqlRow& r : *rows) {
    Scored one;
    one.draft = {.name = text(r[0]),
                 .proposer = text(r[1]),
                 .map = text(r[2]),
                 .every_grid = integer(r[4]) != 0,
                 .why = text(r[5])};
    one.map = text(r[3]);
    one.outcome = outcome_of(text(r[6]));
    one.instructions = static_cast<int>(integer(r[7]));
    one.footprint = real(r[8]);
    one.near_fast = real(r[9]);
    one.near_slow = real(r[10]);
    one.identity = integer(r[11]) != 0;
    one.permutation = from_hex(text(r[12]));
    if (one.outcome == Scored::Outcome::kFault) one.fault = Fault{{Blame::kUser, text(r[13])}, {}};
    if (integer(r[14]) != 0) one.prediction = prediction_of(r, 15);
    tries.push_back(std::move(one));
  }
  return tries;
}

}  // namespace swizzleperf
