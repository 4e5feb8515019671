// The parser of the map language: recursive descent over C's precedence, straight into the register program.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "swizzle/grammar.h"
#include "swizzle/lexer.h"
#include "swizzle/program.h"

namespace swizzleperf {
namespace detail {
namespace {

constexpr size_t kMaxOperations = 4096;

class Parser {
 public:
  Parser(std::vector<Token> tokens, std::string file) : tokens_(std::move(tokens)) {
    program_.file_name = std::move(file);
  }

  Expected<Program> run_statements() {
    while (current().kind != Token::Kind::kEnd) {
      if (current().kind == Token::Kind::kSeparator) {
        ++at_;
        continue;
      }
      if (auto status = assignment(); !status) return tl::unexpected(status.error());
      if (current().kind != Token::Kind::kEnd && current().kind != Token::Kind::kSeparator) {
        return error(current(),
                     fmt::format("expected an operator or the end of the statement before '{}'", current().text));
      }
    }
    if (auto status = finish_results(); !status) return tl::unexpected(status.error());
    finish();
    return std::move(program_);
  }

  Expected<Program> run_expression() {
    single_expression_ = true;
    skip_newlines();
    const auto node = conditional();
    if (!node) return tl::unexpected(node.error());
    skip_newlines();
    if (current().kind != Token::Kind::kEnd)
      return error(current(), fmt::format("expected the end of the expression before '{}'", current().text));
    program_.results[0] = value(*node);
    finish();
    return std::move(program_);
  }

 private:
  const Token& current() const { return tokens_[at_]; }
  bool is_symbol(const char* text) const { return current().kind == Token::Kind::kSymbol && current().text == text; }
  int value(int node) const { return program_.nodes[static_cast<size_t>(node)].value; }
  // A newline after an operator does not end the statement; a ';' does.
  void skip_newlines() {
    while (current().kind == Token::Kind::kSeparator && current().text == "\n") ++at_;
  }
  tl::unexpected<Error> error(const Token& token, std::string message, std::string advice = {}) const {
    return user_error(std::move(message), {program_.file_name, token.line, token.column}, std::move(advice));
  }

  Expected<int> emit(Operation operation, const Token& token) {
    if (program_.operations.size() >= kMaxOperations)
      return error(token, fmt::format("the map has more than {} operations", kMaxOperations));
    operation.mask = mask_;
    operation.line = token.line;
    operation.column = token.column;
    program_.operations.push_back(operation);
    return static_cast<int>(program_.operations.size()) - 1;
  }

  Expected<int> add_node(Node node, Operation operation, const Token& token) {
    const auto result = emit(operation, token);
    if (!result) return result;
    node.value = *result;
    program_.nodes.push_back(std::move(node));
    return static_cast<int>(program_.nodes.size()) - 1;
  }

  Expected<void> assignment() {
    const Token name = current();
    if (name.kind != Token::Kind::kName)
      return error(name, fmt::format("expected an assignment such as 'pid = ...' before '{}'", name.text));
    ++at_;
    if (!is_symbol("=")) return error(current(), fmt::format("expected '=' after '{}'", name.text));
    if (is_reserved_input(name.text))
      return error(name, fmt::format("'{}' is an input and cannot be assigned", name.text));
    if (std::any_of(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return name.text == f.name; })) {
      return error(name, fmt::format("'{}' is a function and cannot be assigned", name.text));
    }
    if (outside_names_.count(name.text) > 0)
      return error(name, fmt::format("'{}' was read before it is assigned here", name.text));
    ++at_;
    skip_newlines();
    const auto node = conditional();
    if (!node) return tl::unexpected(node.error());
    variables_[name.text] = value(*node);
    program_.assignments.push_back({name.text, *node});
    return {};
  }

  // Nesting is counted where recursion happens, so that no input overflows the stack.
  Expected<int> conditional() {
    if (++nesting_ > kMaxNesting) return error(current(), fmt::format("nested deeper than {} levels", kMaxNesting));
    auto result = conditional_inner();
    --nesting_;
    return result;
  }

  Expected<int> conditional_inner() {
    auto condition = logical("||");
    if (!condition || !is_symbol("?")) return condition;
    const Token token = current();
    ++at_;
    skip_newlines();
    const auto taken = truth(*condition, token, true);
    if (!taken) return taken;
    auto then_node = under_mask(*taken, token, [&] { return conditional(); });
    if (!then_node) return then_node;
    skip_newlines();
    if (!is_symbol(":")) return error(current(), "expected ':' of '?:'");
    ++at_;
    skip_newlines();
    const auto skipped = truth(*condition, token, false);
    if (!skipped) return skipped;
    auto else_node = under_mask(*skipped, token, [&] { return conditional(); });
    if (!else_node) return else_node;
    Node node{
        .kind = Node::Kind::kConditional, .text = "?:", .literal = 0, .children = {*condition, *then_node, *else_node}};
    return add_node(std::move(node),
                    {.op = Op::kSelect, .a = value(*condition), .b = value(*then_node), .c = value(*else_node)}, token);
  }

