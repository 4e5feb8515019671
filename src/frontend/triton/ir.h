// Triton IR as parsed from its text: functions of operations on named values. Operations are kept by name; what they
// mean is the evaluator's business, so that an operation nobody knows costs nothing until something depends on it.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/error.h"

namespace swizzleperf::triton {

struct Type {
  enum class Element : uint8_t {
    kInteger,     // i1 ... i64
    kFloat,       // f16, bf16, f32, f64, f8E4M3FN, ...
    kPointer,     // to `pointee`, a scalar; or to a tensor: a block pointer
    kDescriptor,  // a tensor descriptor, of blocks like `pointee`
    kOther,       // async tokens and the like
  };
  Element element = Element::kOther;
  int bits = 0;                // of an integer (index: 64) or a float
  bool brain = false;          // bf16
  bool tensor = false;         // of `shape`; a scalar otherwise
  std::vector<int64_t> shape;  // extents of a tensor
  std::shared_ptr<const Type> pointee;

  int64_t elements() const;       // of a tensor; 1 for a scalar
  int64_t element_bytes() const;  // as it lies in memory: i1 takes a byte, a pointer 8
  bool block_pointer() const { return element == Element::kPointer && pointee && pointee->tensor; }
};

// A value of an attribute, as far as anything here looks at it.
struct Attribute {
  std::string text;               // a word or a string
  std::vector<int64_t> integers;  // a whole number is a list of one
  std::vector<double> reals;      // of a floating constant
  bool dense = false;             // dense<...>: one figure for all elements, or one for each
};

struct Region;

struct Successor {
  std::string label;
  std::vector<int> operands;
};

struct Operation {
  std::string name;                // "tt.load"
  std::vector<std::string> words;  // bare words and strings between the name and the types: "slt", "acq_rel", "x"
  std::vector<int> operands;       // indices into Function::values
  std::vector<int> results;
  std::vector<std::pair<std::string, Attribute>> attributes;
  std::vector<Type> operand_types;  // as far as the text states them
  std::vector<Region> regions;
  std::vector<Successor> successors;
  std::vector<int> groups;  // how many operands each [...] list holds, in order
  std::string callee;
  std::string location;  // "#loc12", or the location itself
  int line = 0;          // in the text, from 1

  const Attribute* attribute(const std::string& key) const;
  bool has_word(const std::string& word) const;
};

struct Block {
  std::string label;  // empty for the first block of a region that names none
  std::vector<int> arguments;
  std::vector<Operation> operations;
};

struct Region {
  std::vector<Block> blocks;
};

struct Value {
  std::string name;  // without the %
  Type type;
};

struct Function {
  std::string name;
  bool is_public = false;
  int line = 0;
  std::vector<int> parameters;  // values
  std::vector<Type> results;
  std::vector<Value> values;
  Region body;
};

struct Module {
  std::string file;
  std::vector<Function> functions;
  std::map<std::string, std::string> locations;  // "#loc12" -> what stands between the parentheses of its loc(...)

  const Function* function(const std::string& name) const;
  // The place in the IR, for messages.
  Place place(const Operation& operation) const { return {file, operation.line}; }
  // "kernel.py:20" as the IR's locations tell; empty where they do not.
  std::string source_line(const Operation& operation) const;
};

// User error with file and line for what is not Triton IR.
Expected<Module> parse_ttir(const std::string& text, const std::string& file);

}  // namespace swizzleperf::triton
