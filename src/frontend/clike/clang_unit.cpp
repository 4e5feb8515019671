#include "frontend/clike/clang_unit.h"

#include "base/file.h"
#include "frontend/clike/alignas.h"
#include "frontend/clike/compile.h"
#include "frontend/clike/inline_assembly.h"
#include "frontend/clike/launches.h"

namespace swizzleperf::ast {

std::string take(CXString text) {
  const char* chars = clang_getCString(text);
  std::string result = chars != nullptr ? chars : "";
  clang_disposeString(text);
  return result;
}

std::string spelling(CXCursor cursor) {
  return take(clang_getCursorSpelling(cursor));
}

void walk(CXCursor cursor, const std::function<bool(CXCursor)>& visit) {
  clang_visitChildren(
      cursor,
      [](CXCursor child, CXCursor, CXClientData data) {
        const auto& function = *static_cast<const std::function<bool(CXCursor)>*>(data);
        return function(child) ? CXChildVisit_Recurse : CXChildVisit_Continue;
      },
      const_cast<std::function<bool(CXCursor)>*>(&visit));
}

std::vector<CXCursor> children(CXCursor cursor) {
  std::vector<CXCursor> result;
  walk(cursor, [&](CXCursor child) {
    result.push_back(child);
    return false;
  });
  return result;
}

namespace {

std::string first_errors(CXTranslationUnit unit) {
  std::string text;
  for (unsigned i = 0; i < clang_getNumDiagnostics(unit); ++i) {
    CXDiagnostic diagnostic = clang_getDiagnostic(unit, i);
    if (clang_getDiagnosticSeverity(diagnostic) >= CXDiagnostic_Error) {
      text += take(clang_formatDiagnostic(diagnostic, CXDiagnostic_DisplaySourceLocation | CXDiagnostic_DisplayColumn));
      text += "\n";
    }
    clang_disposeDiagnostic(diagnostic);
  }
  return text;
}

}  // namespace

Expected<Unit> Unit::parse(const std::filesystem::path& path, std::vector<std::string> options) {
  auto text = read_file(path);
  if (!text) return tl::unexpected(text.error());
  Unit result;
  result.path = path.string();
  result.text = std::move(*text);
  result.shim_ = shim_folder().string();
  options.insert(options.begin(), {"-x", "c++", "-std=c++20", "-w", "-I" + result.shim_, "-include",
                                   (shim_folder() / "swizzleperf_shim.h").string()});
  std::vector<const char*> arguments;
  for (const auto& option : options) arguments.push_back(option.c_str());
  result.index_ = clang_createIndex(0, 0);
  const std::string parsed = neutral_constraints(alignas_first(blank_launches(result.text)));  // of the same length
  CXUnsavedFile unsaved{result.path.c_str(), parsed.data(), parsed.size()};
  const CXErrorCode code = clang_parseTranslationUnit2(result.index_, result.path.c_str(), arguments.data(),
                                                       static_cast<int>(arguments.size()), &unsaved, 1,
                                                       CXTranslationUnit_DetailedPreprocessingRecord, &result.unit_);
  if (code != CXError_Success) return internal_error("libclang could not parse the source", {result.path, 0, 0});
  const std::string errors = first_errors(result.unit_);
  if (!errors.empty()) return tl::unexpected(compile_error(errors, result.path));
  return result;
}

Unit::Unit(Unit&& other) noexcept
    : path(std::move(other.path)),
      text(std::move(other.text)),
      index_(other.index_),
      unit_(other.unit_),
      shim_(std::move(other.shim_)) {
  other.index_ = nullptr;
  other.unit_ = nullptr;
}

Unit::~Unit() {
  if (unit_ != nullptr) clang_disposeTranslationUnit(unit_);
  if (index_ != nullptr) clang_disposeIndex(index_);
}

bool Unit::in_main_file(CXSourceLocation location) const {
  CXFile where = nullptr;
  clang_getExpansionLocation(location, &where, nullptr, nullptr, nullptr);
  return where != nullptr && clang_File_isEqual(where, file()) != 0;
}

bool Unit::is_user_code(CXSourceLocation location) const {
  if (clang_Location_isInSystemHeader(location) != 0) return false;
  const std::string where = file_of(location);
  return !where.empty() && where.rfind(shim_, 0) != 0;
}

CXSourceRange Unit::range(size_t begin, size_t end) const {
  return clang_getRange(clang_getLocationForOffset(unit_, file(), static_cast<unsigned>(begin)),
                        clang_getLocationForOffset(unit_, file(), static_cast<unsigned>(end)));
}

std::vector<SourceToken> Unit::tokens(CXSourceRange range) const {
  CXToken* found = nullptr;
  unsigned count = 0;
  clang_tokenize(unit_, range, &found, &count);
  std::vector<SourceToken> result;
  for (unsigned i = 0; i < count; ++i) {
    const CXTokenKind kind = clang_getTokenKind(found[i]);
    if (kind == CXToken_Comment) continue;
    result.push_back(
        {kind, take(clang_getTokenSpelling(unit_, found[i])), span_of(clang_getTokenExtent(unit_, found[i]))});
  }
  clang_disposeTokens(unit_, found, count);
  return result;
}

Span span_of(CXSourceRange range) {
  unsigned line = 0, column = 0, begin = 0, end = 0;
  clang_getExpansionLocation(clang_getRangeStart(range), nullptr, &line, &column, &begin);
  clang_getExpansionLocation(clang_getRangeEnd(range), nullptr, nullptr, nullptr, &end);
  return {begin, end, static_cast<int>(line), static_cast<int>(column)};
}

std::string file_of(CXSourceLocation location) {
  CXFile file = nullptr;
  clang_getExpansionLocation(location, &file, nullptr, nullptr, nullptr);
  return file == nullptr ? std::string() : take(clang_getFileName(file));
}

bool is_function(CXCursor cursor) {
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_FunctionDecl:
    case CXCursor_FunctionTemplate:
    case CXCursor_CXXMethod:
    case CXCursor_Constructor:
    case CXCursor_Destructor:
    case CXCursor_ConversionFunction:
      return true;
    default:
      return false;
  }
}

bool is_kernel(CXCursor cursor) {
  for (const CXCursor child : children(cursor)) {
    if (clang_getCursorKind(child) == CXCursor_AnnotateAttr && spelling(child) == "sp_global") return true;
  }
  return false;
}

CXCursor body_of(CXCursor function) {
  for (const CXCursor child : children(function)) {
    if (clang_getCursorKind(child) == CXCursor_CompoundStmt) return child;
    if (clang_getCursorKind(child) == CXCursor_CXXTryStmt) return body_of(child);
  }
  return clang_getNullCursor();
}

std::string qualified_name(CXCursor cursor) {
  std::string name = spelling(cursor);
  for (CXCursor parent = clang_getCursorSemanticParent(cursor);
       clang_getCursorKind(parent) != CXCursor_TranslationUnit && !clang_Cursor_isNull(parent);
       parent = clang_getCursorSemanticParent(parent)) {
    const std::string scope = spelling(parent);
    const CXCursorKind kind = clang_getCursorKind(parent);
    const bool names = kind == CXCursor_Namespace || kind == CXCursor_StructDecl || kind == CXCursor_ClassDecl;
    if (!scope.empty() && names) name = scope + "::" + name;
  }
  return name;
}

}  // namespace swizzleperf::ast
