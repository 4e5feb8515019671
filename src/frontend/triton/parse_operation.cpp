// Operations: a few have a syntax of their own, all others are operands, words and attributes, then types.
#include "frontend/triton/parser.h"

namespace swizzleperf::triton {

// Gives the results their values and takes the location, which ends every operation.
bool FunctionParser::finish(Operation& operation, const TypeList& types) {
  if (!location(operation.location)) return false;
  operation.operand_types = types.before;
  std::vector<Type> results = result_types(operation, types, function_->values);
  size_t wanted = 0;
  for (const auto& [name, count] : result_names_) wanted += static_cast<size_t>(count);
  if (wanted > 0 && results.size() < wanted)
    return s_.fail(operation.name + " has " + std::to_string(results.size()) + " result(s), not " +
                   std::to_string(wanted));
  size_t at = 0;
  for (const auto& [name, count] : result_names_) {
    const int first = define(name, {}, count);
    for (int i = 0; i < count; ++i) {
      function_->values[static_cast<size_t>(first + i)].type = results[at++];
      operation.results.push_back(first + i);
    }
  }
  result_names_.clear();
  return true;
}

bool FunctionParser::operation(Operation& operation) {
  std::vector<std::pair<std::string, int>> names;
  while (s_.peek() == '%') {
    s_.accept('%');
    std::string name = s_.name_after_sigil();
    Attribute count{.integers = {1}};
    if (s_.accept(':')) {
      count.integers.clear();
      if (!s_.number(count)) return false;
    }
    constexpr int64_t kMostResults = 4096;
    if (count.integers.empty() || count.integers.front() < 1 || count.integers.front() > kMostResults)
      return s_.fail("expected a number of results");
    names.emplace_back(std::move(name), static_cast<int>(count.integers.front()));
    if (!s_.accept(',') && !s_.expect('=')) return false;
  }
  s_.at_end();
  operation.line = s_.line();
  const bool quoted = s_.peek() == '"';
  operation.name = quoted ? s_.string_literal() : s_.word();
  if (operation.name.empty()) return s_.fail("expected an operation");
  // Regions are read before the results are defined: their names must not be in the way meanwhile.
  result_names_.clear();
  std::swap(names, result_names_);
  return quoted ? generic(operation) : body(operation);
}

bool FunctionParser::body(Operation& operation) {
  if (operation.name == "arith.constant") return constant(operation);
  if (operation.name == "scf.for") return for_loop(operation);
  if (operation.name == "scf.while") return while_loop(operation);
  if (operation.name == "scf.if") return conditional(operation);
  if (operation.name == "cf.br" || operation.name == "cf.cond_br") return branch(operation);
  if (operation.name == "tt.call") return call(operation);
  return soup(operation);
}

// One token between an operation's name and its types.
bool FunctionParser::soup_token(Operation& operation) {
  const char c = s_.peek();
  if (c == '%') return operand(operation);
  if (c == '"') {
    operation.words.push_back(s_.string_literal());
    return !s_.failed();
  }
  if (c == '[') {
    s_.accept('[');
    const size_t before = operation.operands.size();
    while (!s_.accept(']')) {
      if (s_.at_end() || !soup_token(operation)) return s_.fail("a list has no end");
    }
    operation.groups.push_back(static_cast<int>(operation.operands.size() - before));
    return true;
  }
  if (c == '{') return s_.accept('{') && dictionary(operation);
  if (c == '<' && s_.peek_second() == '{')
    return s_.accept('<') && s_.accept('{') && dictionary(operation) && s_.expect('>');
  if (c == '@') {
    s_.accept('@');
    operation.callee = s_.name_after_sigil();
    return !s_.failed();
  }
  if (c == ',' || c == '(' || c == ')') return s_.accept(c);
  if (c == '-' || (c >= '0' && c <= '9')) {
    Attribute figure;
    return s_.number(figure);
  }
  std::string word = s_.word();
  if (word.empty()) return s_.fail(std::string("unexpected '") + c + "' in " + operation.name);
  if (s_.accept('=')) {
    Attribute value;
    if (!parse_attribute_value(s_, value)) return false;
    operation.attributes.emplace_back(std::move(word), std::move(value));
    return true;
  }
  if (s_.peek() == '<' && s_.peek_second() != '{' && s_.accept('<')) s_.balanced('<', '>');  // overflow<nsw>
  operation.words.push_back(std::move(word));
  return !s_.failed();
}

// Everything behind the name of an operation without a syntax of its own.
bool FunctionParser::soup(Operation& operation) {
  TypeList types;
  while (!s_.line_ended() && !s_.looking_at("loc") && s_.peek() != '}') {
    if (s_.accept(':')) {
      // tt.print writes its operands behind a colon of their own.
      if (s_.peek() == '%') continue;
      if (!type_list(types)) return false;
    } else if (s_.peek() == '{' && types.before.empty() && operation.name == "tt.map_elementwise") {
      return s_.fail("tt.map_elementwise is not understood in this form");
    } else if (!soup_token(operation)) {
      return false;
    }
  }
  return finish(operation, types);
}

bool FunctionParser::generic_regions(Operation& operation) {
  auto names = std::move(result_names_);
  do {
    if (!s_.expect('{') || !region(operation.regions.emplace_back(), {})) return false;
  } while (s_.accept(','));
  result_names_ = std::move(names);
  return s_.expect(')');
}

// "name"(%a, %b) <{..}> ({ regions }) {..} : (T, T) -> T
bool FunctionParser::generic(Operation& operation) {
  TypeList types;
  if (!s_.expect('(') || !operand_list(operation, ')')) return false;
  if (s_.accept('[')) return s_.fail("successors in this form are not understood");
  if (s_.accept('<') && (!s_.expect('{') || !dictionary(operation) || !s_.expect('>'))) return false;
  if (s_.accept('(') && !generic_regions(operation)) return false;
  if (s_.accept('{') && !dictionary(operation)) return false;
  if (s_.accept(':') && !type_list(types)) return false;
  return finish(operation, types);
}

// arith.constant 63 : i32, arith.constant dense<0.0> : tensor<4xf32>, arith.constant true
bool FunctionParser::constant(Operation& operation) {
  Attribute value;
  TypeList types;
  if (s_.accept('{') && !dictionary(operation)) return false;
  const bool truth = s_.looking_at("true") || s_.looking_at("false");
  if (!parse_attribute_value(s_, value)) return false;
  if (s_.accept(':')) {
    if (!type_list(types)) return false;
  } else if (truth) {
    types.before.push_back({.element = Type::Element::kInteger, .bits = 1});
  }
  operation.attributes.emplace_back("value", std::move(value));
  return finish(operation, types);
}

// (%a = %b, %c = %d), behind the parenthesis: operands, and the names of block arguments.
bool FunctionParser::assignments(Operation& operation, std::vector<std::string>& names) {
  while (!s_.accept(')')) {
    if (!s_.expect('%')) return false;
    names.push_back(s_.name_after_sigil());
    if (!s_.expect('=') || !operand(operation)) return false;
    if (!s_.accept(',') && s_.peek() != ')') return s_.fail("expected ',' or ')'");
  }
  return true;
}

// scf.for %k = %lower to %upper step %step iter_args(%a = %b) -> (T) : i32 { ... }. Operands: bounds, then initial
// values; block arguments: the counter, then the carried values.
bool FunctionParser::for_loop(Operation& operation) {
  if (s_.accept("unsigned")) operation.words.emplace_back("unsigned");
  if (!s_.expect('%')) return false;
  const std::string counter = s_.name_after_sigil();
  if (!s_.expect('=') || !operand(operation) || !s_.accept("to") || !operand(operation) || !s_.accept("step") ||
      !operand(operation))
    return s_.fail("expected %k = %lower to %upper step %step");
  std::vector<std::string> names;
  if (s_.accept("iter_args") && (!s_.expect('(') || !assignments(operation, names))) return false;
  TypeList types;
  if (s_.accept("->") && !parenthesised_types(types.after)) return false;
  Type index = {.element = Type::Element::kInteger, .bits = 64};
  if (s_.accept(':') && !parse_type(s_, index)) return false;
  if (types.after.size() != names.size()) return s_.fail("a loop carries other values than it has types for");
  auto results = std::move(result_names_);
  std::vector<int> arguments = {define(counter, index)};
  for (size_t i = 0; i < names.size(); ++i) arguments.push_back(define(names[i], types.after[i]));
  if (!s_.expect('{') || !region(operation.regions.emplace_back(), std::move(arguments))) return false;
  result_names_ = std::move(results);
  if (s_.accept("attributes")) s_.peek();
  if (s_.accept('{') && !dictionary(operation)) return false;
  return finish(operation, types);
}

// scf.while (%a = %b) : (T) -> U { ... scf.condition(%c) %x } do { ^bb0(%x: U): ... }
bool FunctionParser::while_loop(Operation& operation) {
  std::vector<std::string> names;
  if (s_.accept('(') && !assignments(operation, names)) return false;
  TypeList types;
  if (!s_.expect(':') || !parenthesised_types(types.before) || !s_.accept("->") || !parenthesised_types(types.after))
    return s_.fail("expected the types of the loop");
  if (types.before.size() != names.size()) return s_.fail("a loop carries other values than it has types for");
  auto results = std::move(result_names_);
  std::vector<int> arguments;
  for (size_t i = 0; i < names.size(); ++i) arguments.push_back(define(names[i], types.before[i]));
  if (!s_.expect('{') || !region(operation.regions.emplace_back(), std::move(arguments))) return false;
  if (!s_.accept("do") || !s_.expect('{') || !region(operation.regions.emplace_back(), {}))
    return s_.fail("expected do { ... }");
  result_names_ = std::move(results);
  if (s_.accept("attributes") && (!s_.expect('{') || !dictionary(operation))) return false;
  return finish(operation, types);
}

// scf.if %c -> (T) { ... } else { ... }
bool FunctionParser::conditional(Operation& operation) {
  TypeList types;
  if (!operand(operation)) return false;
  if (s_.accept("->") && !parenthesised_types(types.after)) return false;
  auto results = std::move(result_names_);
  if (!s_.expect('{') || !region(operation.regions.emplace_back(), {})) return false;
  if (s_.accept("else") && (!s_.expect('{') || !region(operation.regions.emplace_back(), {}))) return false;
  result_names_ = std::move(results);
  if (s_.peek() == '{' && s_.accept('{') && !dictionary(operation)) return false;
  return finish(operation, types);
}

// cf.cond_br %c, ^bb1(%a : T), ^bb2
bool FunctionParser::branch(Operation& operation) {
  if (operation.name == "cf.cond_br" && (!operand(operation) || !s_.expect(','))) return false;
  do {
    if (!s_.expect('^')) return false;
    Successor& to = operation.successors.emplace_back();
    to.label = s_.name_after_sigil();
    if (!s_.accept('(')) continue;
    Operation list;
    while (s_.peek() == '%') {
      if (!operand(list)) return false;
      s_.accept(',');
    }
    to.operands = std::move(list.operands);
    TypeList ignored;
    if (s_.accept(':')) {
      while (s_.peek() != ')') {
        if (!parse_type(s_, ignored.before.emplace_back())) return false;
        s_.accept(',');
      }
    }
    if (!s_.expect(')')) return false;
  } while (s_.accept(','));
  if (s_.peek() == '{' && !s_.line_ended() && s_.accept('{') && !dictionary(operation)) return false;
  return finish(operation, {});
}

// tt.call @name(%a, %b) : (T, T) -> U
bool FunctionParser::call(Operation& operation) {
  TypeList types;
  if (!s_.expect('@')) return false;
  operation.callee = s_.name_after_sigil();
  if (!s_.expect('(') || !operand_list(operation, ')')) return false;
  if (s_.peek() == '{' && s_.accept('{') && !dictionary(operation)) return false;
  if (s_.accept(':') && !type_list(types)) return false;
  return finish(operation, types);
}

}  // namespace swizzleperf::triton
