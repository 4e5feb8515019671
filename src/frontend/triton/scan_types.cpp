// Types and attributes of the IR's text.
#include <charconv>

#include "frontend/triton/scanner.h"

namespace swizzleperf::triton {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 20;  // of a tensor: Triton's own limit
constexpr size_t kMaxRank = 32;

// "i32", "f16", "f8E4M3FN", "bf16", "index".
bool scalar_named(const std::string& word, Type& type) {
  const auto digits_from = [&](size_t at) {
    int bits = 0;
    std::from_chars(word.data() + at, word.data() + word.size(), bits);
    return bits;
  };
  if (word == "index") {
    type.element = Type::Element::kInteger;
    type.bits = 64;
  } else if (word == "bf16") {
    type = {.element = Type::Element::kFloat, .bits = 16, .brain = true};
  } else if (word.rfind("tf", 0) == 0) {
    type = {.element = Type::Element::kFloat, .bits = 32};
  } else if (word[0] == 'i' && word.size() > 1 && digits_from(1) > 0) {
    type = {.element = Type::Element::kInteger, .bits = digits_from(1)};
  } else if (word[0] == 'f' && word.size() > 1 && digits_from(1) > 0) {
    type = {.element = Type::Element::kFloat, .bits = digits_from(1)};
  } else if ((word.rfind("ui", 0) == 0 || word.rfind("si", 0) == 0) && digits_from(2) > 0) {
    type = {.element = Type::Element::kInteger, .bits = digits_from(2)};
  } else {
    type = {};
    return word == "none" || word == "token";
  }
  return type.bits <= 64;
}

bool parse_tensor(Scanner& s, Type& type);

bool parse_inner(Scanner& s, Type& type) {
  auto inner = std::make_shared<Type>();
  // Since Triton 3.8 a descriptor's block is written without the word tensor.
  if (s.peek() >= '0' && s.peek() <= '9') {
    if (!parse_tensor(s, *inner)) return false;
    type.pointee = std::move(inner);
    return true;
  }
  if (!parse_type(s, *inner)) return false;
  type.pointee = std::move(inner);
  // An address space, an encoding, a mode: nothing that addresses depend on.
  if (s.peek() == ',') {
    s.balanced('<', '>');
    return !s.failed();
  }
  return s.expect('>');
}

// Behind `tensor<`: 128x64xf16, perhaps with an encoding.
bool parse_tensor(Scanner& s, Type& type) {
  std::vector<int64_t> shape;
  int64_t elements = 1;
  while (s.peek() >= '0' && s.peek() <= '9') {
    int64_t extent = 0;
    while (s.peek() >= '0' && s.peek() <= '9') {
      extent = extent * 10 + (s.peek() - '0');
      if (extent > kMaxElements) return s.fail("a tensor is too large");
      s.accept(s.peek());
    }
    if (!s.expect('x')) return false;
    elements *= extent;
    shape.push_back(extent);
    if (extent < 1 || elements > kMaxElements || shape.size() > kMaxRank) return s.fail("a tensor is too large");
  }
  Type element;
  if (!parse_type(s, element)) return false;
  if (element.tensor) return s.fail("a tensor of tensors");
  type = std::move(element);
  type.tensor = true;
  type.shape = std::move(shape);
  if (s.peek() == ',') {
    s.balanced('<', '>');
    return !s.failed();
  }
  return s.expect('>');
}

bool parse_one(Scanner& s, Type& type) {
  if (s.accept('<')) {  // the short form of a pointer or descriptor type, which the operation completes
    type = {};
    return parse_inner(s, type);
  }
  if (s.accept('!')) {
    const std::string name = s.word();
    type = {};
    if (name == "tt.ptr") type = {.element = Type::Element::kPointer, .bits = 64};
    if (name == "tt.tensordesc") type = {.element = Type::Element::kDescriptor};
    if (name.empty()) return s.fail("expected a type");
    if (name == "tt.ptr" || name == "tt.tensordesc") return s.expect('<') && parse_inner(s, type);
    if (s.accept('<')) s.balanced('<', '>');
    return !s.failed();
  }
  if (s.accept('(')) {  // a function type: of no value that is looked at
    s.balanced('(', ')');
    type = {};
    return !s.failed();
  }
  const std::string name = s.word();
  if (name == "tensor") return s.expect('<') && parse_tensor(s, type);
  if (name == "vector" || name == "memref" || name == "tuple") {
    type = {};
    if (s.expect('<')) s.balanced('<', '>');
    return !s.failed();
  }
  if (name.empty() || !scalar_named(name, type)) return s.fail("expected a type, not '" + name + "'");
  return true;
}

// The figures of dense<...>, in any nesting of brackets.
bool parse_figures(Scanner& s, Attribute& to) {
  if (!s.enter()) return false;
  if (s.accept('[')) {
    while (!s.accept(']')) {
      if (!parse_figures(s, to)) return false;
      if (!s.accept(',') && s.peek() != ']') return s.fail("expected ',' or ']'");
    }
  } else if (s.accept("true")) {
    to.integers.push_back(1);
  } else if (s.accept("false")) {
    to.integers.push_back(0);
  } else if (s.peek() == '"') {
    return s.fail("a constant in raw bytes is not understood");
  } else if (!s.number(to)) {
    return false;
  }
  s.leave();
  return true;
}

bool parse_list(Scanner& s, char close, Attribute& to) {
  while (!s.accept(close)) {
    if (s.failed() || s.at_end()) return s.fail("a list has no end");
    if (!parse_attribute(s, to)) return false;
    s.accept(',');
  }
  return true;
}

bool parse_value(Scanner& s, Attribute& to) {
  const char c = s.peek();
  if (c == '"') {
    to.text = s.string_literal();
  } else if (c == '[') {
    return s.accept('[') && parse_list(s, ']', to);
  } else if (c == '{') {
    s.accept('{');
    s.balanced('{', '}');
  } else if (c == '#' || c == '@' || c == '!') {
    s.accept(c);
    to.text = s.name_after_sigil();
    if (s.peek() == '<' && s.accept('<')) to.text += "<" + s.balanced('<', '>') + ">";
  } else if (c == '-' || (c >= '0' && c <= '9')) {
    return s.number(to);
  } else if (s.accept("dense")) {
    to.dense = true;
    if (!s.expect('<')) return false;
    return s.accept('>') || (parse_figures(s, to) && s.expect('>'));
  } else if (s.accept("array")) {
    if (!s.expect('<')) return false;
    s.word();
    return s.accept('>') || (s.expect(':') && parse_list(s, '>', to));
  } else if (s.accept("true")) {
    to.integers.push_back(1);
  } else if (s.accept("false")) {
    to.integers.push_back(0);
  } else {
    to.text = s.word();
    if (to.text.empty()) return s.fail("expected a value");
    if (s.peek() == '<' && s.accept('<')) to.text += "<" + s.balanced('<', '>') + ">";
  }
  return !s.failed();
}

}  // namespace

bool parse_type(Scanner& scanner, Type& type) {
  if (!scanner.enter() || !parse_one(scanner, type)) return false;
  scanner.leave();
  return true;
}

bool parse_attribute_value(Scanner& scanner, Attribute& attribute) {
  if (!scanner.enter() || !parse_value(scanner, attribute)) return false;
  scanner.leave();
  return true;
}

bool parse_attribute(Scanner& scanner, Attribute& attribute) {
  if (!parse_attribute_value(scanner, attribute)) return false;
  // The type of a figure says nothing that is needed.
  if (scanner.peek() == ':' && scanner.accept(':')) {
    Type ignored;
    return parse_type(scanner, ignored);
  }
  return true;
}

}  // namespace swizzleperf::triton
