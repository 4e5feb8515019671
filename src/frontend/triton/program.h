// A kernel ready to evaluate: calls are inlined, operations have codes, and only what addresses, masks and branches
// depend on is kept. Private to src/frontend/triton.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "frontend/triton/elementwise.h"
#include "frontend/triton/ir.h"

namespace swizzleperf::triton {

enum class Code : uint8_t {
  kUnknown,  // of no effect on memory that is known; its results stay unknown
  kNothing,  // prints, asserts, barriers
  kConstant,
  kProgramId,
  kNumPrograms,
  kRange,
  kInteger,
  kFloat,
  kAdd,
  kSubtract,
  kMultiply,
  kDivide,
  kRemainder,
  kCompare,
  kAnd,
  kSelect,
  kConvert,
  kAddPointer,
  kSplat,
  kExpand,
  kBroadcast,
  kTranspose,
  kReshape,
  kJoin,
  kSplit,
  kConcatenate,
  kGather,
  kReduce,
  kScan,
  kHistogram,
  kBlockPointer,
  kAdvance,
  kDescriptor,
  kLoad,
  kStore,
  kAtomic,
  kDescriptorLoad,
  kDescriptorStore,
  kDescriptorReduce,
  kDescriptorGather,
  kDescriptorScatter,
  kFor,
  kWhile,
  kIf,
  kCall,
  kBranch,
  kConditionalBranch,
  kYield,
  kCondition,
  kReturn,
};

bool is_access(Code code);

struct Node;

struct NodeBlock {
  std::string label;
  std::vector<int> arguments;
  std::vector<Node> nodes;
};
using NodeRegion = std::vector<NodeBlock>;

struct Target {
  int block = 0;  // index in the region
  std::vector<int> operands;
};

struct Node {
  Code code = Code::kUnknown;
  const Operation* operation = nullptr;
  std::vector<int> operands;  // indices into Program::types
  std::vector<int> results;
  std::vector<NodeRegion> regions;
  std::vector<Target> targets;  // of branches
  ElementFunction function = nullptr;
  Datum constant;            // of kConstant
  int site = -1;             // of an access: its number in the program
  bool cut = false;          // a load: what was loaded before it is waited for first
  bool result_used = false;  // of an atomic: anything looks at the old value
  bool touches = false;      // holds an access in its regions
  bool live = false;
};

struct Program {
  std::shared_ptr<const Module> module;
  std::string kernel;
  std::vector<Type> types;  // by value
  std::vector<int> parameters;
  std::vector<bool> relevant;  // by value: an address, a mask or a branch depends on it
  NodeRegion body;
  int sites = 0;
};

// User error where the module has no such public function; unsupported, with the line, for recursion and for regions
// with accesses in operations that are not known.
Expected<Program> build_program(std::shared_ptr<const Module> module, const std::string& kernel);

// The first operation whose operands, results or carried values have shapes that do not fit each other; null for none.
const Node* find_misfit(const Program& program);

// Marks what is relevant and live, and drops what is not.
void slice(Program& program);

// Sets Node::cut: a load begins a new phase where what was loaded before it in the phase has been used, by something
// that needs the figures themselves (a product, a reduction, a branch, an address), not only arithmetic that a compiler
// can move behind the load.
void cut_phases(Program& program);

}  // namespace swizzleperf::triton
