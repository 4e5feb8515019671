// Plan: a map as a chain of stages, each of which is a bijection of the launch ids by construction; so every chain is
// one, and so is what comes of cutting chains apart and joining them. The typed form that evolution works on.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace swizzleperf {

enum class StageKind : uint8_t {
  kDeal,          // (X): ids of the same residue mod X become a contiguous range
  kChunk,         // (X, C): the same by chunks of C ids
  kReverse,       // ()
  kRotate,        // (K): t + K mod n
  kRows,          // (N, o): a walk of a plane of rows of N tiles; o: 0 along rows, 1 along columns
  kSnake,         // (N, o): every other row backwards
  kGrouped,       // (N, o, w): w rows at a time, column by column inside
  kGroupedSnake,  // (N, o, w): every other group backwards
  kHilbert,       // (N, o)
  kMorton,        // (N, o)
  kDigits,        // (k, k extents, their order slowest first, k ways to walk them, skewed digit, by which digit or -1)
};

struct Stage {
  StageKind kind = StageKind::kReverse;
  std::vector<int64_t> parameters = {};
  bool operator==(const Stage&) const = default;
};

// How a digit is walked: as it is, backwards, first and last in turn, or backwards in every other step of the digit
// that is next slower in the order.
enum class DigitWalk : uint8_t { kPlain, kReversed, kFolded, kSnake };

// The fields of a kDigits stage.
struct DigitPlan {
  std::vector<int64_t> extents;  // slowest first in the tile id
  std::vector<int64_t> order;    // indices of extents, slowest first in time
  std::vector<int64_t> walks;    // DigitWalk by digit
  int64_t skewed = -1;           // the digit to which `by` is added, modulo its extent; -1: none
  int64_t by = -1;
  static DigitPlan of(const Stage& stage);
  Stage stage() const;
};

using Plan = std::vector<Stage>;

// Whether the parameters make sense on `n` workgroups: then map_of() is a bijection there.
bool valid(const Plan& plan, int64_t n);

// parse_plan(name_of(plan)) == plan. "deal(8).grouped(64,0,8)"
std::string name_of(const Plan& plan);
std::optional<Plan> parse_plan(const std::string& name);

// The map in the map language, for a grid of n workgroups. REQUIRES: valid(plan, n).
std::string map_of(const Plan& plan, int64_t n);

}  // namespace swizzleperf
