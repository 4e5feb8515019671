// The analytic wave footprint: what the workgroups that run together touch, in macro objects (sets of lines that
// exactly the same tiles touch). Ranks orders in tens of microseconds; the object engine decides.
#pragma once

#include "model/objects.h"
#include "model/prediction.h"

namespace swizzleperf {

class FootprintModel {
 public:
  FootprintModel(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy);
  // Bytes that L2s fetch, with the busiest domain counted for all: lower is better.
  double cost(const Order& order) const;

 private:
  size_t domains_ = 1;
  bool round_robin_ = true;
  int64_t slots_ = 1;     // of a domain
  int64_t capacity_ = 0;  // of a domain's L2, in lines
  int64_t line_bytes_ = 128;
  std::vector<int64_t> weights_;     // by macro object: lines
  std::vector<int64_t> tile_begin_;  // compressed rows: the macro objects of each tile
  std::vector<int32_t> tile_macros_;
};

}  // namespace swizzleperf
