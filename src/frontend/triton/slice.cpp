// The backward slice: what addresses, masks and branches depend on.
#include <algorithm>
#include <unordered_map>

#include "frontend/triton/program.h"

namespace swizzleperf::triton {
namespace {

// "If `to` is needed, so is `from`". Beside the values there is one vertex for each operation with regions: whether it
// has to run at all, which needs its condition or its bounds.
class Slicer {
 public:
  explicit Slicer(Program& program) : program_(program), needs_(program.types.size()) {}

  void run() {
    const int root = new_vertex();
    region(program_.body, root, {}, {});
    require(root);
    for (const int one : roots_) require(one);
    program_.relevant.assign(needed_.begin(), needed_.begin() + static_cast<long>(program_.types.size()));
    prune(program_.body);
  }

 private:
  int new_vertex() {
    needs_.emplace_back();
    return static_cast<int>(needs_.size()) - 1;
  }
  void edge(int to, int from) { needs_[static_cast<size_t>(to)].push_back(from); }
  void edges(const std::vector<int>& to, const std::vector<int>& from) {
    for (size_t i = 0; i < std::min(to.size(), from.size()); ++i) edge(to[i], from[i]);
  }

  void require(int first) {
    needed_.resize(needs_.size(), false);
    std::vector<int> open = {first};
    while (!open.empty()) {
      const auto now = static_cast<size_t>(open.back());
      open.pop_back();
      if (needed_[now]) continue;
      needed_[now] = true;
      open.insert(open.end(), needs_[now].begin(), needs_[now].end());
    }
  }

  // `control`: the vertex of the operation that runs the region. What a region yields flows to `yields` and `more`.
  void region(NodeRegion& region, int control, const std::vector<int>& yields, const std::vector<int>& more) {
    for (NodeBlock& block : region) {
      if (region.size() > 1) {
        for (const int argument : block.arguments) edge(argument, control);
      }
      for (Node& node : block.nodes) {
        switch (node.code) {
          case Code::kYield:
          case Code::kReturn:
            edges(yields, node.operands);
            edges(more, node.operands);
            break;
          case Code::kCondition: {
            edge(control, node.operands.front());
            const std::vector<int> carried(node.operands.begin() + 1, node.operands.end());
            edges(yields, carried);
            edges(more, carried);
            break;
          }
          case Code::kBranch:
          case Code::kConditionalBranch:
            if (node.code == Code::kConditionalBranch) edge(control, node.operands.front());
            for (const Target& target : node.targets)
              edges(region[static_cast<size_t>(target.block)].arguments, target.operands);
            break;
          default:
            visit(node, control);
        }
      }
    }
  }

  void visit(Node& node, int control) {
    if (is_access(node.code)) return access(node, control);
    if (node.code == Code::kUnknown || node.code == Code::kNothing) return;
    if (node.regions.empty()) {
      for (const int result : node.results) {
        for (const int operand : node.operands) edge(result, operand);
      }
      return;
    }
    const int own = new_vertex();
    controls_.emplace(&node, own);
    edge(own, control);
    for (const int result : node.results) edge(result, own);
    structured(node, own);
  }

  void access(const Node& node, int control) {
    roots_.push_back(control);
    // Everything but what is written, which no address depends on.
    for (size_t i = 0; i < node.operands.size(); ++i) {
      const bool written = (node.code == Code::kStore && i == 1) ||
                           (node.code == Code::kAtomic && written_by(node, i)) ||
                           (stores_block(node.code) && i + 1 == node.operands.size());
      const bool other = node.code == Code::kLoad && i == 2;
      if (other) {
        for (const int result : node.results) edge(result, node.operands[i]);
      } else if (!written) {
        roots_.push_back(node.operands[i]);
      }
    }
  }
  static bool stores_block(Code code) {
    return code == Code::kDescriptorStore || code == Code::kDescriptorReduce || code == Code::kDescriptorScatter;
  }
  static bool written_by(const Node& node, size_t operand) {
    return operand == 1 || (operand == 2 && node.operation->name == "tt.atomic_cas");
  }

