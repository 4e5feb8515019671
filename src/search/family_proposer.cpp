#include "search/family_proposer.h"

#include <algorithm>
#include <set>

#include "search/tile_digits.h"

namespace swizzleperf {
namespace {

constexpr int64_t kMapBudget = 64'000'000;  // launch ids evaluated in all: bounds the families on very large grids

// On a grid too large to evaluate all members, those with the most usual parameters.
std::vector<FamilyMember> affordable(std::vector<FamilyMember> members, int64_t grid_size) {
  const auto limit = static_cast<size_t>(std::max<int64_t>(24, kMapBudget / grid_size));
  if (members.size() <= limit) return members;
  std::vector<int> ranks;
  for (const auto& member : members) ranks.push_back(member.rank);
  std::nth_element(ranks.begin(), ranks.begin() + static_cast<long>(limit), ranks.end());
  const int highest = ranks[limit];
  std::vector<FamilyMember> kept;
  for (auto& member : members) {
    if (member.rank < highest || (member.rank == highest && kept.size() < limit)) kept.push_back(std::move(member));
  }
  return kept;
}

// Without a parameter, and no curve: those cost hundreds of instructions.
bool is_plain(const FamilyMember& member) {
  return member.rank == 0 && member.map.find("hilbert") == std::string::npos &&
         member.map.find("morton") == std::string::npos;
}

}  // namespace

FamilyRequest family_request(const Workload& workload, const GpuSpec& gpu) {
  TileDigits tile = find_tile_digits(workload);
  FamilyRequest request{.grid = workload.grid, .num_xcds = gpu.dispatch == Dispatch::kRoundRobin ? gpu.domains : 1};
  if (workload.grid.axes() == 1 && tile.digits.size() > 1) {
    request.tile_columns = tile.digits.back();
    request.tile_rows = workload.grid.size() / tile.digits.back();
  }
  request.digits = std::move(tile.digits);
  request.uneven_digit = tile.uneven;
  return request;
}

Expected<std::vector<Draft>> FamilyProposer::propose(const Tries& tries, int /*budget*/) {
  std::set<std::string> tried;
  for (const Scored& one : tries) {
    if (one.outcome != Scored::Outcome::kPruned) tried.insert(one.draft.map);
  }
  std::vector<Draft> drafts;
  for (auto& member : affordable(enumerate_families(family_request(workload_, gpu_)), workload_.grid.size())) {
    if (tried.count(member.map) > 0) continue;
    const bool plain = is_plain(member);
    drafts.push_back({.name = std::move(member.name),
                      .proposer = name(),
                      .map = std::move(member.map),
                      .every_grid = member.every_grid,
                      .plain = plain});
  }
  return drafts;
}

}  // namespace swizzleperf
