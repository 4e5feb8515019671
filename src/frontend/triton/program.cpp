#include "frontend/triton/program.h"

#include <algorithm>
#include <map>

#include "base/nearest.h"

namespace swizzleperf::triton {
namespace {

constexpr int kMaxCallDepth = 64;
constexpr size_t kMaxValues = size_t{1} << 22;

Code special_code(const std::string& name) {
  static const std::map<std::string, Code> known = {
      {"arith.constant", Code::kConstant},
      {"tt.get_program_id", Code::kProgramId},
      {"tt.get_num_programs", Code::kNumPrograms},
      {"tt.make_range", Code::kRange},
      {"arith.addi", Code::kAdd},
      {"arith.subi", Code::kSubtract},
      {"arith.muli", Code::kMultiply},
      {"arith.divsi", Code::kDivide},
      {"arith.divui", Code::kDivide},
      {"arith.remsi", Code::kRemainder},
      {"arith.remui", Code::kRemainder},
      {"arith.cmpi", Code::kCompare},
      {"arith.andi", Code::kAnd},
      {"arith.select", Code::kSelect},
      {"arith.extsi", Code::kConvert},
      {"arith.extui", Code::kConvert},
      {"arith.trunci", Code::kConvert},
      {"arith.index_cast", Code::kConvert},
      {"arith.index_castui", Code::kConvert},
      {"arith.bitcast", Code::kConvert},
      {"tt.bitcast", Code::kConvert},
      {"tt.ptr_to_int", Code::kConvert},
      {"tt.int_to_ptr", Code::kConvert},
      {"tt.addptr", Code::kAddPointer},
      {"tt.splat", Code::kSplat},
      {"tt.unsplat", Code::kReshape},
      {"tt.expand_dims", Code::kExpand},
      {"tt.broadcast", Code::kBroadcast},
      {"tt.trans", Code::kTranspose},
      {"tt.reshape", Code::kReshape},
      {"tt.join", Code::kJoin},
      {"tt.split", Code::kSplit},
      {"tt.cat", Code::kConcatenate},
      {"tt.gather", Code::kGather},
      {"tt.reduce", Code::kReduce},
      {"tt.scan", Code::kScan},
      {"tt.histogram", Code::kHistogram},
      {"tt.make_tensor_ptr", Code::kBlockPointer},
      {"tt.advance", Code::kAdvance},
      {"tt.make_tensor_descriptor", Code::kDescriptor},
      {"tt.load", Code::kLoad},
      {"tt.store", Code::kStore},
      {"tt.atomic_rmw", Code::kAtomic},
      {"tt.atomic_cas", Code::kAtomic},
      {"tt.descriptor_load", Code::kDescriptorLoad},
      {"tt.experimental_descriptor_load", Code::kDescriptorLoad},
      {"tt.descriptor_store", Code::kDescriptorStore},
      {"tt.experimental_descriptor_store", Code::kDescriptorStore},
      {"tt.descriptor_reduce", Code::kDescriptorReduce},
      {"tt.descriptor_gather", Code::kDescriptorGather},
      {"tt.descriptor_scatter", Code::kDescriptorScatter},
      {"scf.for", Code::kFor},
      {"scf.while", Code::kWhile},
      {"scf.if", Code::kIf},
      {"tt.call", Code::kCall},
      {"cf.br", Code::kBranch},
      {"cf.cond_br", Code::kConditionalBranch},
      {"scf.yield", Code::kYield},
      {"tt.reduce.return", Code::kYield},
      {"tt.scan.return", Code::kYield},
      {"scf.condition", Code::kCondition},
      {"tt.return", Code::kReturn},
      {"tt.print", Code::kNothing},
      {"tt.assert", Code::kNothing},
      {"gpu.barrier", Code::kNothing},
      {"ttg.barrier", Code::kNothing},
      {"ttg.local_barrier", Code::kNothing},
      {"llvm.intr.assume", Code::kNothing},
  };
  const auto found = known.find(name);
  return found == known.end() ? Code::kUnknown : found->second;
}

// Lowers operations to nodes; calls are replaced by what they call.
class Builder {
 public:
  Builder(Program& program) : program_(program), module_(*program.module) {}