  // || and &&: the right operand is evaluated only where the left one does not decide.
  Expected<int> logical(const std::string& op) {
    const bool is_or = op == "||";
    auto left = is_or ? logical("&&") : binary(3);
    while (left && is_symbol(op.c_str())) {
      const Token token = current();
      ++at_;
      skip_newlines();
      const auto needed = truth(*left, token, !is_or);
      if (!needed) return needed;
      auto right = under_mask(*needed, token, [&] { return is_or ? logical("&&") : binary(3); });
      if (!right) return right;
      const auto right_truth = under_mask(*needed, token, [&] { return truth(*right, token, true); });
      if (!right_truth) return right_truth;
      const auto decided = emit({.op = Op::kConstant, .constant = is_or ? 1 : 0}, token);
      if (!decided) return decided;
      Node node{.kind = Node::Kind::kBinary, .text = op, .literal = 0, .children = {*left, *right}};
      left = add_node(std::move(node), {.op = Op::kSelect, .a = *needed, .b = *right_truth, .c = *decided}, token);
    }
    return left;
  }

  // A register that is 1 where the node is non-zero (or zero, if not `wanted`).
  Expected<int> truth(int node, const Token& token, bool wanted) {
    const auto zero = emit({.op = Op::kConstant, .constant = 0}, token);
    if (!zero) return zero;
    return emit({.op = wanted ? Op::kNe : Op::kEq, .a = value(node), .b = *zero}, token);
  }

  template <class Parse>
  Expected<int> under_mask(int condition, const Token& token, Parse parse) {
    const int outer = mask_;
    if (outer != kNoRegister) {
      const auto both = emit({.op = Op::kAnd, .a = outer, .b = condition}, token);
      if (!both) return both;
      mask_ = *both;
    } else {
      mask_ = condition;
    }
    auto result = parse();
    mask_ = outer;
    return result;
  }

  Expected<int> binary(int lowest) {
    auto left = unary();
    while (left) {
      const Token token = current();
      const int level = token.kind == Token::Kind::kSymbol ? precedence(token.text) : 0;
      if (level < std::max(lowest, 3)) break;
      ++at_;
      skip_newlines();
      auto right = binary(level + 1);
      if (!right) return right;
      const auto* entry = std::find_if(kOperators.begin(), kOperators.end(),
                                       [&](const BinaryOperator& o) { return token.text == o.text; });
      Node node{.kind = Node::Kind::kBinary, .text = token.text, .literal = 0, .children = {*left, *right}};
      left = add_node(std::move(node), {.op = entry->op, .a = value(*left), .b = value(*right)}, token);
    }
    return left;
  }

  Expected<int> unary() {
    const Token token = current();
    const bool is_operator = token.kind == Token::Kind::kSymbol &&
                             (token.text == "-" || token.text == "+" || token.text == "~" || token.text == "!");
    if (!is_operator) return primary();
    if (++nesting_ > kMaxNesting) return error(token, fmt::format("nested deeper than {} levels", kMaxNesting));
    ++at_;
    skip_newlines();
    auto operand = unary();
    --nesting_;
    if (!operand || token.text == "+") return operand;
    const Op op = token.text == "-" ? Op::kNeg : token.text == "~" ? Op::kBitNot : Op::kNot;
    return add_node({.kind = Node::Kind::kUnary, .text = token.text, .literal = 0, .children = {*operand}},
                    {.op = op, .a = value(*operand)}, token);
  }

  Expected<int> primary() {
    const Token token = current();
    if (token.kind == Token::Kind::kNumber) {
      ++at_;
      return add_node({.kind = Node::Kind::kLiteral, .text = token.text, .literal = token.number},
                      {.op = Op::kConstant, .constant = token.number}, token);
    }
    if (token.kind == Token::Kind::kName) {
      ++at_;
      return is_symbol("(") ? call(token) : name(token);
    }
    if (is_symbol("(")) {
      ++at_;
      skip_newlines();
      auto inner = conditional();
      skip_newlines();
      if (inner && !is_symbol(")")) return error(current(), "expected ')'");
      if (inner) ++at_;
      return inner;
    }
    return error(token, token.kind == Token::Kind::kSymbol ? fmt::format("expected a value before '{}'", token.text)
                                                           : "expected a value");
  }

