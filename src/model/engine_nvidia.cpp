#include <bit>

#include "model/engine.h"
#include "model/lru.h"
#include "model/set_index.h"

namespace swizzleperf {
namespace {

// The side that a line is at home on, by the parity of its address above the interleave: which hash the hardware uses
// is not known, only that it spreads lines evenly.
size_t home_of(int64_t line, int64_t granule_bytes, const GpuSpec& gpu) {
  const int64_t chunk = line * granule_bytes / gpu.l2.channel_interleave_bytes;
  return static_cast<size_t>(std::popcount(static_cast<uint64_t>(chunk)) & 1);
}

// Lines have a home side by an address hash: half of every object's lines on each side, a line by itself on one. A line
// is a sector here: sectors are fetched singly. What an object has at home h is node 2 * object + h on each side's
// lists; sizes count half lines, so that half of an odd object is whole.
class Machine {
 public:
  Machine(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order, ObjectTraffic* traffic,
          const Timing& timing)
      : stream_(stream),
        gpu_(gpu),
        order_(order),
        traffic_(traffic),
        units_(gpu.domains * gpu.cus_per_domain),
        waits_(timing.waits()),
        in_flight_(timing, stream.lines.size(), 1) {
    sides_ = static_cast<size_t>(sides_of(gpu).count);
    for (size_t s = 0; s < sides_; ++s)
      l2_.emplace_back(stream.lines.size() * 2, static_cast<size_t>(stream.lists), 2 * stream.list_lines);
    // Half of the unified L1 and shared memory, as an allowance for shared memory.
    l1_.assign(static_cast<size_t>(units_), SmallLru(gpu.l1.bytes / 2 / stream.granule_bytes));
    sizes_.resize(stream.lines.size() * 2);
    for (size_t n = 0; n < sizes_.size(); ++n) sizes_[n] = stream.lines[n / 2] * share(n / 2, n % 2);
    if (gpu.l1_pair_merge) pair_stamp_.assign(stream.lines.size(), -1);
    counts_.domains.resize(static_cast<size_t>(gpu.domains));
    slots_.emplace_back(static_cast<size_t>(units_ * occupancy), stream, timing, 0);
  }

  Counts run() {
    size_t next = 0;
    const auto next_tile = [&]() -> int32_t {
      while (next < order_.size()) {
        const int32_t tile = order_[next++];
        if (tile >= 0) return tile;
      }
      return -1;
    };
    while (slots_[0].round(next_tile, [&](size_t slot, int64_t phase) { return issue(slot, phase); })) ++round_;
    counts_.phases = slots_[0].issued();
    counts_.slot_rounds = slots_[0].rounds() * static_cast<int64_t>(slots_[0].size());
    count_workgroups();
    for (size_t s = 0; s < sides_; ++s) {
      for (int32_t node = 0; node < static_cast<int32_t>(sizes_.size()); ++node) {
        if (l2_[s].contains(node) && l2_[s].dirty(node) != 0) write_back(node);
      }
    }
    counts_.dram_read_bytes = read_units_ * gpu_.load_request_bytes / 2;
    counts_.l2_read_miss_bytes = counts_.dram_read_bytes;
    counts_.dram_write_bytes = counts_.l2_write_back_bytes;
    for (auto& domain : counts_.domains) domain.hits /= 2;
    counts_.fabric_requests /= 2;
    counts_.fabric_hits /= 2;
    return std::move(counts_);
  }

 private:
  void count_workgroups() {
    for (const int32_t tile : order_) counts_.domains[0].workgroups += tile >= 0 ? 1 : 0;
    const int64_t all = counts_.domains[0].workgroups;
    for (size_t d = 0; d < counts_.domains.size(); ++d)
      counts_.domains[d].workgroups = all / gpu_.domains + (static_cast<int64_t>(d) < all % gpu_.domains ? 1 : 0);
  }

  // The round in which the phase's loads are there; 0 where nobody waits.
  int64_t issue(size_t slot, int64_t phase) {
    const auto unit = static_cast<int64_t>(slot) % units_;
    SmallLru& l1 = l1_[static_cast<size_t>(unit)];
    for_each_touch(stream_, phase, [&](const Touch& touch) {
      if (!writes(touch.kind) && (l1.access(touch.object, touch.lines) || merged(unit, touch.object))) return;
      request(unit, touch);
    });
    int64_t ready = 0;
    if (!waits_) return ready;
    for_each_touch(stream_, phase, [&](const Touch& touch) {
      if (touch.kind != AccessKind::kStore) ready = std::max(ready, in_flight_.arrival(touch.object));
    });
    return ready;
  }