  Expected<void> run(const Function& function) {
    const int offset = instantiate(function);
    for (const int parameter : function.parameters) program_.parameters.push_back(offset + parameter);
    if (!region(function.body, program_.body, offset, 0)) return tl::unexpected(std::move(*error_));
    return {};
  }

 private:
  bool fail(const Operation& operation, std::string message) {
    if (!error_) error_ = Error{Blame::kUnsupported, std::move(message), module_.place(operation), {}};
    return false;
  }
  int instantiate(const Function& function) {
    const auto offset = static_cast<int>(program_.types.size());
    for (const Value& value : function.values) program_.types.push_back(value.type);
    return offset;
  }

  bool region(const Region& from, NodeRegion& to, int offset, int depth) {
    std::map<std::string, int> labels;
    for (const Block& block : from.blocks) labels.emplace(block.label, static_cast<int>(labels.size()));
    for (const Block& block : from.blocks) {
      NodeBlock& target = to.emplace_back();
      target.label = block.label;
      for (const int argument : block.arguments) target.arguments.push_back(offset + argument);
      for (const Operation& operation : block.operations) {
        if (!node(operation, target.nodes.emplace_back(), offset, depth, labels)) return false;
      }
    }
    return true;
  }

  bool node(const Operation& operation, Node& to, int offset, int depth, const std::map<std::string, int>& labels) {
    to.operation = &operation;
    for (const int operand : operation.operands) to.operands.push_back(offset + operand);
    for (const int result : operation.results) to.results.push_back(offset + result);
    to.code = special_code(operation.name);
    const std::string word = operation.words.empty() ? std::string() : operation.words.front();
    to.function = integer_function(operation.name, word);
    if (to.code == Code::kUnknown && to.function != nullptr) to.code = Code::kInteger;
    if (to.function == nullptr && (to.function = float_function(operation.name, word)) != nullptr)
      to.code = Code::kFloat;
    if (is_access(to.code)) to.site = program_.sites++;
    if (to.code == Code::kCall) return call(operation, to, depth);
    for (const Successor& successor : operation.successors) {
      const auto found = labels.find(successor.label);
      if (found == labels.end()) return fail(operation, "a branch to ^" + successor.label + ", which is not there");
      Target& target = to.targets.emplace_back();
      target.block = found->second;
      for (const int operand : successor.operands) target.operands.push_back(offset + operand);
    }
    for (const Region& inner : operation.regions) {
      if (!region(inner, to.regions.emplace_back(), offset, depth)) return false;
    }
    to.touches = touches_memory(to.regions);
    if (to.code == Code::kUnknown && to.touches)
      return fail(operation, "accesses inside " + operation.name + " are not followed");
    return well_formed(operation, to);
  }

  static bool touches_memory(const std::vector<NodeRegion>& regions) {
    for (const NodeRegion& region : regions) {
      for (const NodeBlock& block : region) {
        for (const Node& node : block.nodes) {
          if (is_access(node.code) || touches_memory(node.regions)) return true;
        }
      }
    }
    return false;
  }

