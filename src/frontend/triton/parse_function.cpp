// Functions, regions and the text that all operations have in common.
#include "frontend/triton/parser.h"

namespace swizzleperf::triton {
namespace {

constexpr int64_t kMaxOperations = 1'000'000;

}  // namespace

int FunctionParser::define(const std::string& name, const Type& type, int count) {
  const int first = static_cast<int>(function_->values.size());
  const auto known = names_.find(name);
  shadowed_.emplace_back(name, known == names_.end() ? Named{} : known->second);
  names_[name] = {first, count};
  for (int i = 0; i < count; ++i) function_->values.push_back({name, type});
  return first;
}

bool FunctionParser::location(std::string& to) {
  if (!s_.accept("loc")) return true;
  if (!s_.expect('(')) return false;
  to = s_.balanced('(', ')');
  return !s_.failed();
}

// %name or %name#2, which must have been defined.
bool FunctionParser::operand(Operation& operation) {
  if (!s_.expect('%')) return false;
  const std::string name = s_.name_after_sigil();
  const auto found = names_.find(name);
  if (s_.failed()) return false;
  if (found == names_.end()) return s_.fail("%" + name + " is not defined before it is used");
  int64_t index = 0;
  if (s_.peek() == '#' && s_.accept('#')) {
    Attribute figure;
    if (!s_.number(figure) || figure.integers.empty()) return s_.fail("expected the number of a result");
    index = figure.integers.front();
  }
  if (index < 0 || index >= found->second.count) return s_.fail("%" + name + " has no result of that number");
  operation.operands.push_back(found->second.first + static_cast<int>(index));
  return true;
}

bool FunctionParser::operand_list(Operation& operation, char close) {
  while (!s_.accept(close)) {
    if (!operand(operation)) return false;
    if (!s_.accept(',') && s_.peek() != close) return s_.fail(std::string("expected ',' or '") + close + "'");
  }
  return true;
}

// {key = value, key}, behind the brace.
bool FunctionParser::dictionary(Operation& operation) {
  while (!s_.accept('}')) {
    std::string key = s_.peek() == '"' ? s_.string_literal() : s_.word();
    if (key.empty()) return s_.fail("expected the name of an attribute");
    Attribute value;
    if (s_.accept('=') && !parse_attribute(s_, value)) return false;
    operation.attributes.emplace_back(std::move(key), std::move(value));
    if (!s_.accept(',') && s_.peek() != '}') return s_.fail("expected ',' or '}'");
  }
  return true;
}

// (T, T), or T alone.
bool FunctionParser::parenthesised_types(std::vector<Type>& types) {
  if (!s_.accept('(')) return parse_type(s_, types.emplace_back());
  while (!s_.accept(')')) {
    if (!parse_type(s_, types.emplace_back())) return false;
    if (!s_.accept(',') && s_.peek() != ')') return s_.fail("expected ',' or ')'");
  }
  return true;
}

// Behind the colon: types with whatever an operation writes between them, to the end of the line.
bool FunctionParser::type_list(TypeList& types) {
  while (!s_.line_ended() && !s_.looking_at("loc") && s_.peek() != '{' && s_.peek() != '}') {
    if (s_.accept("->") || s_.accept("to") || s_.accept("into")) {
      types.arrow = true;
    } else if (s_.accept(',') || s_.accept('*') || s_.accept("x")) {
      continue;
    } else if (!parenthesised_types(types.arrow ? types.after : types.before)) {
      return false;
    }
  }
  return true;
}

// (%a: T loc(..), ...), behind the parenthesis, of a block or a function.
bool FunctionParser::block_arguments(std::vector<int>& arguments) {
  while (!s_.accept(')')) {
    Type type;
    if (!s_.expect('%')) return false;
    const std::string name = s_.name_after_sigil();
    if (!s_.expect(':') || !parse_type(s_, type)) return false;
    arguments.push_back(define(name, type));
    Operation ignored;
    if (s_.accept('{') && !dictionary(ignored)) return false;
    if (!location(ignored.location)) return false;
    if (!s_.accept(',') && s_.peek() != ')') return s_.fail("expected ',' or ')'");
  }
  return true;
}

// Behind '{', to '}' inclusive. `arguments`: of the first block, where the operation names them itself.
bool FunctionParser::region(Region& region, std::vector<int> arguments) {
  if (!s_.enter()) return false;
  const size_t outer = shadowed_.size() - arguments.size();
  region.blocks.emplace_back().arguments = std::move(arguments);
  while (!s_.accept('}')) {
    if (s_.at_end()) return s_.fail("a region has no '}'");
    if (s_.accept('^')) {
      const bool first = region.blocks.size() == 1 && region.blocks.front().operations.empty();
      Block& block = first ? region.blocks.front() : region.blocks.emplace_back();
      block.label = s_.name_after_sigil();
      if (s_.accept('(') && !block_arguments(block.arguments)) return false;
      if (!s_.expect(':')) return false;
      continue;
    }
    if (++operations_ > kMaxOperations) return s_.fail("the function is too long");
    Operation one;
    if (!operation(one)) return false;
    region.blocks.back().operations.push_back(std::move(one));
  }
  // Names live as long as their region.
  while (shadowed_.size() > outer) {
    const auto& [name, before] = shadowed_.back();
    if (before.count > 0) {
      names_[name] = before;
    } else {
      names_.erase(name);
    }
    shadowed_.pop_back();
  }
  s_.leave();
  return true;
}

bool FunctionParser::parse(Function& function) {
  function_ = &function;
  function.line = s_.line();
  function.is_public = s_.accept("public");
  if (!function.is_public && !s_.accept("private")) s_.accept("nested");
  if (!s_.expect('@')) return false;
  function.name = s_.name_after_sigil();
  if (!s_.expect('(') || !block_arguments(function.parameters)) return false;
  if (s_.accept("->") && !parenthesised_types(function.results)) return false;
  Operation own;
  if (s_.accept("attributes") && (!s_.expect('{') || !dictionary(own))) return false;
  if (s_.peek() == '{') {
    s_.accept('{');
    if (!region(function.body, function.parameters)) return false;
  }
  return location(own.location);
}

namespace {

// `module attributes {...} { functions }`, or the functions alone.
class ModuleParser {
 public:
  ModuleParser(Scanner& scanner, Module& module) : s_(scanner), module_(module) {}
  bool parse() {
    while (!s_.at_end()) {
      if (!item()) return false;
    }
    return !s_.failed();
  }

