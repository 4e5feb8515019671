// Reads one function of the IR. Private to src/frontend/triton.
#pragma once

#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "frontend/triton/ir.h"
#include "frontend/triton/scanner.h"

namespace swizzleperf::triton {

// The types behind an operation's ':', before and behind its arrow.
struct TypeList {
  std::vector<Type> before;
  std::vector<Type> after;
  bool arrow = false;
};

// The types of an operation's results, as its text implies them.
std::vector<Type> result_types(const Operation& operation, const TypeList& types, const std::vector<Value>& values);

class FunctionParser {
 public:
  explicit FunctionParser(Scanner& scanner) : s_(scanner) {}
  // Behind the word tt.func.
  bool parse(Function& function);

 private:
  struct Named {
    int first = 0;
    int count = 0;
  };

  bool parameters();
  bool region(Region& region, std::vector<int> arguments);
  bool block_arguments(std::vector<int>& arguments);
  bool operation(Operation& operation);
  bool body(Operation& operation);
  bool soup(Operation& operation);
  bool soup_token(Operation& operation);
  bool generic(Operation& operation);
  bool generic_regions(Operation& operation);
  bool constant(Operation& operation);
  bool for_loop(Operation& operation);
  bool while_loop(Operation& operation);
  bool conditional(Operation& operation);
  bool branch(Operation& operation);
  bool call(Operation& operation);
  bool dictionary(Operation& operation);
  bool type_list(TypeList& types);
  bool parenthesised_types(std::vector<Type>& types);
  bool assignments(Operation& operation, std::vector<std::string>& names);
  bool operand(Operation& operation);
  bool operand_list(Operation& operation, char close);
  bool location(std::string& to);
  bool finish(Operation& operation, const TypeList& types);
  int define(const std::string& name, const Type& type, int count = 1);

  Scanner& s_;
  Function* function_ = nullptr;
  std::vector<std::pair<std::string, int>> result_names_;  // of the operation being read, with their counts
  std::unordered_map<std::string, Named> names_;
  std::vector<std::pair<std::string, Named>> shadowed_;  // what to restore at the end of a region; count 0: nothing
  int64_t operations_ = 0;
};

}  // namespace swizzleperf::triton