  // The two SMs of a TPC send requests for the same lines in the same round once.
  bool merged(int64_t unit, int32_t object) {
    if (pair_stamp_.empty()) return false;
    const int64_t stamp = round_ * units_ + unit / 2;
    int64_t& last = pair_stamp_[static_cast<size_t>(object)];
    if (last == stamp) return true;
    last = stamp;
    return false;
  }

  void request(int64_t unit, const Touch& touch) {
    const int64_t requests = writes(touch.kind) ? touch.first + touch.repeats : touch.first;
    const size_t side = sides_ == 2 && unit * 2 >= units_ ? 1 : 0;
    DomainPrediction& domain = counts_.domains[gpu_.domains == 2 ? side : 0];
    domain.requests += requests;
    const int64_t hits_before = domain.hits;
    const int64_t read_before = read_units_;
    ask_both_homes(touch, requests, side, domain);
    if (waits_ && read_units_ > read_before)
      in_flight_.fetch(touch.object, (read_units_ - read_before) * gpu_.load_request_bytes / 2, round_);
    if (traffic_ != nullptr) {
      const auto o = static_cast<size_t>(touch.object);
      traffic_->requests[o] += requests;
      traffic_->half_hits[o] += domain.hits - hits_before;
      traffic_->fetched[o] += (read_units_ - read_before) * gpu_.load_request_bytes / 2;
      traffic_->domains[o] |= uint64_t{1} << side;
    }
  }

  // How much of an object is at home on a side, in halves.
  int32_t share(size_t object, size_t home) const {
    if (stream_.line.empty()) return 1;
    return home_of(stream_.line[object], stream_.granule_bytes, gpu_) == home ? 2 : 0;
  }

  // Each home side answers for its share of the object, in halves of the requests: sums over both are twice the
  // requests.
  void ask_both_homes(const Touch& touch, int64_t all_requests, size_t side, DomainPrediction& domain) {
    const auto list = static_cast<size_t>(touch.list);
    for (size_t home = 0; home < 2; ++home) {
      const int32_t halves = share(static_cast<size_t>(touch.object), home);
      if (halves == 0) continue;
      const int32_t node = touch.object * 2 + static_cast<int32_t>(home);
      const size_t place = sides_ == 2 ? home : 0;
      const int64_t requests = halves * all_requests;
      if (writes(touch.kind)) {
        // Stores go home and fetch nothing; atomics fetch what is not there.
        domain.hits += requests;
        if (!use(place, node, list, true) && touch.kind == AccessKind::kAtomic) read_units_ += halves * touch.first;
        continue;
      }
      if (place == side) {
        if (use(place, node, list, false)) {
          domain.hits += requests;
        } else {
          read_units_ += halves * touch.first;
        }
        continue;
      }
      // Far: a copy on this side, else over the fabric from home. The profiler counts a fabric hit as no hit.
      if (l2_[side].contains(node)) {
        l2_[side].touch(node, list);
        domain.hits += requests;
        continue;
      }
      counts_.fabric_requests += halves * touch.first;
      if (use(place, node, list, false)) {
        counts_.fabric_hits += halves * touch.first;
      } else {
        read_units_ += halves * touch.first;
      }
      insert(side, node, list, false);
    }
  }

  // True when the node is on this side; it is the newest afterwards.
  bool use(size_t side, int32_t node, size_t list, bool stores) {
    if (l2_[side].contains(node)) {
      l2_[side].touch(node, list);
      if (stores) l2_[side].add_dirty(node, 1);
      return true;
    }
    insert(side, node, list, stores);
    return false;
  }

  void insert(size_t side, int32_t node, size_t list, bool dirty) {
    l2_[side].insert(node, list, sizes_, dirty ? 1 : 0, [&](int32_t evicted, uint32_t was_dirty) {
      if (was_dirty != 0) write_back(evicted);
    });
  }

  void write_back(int32_t node) {
    counts_.l2_write_back_bytes += sizes_[static_cast<size_t>(node)] * stream_.granule_bytes / 2;
  }

  const ObjectStream& stream_;
  const GpuSpec& gpu_;
  const Order& order_;
  ObjectTraffic* traffic_;
  int64_t units_;
  size_t sides_ = 1;
  std::vector<LruLists> l2_;
  std::vector<SmallLru> l1_;
  std::vector<int32_t> sizes_;
  std::vector<int64_t> pair_stamp_;
  bool waits_;
  InFlight in_flight_;
  std::vector<Slots> slots_;
  int64_t round_ = 0;
  int64_t read_units_ = 0;  // twice the requests that DRAM answers: each half object counts its object's requests
  Counts counts_;
};

}  // namespace

Counts simulate_sides(const ObjectStream& stream, const GpuSpec& gpu, int64_t occupancy, const Order& order,
                      ObjectTraffic* traffic, const Timing& timing) {
  return Machine(stream, gpu, occupancy, order, traffic, timing).run();
}

}  // namespace swizzleperf