 private:
  bool item() {
    if (s_.accept('#')) return alias();
    if (s_.accept("module")) {
      if (s_.accept('@')) s_.name_after_sigil();
      if (s_.accept("attributes") && s_.expect('{')) s_.balanced('{', '}');
      return s_.expect('{');
    }
    if (s_.accept("tt.func")) return FunctionParser(s_).parse(module_.functions.emplace_back());
    if (s_.accept('}')) return true;
    if (s_.accept("loc")) return s_.expect('(') && !(s_.balanced('(', ')'), s_.failed());
    return s_.fail("expected tt.func");
  }
  // #loc3 = loc(...), and aliases of attributes, which nothing here needs.
  bool alias() {
    const std::string name = "#" + s_.name_after_sigil();
    if (!s_.expect('=')) return false;
    if (s_.accept("loc")) {
      if (!s_.expect('(')) return false;
      module_.locations[name] = s_.balanced('(', ')');
      return !s_.failed();
    }
    Attribute ignored;
    return parse_attribute(s_, ignored);
  }

  Scanner& s_;
  Module& module_;
};

}  // namespace

Expected<Module> parse_ttir(const std::string& text, const std::string& file) {
  Scanner scanner(text, file);
  Module module;
  module.file = file;
  if (!ModuleParser(scanner, module).parse()) return tl::unexpected(scanner.error());
  if (module.functions.empty()) return user_error("no tt.func in this text", {file}, "give the .ttir of a kernel");
  return module;
}

}  // namespace swizzleperf::triton
