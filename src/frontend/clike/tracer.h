// Runs tiles for the inference of a whole workload, and keeps those that ran to their end. Private to the front end.
#pragma once

#include <map>
#include <vector>

#include "frontend/clike/infer.h"

namespace swizzleperf {

class Tracer {
 public:
  explicit Tracer(const TileTracer& tiles) : tiles_(tiles) {}

  // As TileTracer: nothing is kept.
  Expected<std::vector<TracedTile>> run(const std::vector<int64_t>& tiles, int64_t prefix) const {
    return tiles_.run(tiles, prefix);
  }
  // Traces whole those of these tiles that are not yet known. Unsupported where what a tile loads depends on which
  // tiles ran before it: then there are no footprints.
  Expected<void> need(const std::vector<int64_t>& tiles);
  // A tile that was needed before. The reference stays good.
  const Workload& whole(int64_t tile) const { return known_.at(tile); }
  size_t count() const { return known_.size(); }
  // Why what a tile stores depends on which tiles ran before it; empty where nothing shows that.
  const std::string& order_dependence() const { return order_dependence_; }

 private:
  Expected<void> compare_alone(int64_t tile);

  const TileTracer& tiles_;
  std::map<int64_t, Workload> known_;
  bool compared_ = false;  // one tile that uses results of atomic operations, alone and after others
  std::string order_dependence_;
};

}  // namespace swizzleperf