  // Later passes rely on the number of operands and regions.
  bool well_formed(const Operation& operation, const Node& node) {
    const auto needs = [&](size_t operands, size_t results) {
      return (node.operands.size() >= operands && node.results.size() <= results) ||
             fail(operation, operation.name + " has operands or results that it does not have in Triton IR");
    };
    switch (node.code) {
      case Code::kInteger:
      case Code::kFloat:
      case Code::kSplat:
      case Code::kExpand:
      case Code::kBroadcast:
      case Code::kTranspose:
      case Code::kReshape:
      case Code::kConvert:
      case Code::kLoad:
      case Code::kDescriptorLoad:
      case Code::kHistogram:
      case Code::kConditionalBranch:
      case Code::kCondition:
      case Code::kIf:
        return needs(1, SIZE_MAX);
      case Code::kAdd:
      case Code::kSubtract:
      case Code::kMultiply:
      case Code::kDivide:
      case Code::kRemainder:
      case Code::kCompare:
      case Code::kAnd:
      case Code::kAddPointer:
      case Code::kStore:
      case Code::kAtomic:
      case Code::kDescriptorStore:
      case Code::kDescriptorReduce:
      case Code::kDescriptorGather:
      case Code::kDescriptorScatter:
      case Code::kJoin:
      case Code::kConcatenate:
      case Code::kGather:
        return needs(2, 1);
      case Code::kSelect:
      case Code::kFor:
        return needs(3, SIZE_MAX);
      case Code::kSplit:
        return needs(1, 2);
      default:
        return true;
    }
  }

  bool call(const Operation& operation, Node& to, int depth) {
    const Function* callee = module_.function(operation.callee);
    if (callee == nullptr || callee->body.blocks.empty())
      return fail(operation, "a call of @" + operation.callee + ", which is not in the IR");
    if (depth >= kMaxCallDepth) return fail(operation, "calls are nested too deeply: recursion is not supported");
    if (program_.types.size() + callee->values.size() > kMaxValues)
      return fail(operation, "the calls make the kernel too long");
    if (callee->parameters.size() != to.operands.size())
      return fail(operation, "@" + operation.callee + " takes another number of arguments");
    const int offset = instantiate(*callee);
    return region(callee->body, to.regions.emplace_back(), offset, depth + 1);
  }

  Program& program_;
  const Module& module_;
  std::optional<Error> error_;
};

}  // namespace

namespace {

// Atomics whose old value anything looks at.
class UseMarker {
 public:
  explicit UseMarker(size_t values) : used_(values, false) {}
  void mark(NodeRegion& body) {
    each(body, [&](Node& node) {
      for (const int operand : node.operands) used_[static_cast<size_t>(operand)] = true;
      for (const Target& target : node.targets) {
        for (const int operand : target.operands) used_[static_cast<size_t>(operand)] = true;
      }
    });
    each(body, [&](Node& node) {
      for (const int result : node.results) node.result_used = node.result_used || used_[static_cast<size_t>(result)];
    });
  }

 private:
  template <class Visit>
  void each(NodeRegion& region, const Visit& visit) {
    for (NodeBlock& block : region) {
      for (Node& node : block.nodes) {
        visit(node);
        for (NodeRegion& inner : node.regions) each(inner, visit);
      }
    }
  }
  std::vector<bool> used_;
};

}  // namespace

bool is_access(Code code) {
  return code >= Code::kLoad && code <= Code::kDescriptorScatter;
}

Expected<Program> build_program(std::shared_ptr<const Module> module, const std::string& kernel) {
  const Function* function = module->function(kernel);
  if (function == nullptr || function->body.blocks.empty()) {
    std::vector<std::string> names;
    for (const Function& one : module->functions) {
      if (one.is_public) names.push_back(one.name);
    }
    return user_error("the IR has no function '" + kernel + "'", {module->file}, known_names(kernel, names));
  }
  Program program;
  program.module = module;
  program.kernel = kernel;
  if (auto status = Builder(program).run(*function); !status) return tl::unexpected(status.error());
  if (const Node* wrong = find_misfit(program))
    return user_error(wrong->operation->name + ": shapes, operands or results that do not fit each other",
                      module->place(*wrong->operation), "this is no Triton IR as Triton writes it");
  UseMarker(program.types.size()).mark(program.body);
  cut_phases(program);
  slice(program);
  return program;
}

}  // namespace swizzleperf::triton