  void structured(Node& node, int own) {
    const auto tail = [&](size_t from) {
      return std::vector<int>(node.operands.begin() + static_cast<long>(from), node.operands.end());
    };
    const std::vector<int>& first = node.regions.front().front().arguments;
    switch (node.code) {
      case Code::kFor: {
        for (size_t i = 0; i < 3; ++i) {
          edge(own, node.operands[i]);
          if (!first.empty()) edge(first.front(), node.operands[i]);
        }
        const std::vector<int> carried(first.begin() + (first.empty() ? 0 : 1), first.end());
        edges(carried, tail(3));
        edges(node.results, tail(3));
        edges(node.results, carried);
        region(node.regions.front(), own, carried, node.results);
        break;
      }
      case Code::kWhile:
        edges(first, tail(0));
        if (node.regions.size() < 2) break;
        region(node.regions[0], own, node.regions[1].front().arguments, node.results);
        region(node.regions[1], own, first, {});
        break;
      case Code::kIf:
        edge(own, node.operands.front());
        for (NodeRegion& inner : node.regions) region(inner, own, node.results, {});
        break;
      case Code::kCall:
        edges(first, tail(0));
        region(node.regions.front(), own, node.results, {});
        break;
      default:  // a reduction: its region is applied to whatever the operands hold
        for (const int result : node.results) {
          for (const int operand : node.operands) edge(result, operand);
          for (const NodeBlock& block : node.regions.front()) {
            for (const int argument : block.arguments) edge(result, argument);
          }
        }
        region(node.regions.front(), own, node.results, {});
    }
  }

  void prune(NodeRegion& region) {
    for (NodeBlock& block : region) {
      for (Node& node : block.nodes) node.live = lives(node);
      std::erase_if(block.nodes, [](const Node& node) { return !node.live; });
      for (Node& node : block.nodes) {
        for (NodeRegion& inner : node.regions) prune(inner);
      }
    }
  }
  bool lives(const Node& node) const {
    if (is_access(node.code)) return true;
    switch (node.code) {
      case Code::kYield:
      case Code::kReturn:
      case Code::kCondition:
      case Code::kBranch:
      case Code::kConditionalBranch:
        return true;
      case Code::kNothing:
        return false;
      default:
        break;
    }
    const auto found = controls_.find(&node);
    if (found != controls_.end() && needed_[static_cast<size_t>(found->second)]) return true;
    return std::any_of(node.results.begin(), node.results.end(),
                       [&](int r) { return needed_[static_cast<size_t>(r)]; });
  }

  Program& program_;
  std::vector<std::vector<int>> needs_;
  std::vector<bool> needed_;
  std::vector<int> roots_;
  std::unordered_map<const Node*, int> controls_;
};

// Follows what is loaded to what waits for it, in the order of the text.
class PhaseCutter {
 public:
  explicit PhaseCutter(size_t values) : loaded_in_(values, 0) {}
  void region(NodeRegion& region) {
    for (NodeBlock& block : region) {
      for (Node& node : block.nodes) visit(node);
    }
  }

 private:
  bool pending(int value) const { return loaded_in_[static_cast<size_t>(value)] == group_; }
  bool any_pending(const std::vector<int>& values) const {
    return std::any_of(values.begin(), values.end(), [&](int v) { return pending(v); });
  }
  static bool waits(Code code, const std::string& name) {
    switch (code) {
      case Code::kReduce:
      case Code::kScan:
      case Code::kHistogram:
      case Code::kGather:
      case Code::kIf:
      case Code::kWhile:
      case Code::kFor:
      case Code::kConditionalBranch:
      case Code::kCondition:
        return true;
      default:
        return is_access(code) || name.rfind("tt.dot", 0) == 0;
    }
  }

  void visit(Node& node) {
    const bool uses = any_pending(node.operands);
    const bool load =
        node.code == Code::kLoad || node.code == Code::kDescriptorLoad || node.code == Code::kDescriptorGather;
    if (uses && waits(node.code, node.operation->name)) waited_ = true;
    if (load && waited_) {
      node.cut = true;
      ++group_;
      waited_ = false;
    }
    const bool loop = node.code == Code::kFor || node.code == Code::kWhile;
    if (loop) next_group();
    for (NodeRegion& inner : node.regions) region(inner);
    if (loop) next_group();
    if (load || (uses && !waits(node.code, node.operation->name))) {
      for (const int result : node.results) loaded_in_[static_cast<size_t>(result)] = group_;
    }
  }
  // A loop begins and ends with phases of its own.
  void next_group() {
    ++group_;
    waited_ = false;
  }

  std::vector<int> loaded_in_;
  int group_ = 1;
  bool waited_ = false;
};

}  // namespace

void slice(Program& program) {
  Slicer(program).run();
}

void cut_phases(Program& program) {
  PhaseCutter(program.types.size()).region(program.body);
}

}  // namespace swizzleperf::triton
