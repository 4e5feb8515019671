// A source parsed by libclang, and the few questions that the front end asks it. Private to the front end.
#pragma once

#include <clang-c/Index.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/error.h"
#include "frontend/clike/source.h"

namespace swizzleperf::ast {

std::string take(CXString text);  // frees clang's string
std::string spelling(CXCursor cursor);

// The children of a cursor, depth first; `visit` returns false to skip a subtree.
void walk(CXCursor cursor, const std::function<bool(CXCursor)>& visit);

// The direct children of a cursor, in order.
std::vector<CXCursor> children(CXCursor cursor);

struct SourceToken {
  CXTokenKind kind = CXToken_Punctuation;
  std::string text;
  Span span;
};

// Owns clang's index and unit.
class Unit {
 public:
  // Parses the source as the C++ that the CPU compilation sees: kernels are functions annotated by the shim. User error
  // with clang's first diagnostics.
  static Expected<Unit> parse(const std::filesystem::path& path, std::vector<std::string> options);
  Unit(Unit&& other) noexcept;
  Unit& operator=(Unit&&) = delete;
  Unit(const Unit&) = delete;
  ~Unit();

  CXCursor root() const { return clang_getTranslationUnitCursor(unit_); }
  bool in_main_file(CXSourceLocation location) const;
  // Neither in a header of the system nor in the shim.
  bool is_user_code(CXSourceLocation location) const;
  std::vector<SourceToken> tokens(CXSourceRange range) const;
  CXSourceRange range(size_t begin, size_t end) const;  // of the main file

  std::string path;
  std::string text;  // the main file's bytes

 private:
  Unit() = default;
  CXFile file() const { return clang_getFile(unit_, path.c_str()); }
  CXIndex index_ = nullptr;
  CXTranslationUnit unit_ = nullptr;
  std::string shim_;
};

// Expansion locations of both ends.
Span span_of(CXSourceRange range);
std::string file_of(CXSourceLocation location);

bool is_function(CXCursor cursor);
bool is_kernel(CXCursor cursor);
// A null cursor where there is none: a declaration, an explicit instantiation.
CXCursor body_of(CXCursor function);
std::string qualified_name(CXCursor cursor);

}  // namespace swizzleperf::ast