  Expected<int> name(const Token& token) {
    if (const auto variable = variables_.find(token.text); variable != variables_.end()) {
      program_.nodes.push_back(
          {.kind = Node::Kind::kName, .text = token.text, .literal = 0, .children = {}, .value = variable->second});
      return static_cast<int>(program_.nodes.size()) - 1;
    }
    for (const char* result : kResults) {
      // In a single expression, which assigns nothing, these are names as any other.
      if (token.text == result && !single_expression_)
        return error(token, fmt::format("'{}' is read before it is assigned", token.text));
    }
    outside_names_.insert(token.text);
    auto found = input_registers_.find(token.text);
    if (found == input_registers_.end()) {
      // Inputs are the same for every mask, so one register serves all uses.
      const int outer = std::exchange(mask_, kNoRegister);
      program_.inputs.push_back(token.text);
      const auto input = emit({.op = Op::kInput, .input = static_cast<int>(program_.inputs.size()) - 1}, token);
      mask_ = outer;
      if (!input) return input;
      found = input_registers_.emplace(token.text, *input).first;
    }
    program_.nodes.push_back(
        {.kind = Node::Kind::kName, .text = token.text, .literal = 0, .children = {}, .value = found->second});
    return static_cast<int>(program_.nodes.size()) - 1;
  }

  Expected<int> call(const Token& token) {
    const auto* function =
        std::find_if(kFunctions.begin(), kFunctions.end(), [&](const Function& f) { return token.text == f.name; });
    if (function == kFunctions.end()) {
      return error(token, fmt::format("unknown function '{}'", token.text),
                   "known: min max abs ceil_div hilbert_x hilbert_y morton_x morton_y");
    }
    ++at_;
    Node node{.kind = Node::Kind::kCall, .text = token.text};
    for (skip_newlines(); !is_symbol(")"); skip_newlines()) {
      if (!node.children.empty()) {
        if (!is_symbol(",")) return error(current(), "expected ',' or ')'");
        ++at_;
        skip_newlines();
      }
      const auto argument = conditional();
      if (!argument) return argument;
      node.children.push_back(*argument);
    }
    ++at_;
    if (static_cast<int>(node.children.size()) != function->arguments) {
      return error(token,
                   fmt::format("{} takes {} arguments, not {}", token.text, function->arguments, node.children.size()));
    }
    Operation operation{.op = function->op, .a = value(node.children[0])};
    if (function->arguments > 1) operation.b = value(node.children[1]);
    if (function->arguments > 2) operation.c = value(node.children[2]);
    return add_node(std::move(node), operation, token);
  }

  Expected<void> finish_results() {
    const Token& end = current();
    const auto pid = variables_.find("pid");
    std::array<int, 3> axes = {kNoRegister, kNoRegister, kNoRegister};
    for (size_t i = 0; i < 3; ++i) {
      if (const auto axis = variables_.find(kResults[i + 1]); axis != variables_.end()) axes[i] = axis->second;
    }
    const bool any_axis = axes[0] != kNoRegister || axes[1] != kNoRegister || axes[2] != kNoRegister;
    if (pid == variables_.end() && !any_axis)
      return error(end, "the map assigns no result", "assign pid, or pid_x (pid_y, pid_z)");
    if (pid != variables_.end() && any_axis)
      return error(end, "the map assigns both pid and pid_x, pid_y or pid_z", "assign one or the other");
    program_.linear_result = pid != variables_.end();
    if (program_.linear_result) {
      program_.results[0] = pid->second;
      return {};
    }
    program_.result_axes = axes[2] != kNoRegister ? 3 : axes[1] != kNoRegister ? 2 : 1;
    for (int i = 0; i < program_.result_axes; ++i) {
      if (axes[static_cast<size_t>(i)] == kNoRegister)
        return error(end, fmt::format("the map does not assign {}", kResults[static_cast<size_t>(i) + 1]));
      program_.results[i] = axes[static_cast<size_t>(i)];
    }
    return {};
  }

  void finish() {
    program_.operation_count =
        static_cast<int>(std::count_if(program_.nodes.begin(), program_.nodes.end(), [](const Node& node) {
          return node.kind != Node::Kind::kLiteral && node.kind != Node::Kind::kName;
        }));
  }

  std::vector<Token> tokens_;
  size_t at_ = 0;
  int nesting_ = 0;
  int mask_ = kNoRegister;
  bool single_expression_ = false;
  std::map<std::string, int> variables_;
  std::map<std::string, int> input_registers_;
  std::set<std::string> outside_names_;
  Program program_;
};

}  // namespace

Expected<Program> parse_expression_program(std::string_view text, std::string_view file_name) {
  auto tokens = tokenize(text, file_name);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(std::move(*tokens), std::string(file_name)).run_expression();
}

Expected<Program> parse_map_program(std::string_view text, std::string_view file_name) {
  auto tokens = tokenize(text, file_name);
  if (!tokens) return tl::unexpected(tokens.error());
  return Parser(std::move(*tokens), std::string(file_name)).run_statements();
}

}  // namespace detail
}  // namespace swizzleperf
