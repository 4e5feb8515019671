#include "frontend/clike/reach.h"

#include <algorithm>

namespace swizzleperf::ast {
namespace {

std::string identity(CXCursor cursor) {
  return take(clang_getCursorUSR(cursor));
}

bool is_record(CXCursor cursor) {
  switch (clang_getCursorKind(cursor)) {
    case CXCursor_StructDecl:
    case CXCursor_ClassDecl:
    case CXCursor_UnionDecl:
    case CXCursor_ClassTemplate:
    case CXCursor_ClassTemplatePartialSpecialization:
      return true;
    default:
      return false;
  }
}

bool is_called_silently(CXCursor function) {
  const CXCursorKind kind = clang_getCursorKind(function);
  return kind == CXCursor_Constructor || kind == CXCursor_Destructor || kind == CXCursor_ConversionFunction ||
         (is_function(function) && spelling(function).rfind("operator", 0) == 0);
}

// Constructors of a class template are spelled "S<T>": known by the bare name.
std::string simple_name(CXCursor cursor) {
  const std::string name = spelling(cursor);
  return name.substr(0, name.rfind("operator", 0) == 0 ? std::string::npos : name.find('<'));
}

bool is_global_variable(CXCursor target, std::initializer_list<const char*> names) {
  if (clang_getCursorKind(target) != CXCursor_VarDecl) return false;
  if (clang_getCursorKind(clang_getCursorSemanticParent(target)) != CXCursor_TranslationUnit) return false;
  const std::string name = spelling(target);
  return std::any_of(names.begin(), names.end(), [&](const char* each) { return name == each; });
}

// Names under which the block id can be had other than `blockIdx`.
bool names_block_id(const std::string& token) {
  for (const char* part : {"hipBlockIdx_", "workgroup_id", "get_group_id", "ctaid", "clusterid", "get_block_idx",
                           "group_index", "clusterIdx", "block_rank"}) {
    if (token.find(part) != std::string::npos) return true;
  }
  return false;
}

bool names_grid_sync(const std::string& token) {
  return token == "this_grid" || token == "this_cluster" || token == "__cluster_dims__";
}

BlockIdUse::Kind kind_of_token(const SourceToken& token) {
  if (token.kind == CXToken_Literal) return BlockIdUse::Kind::kAssembly;
  return token.text.rfind("hipBlockIdx_", 0) == 0 ? BlockIdUse::Kind::kHipBlockIdx : BlockIdUse::Kind::kBuiltin;
}

// The type behind pointers, references and arrays.
CXCursor declaration_of(CXType type) {
  type = clang_getCanonicalType(type);
  for (int depth = 0; depth < 16; ++depth) {
    CXType inner = clang_getPointeeType(type);
    if (inner.kind == CXType_Invalid) inner = clang_getArrayElementType(type);
    if (inner.kind == CXType_Invalid) break;
    type = clang_getCanonicalType(inner);
  }
  return clang_getTypeDeclaration(type);
}

bool captures_by_default(const std::string& source, size_t at) {
  const auto next = [&](size_t from) { return std::min(source.find_first_not_of(" \t\r\n", from), source.size()); };
  if (at >= source.size() || source[at] != '[') return false;
  const size_t first = next(at + 1);
  if (first >= source.size()) return false;
  if (source[first] == '=') return true;
  const size_t second = next(first + 1);
  return source[first] == '&' && second < source.size() && (source[second] == ']' || source[second] == ',');
}

// Walks what a kernel reaches, entity by entity.
class Walker {
 public:
  Walker(const Unit& unit, const Declarations& declarations) : unit_(unit), declarations_(declarations) {}

  Reached run(CXCursor kernel) {
    for (size_t i = 0; i < declarations_.entities().size(); ++i) {
      if (clang_equalCursors(declarations_.entities()[i].cursor, kernel) != 0) start(i);
    }
    while (!queue_.empty()) {
      const size_t index = queue_.back();
      queue_.pop_back();
      entity_ = index;
      examine(declarations_.entities()[index]);
    }
    return std::move(reached_);
  }

 private:
  void enqueue(size_t index) {
    if (!declarations_.entities()[index].kernel) start(index);
  }
  void start(size_t index) {
    if (reached_.entities.insert(index).second) queue_.push_back(index);
  }
  void enqueue_name(const std::string& name) {
    for (const size_t index : declarations_.find_name(name)) enqueue(index);
  }

  void examine(const Declarations::Entity& entity) {
    name_ = entity.name;
    dependent_ = false;
    if (is_record(entity.cursor)) return examine_record(entity.cursor);
    const CXCursorKind kind = clang_getCursorKind(entity.cursor);
    const CXCursorKind parent = clang_getCursorKind(clang_getCursorSemanticParent(entity.cursor));
    dependent_ = kind == CXCursor_FunctionTemplate || parent == CXCursor_ClassTemplate ||
                 parent == CXCursor_ClassTemplatePartialSpecialization;
    add_body(entity.cursor, false);
    visit_children(entity.cursor);
    const auto tokens = examine_tokens(entity.cursor);
    if (!dependent_) return;
    // Calls that templates leave open are found by name; what is called without a name may always be.
    for (const SourceToken& token : tokens) enqueue_name(token.text);
    for (size_t i = 0; i < declarations_.entities().size(); ++i) {
      if (declarations_.entities()[i].silent) enqueue(i);
    }
  }

  // A type is reached as a whole where values of it live: fields, bases, and what runs without being named.
  void examine_record(CXCursor record) {
    for (const CXCursor child : children(record)) {
      const CXCursorKind kind = clang_getCursorKind(child);
      if (kind == CXCursor_FieldDecl || kind == CXCursor_CXXBaseSpecifier) {
        visit(child);
        examine_tokens(child);
      }
      if (!is_called_silently(child)) continue;
      for (const size_t index : declarations_.find(child)) enqueue(index);
    }
  }

  // Tokens of a declaration, with those that the macros in it expand to; uses of other names of the block id are noted.
  std::vector<SourceToken> examine_tokens(CXCursor cursor) {
    const CXSourceRange extent = clang_getCursorExtent(cursor);
    const Span span = span_of(extent);
    const std::string file = file_of(clang_getRangeStart(extent));
    const bool in_main = unit_.in_main_file(clang_getRangeStart(extent));
    std::vector<SourceToken> tokens = unit_.tokens(in_main ? unit_.range(attributes_begin(span), span.end) : extent);
    for (const SourceToken& token : tokens) note(token, in_main, kind_of_token(token), token.text);
    for (const auto& expansion : declarations_.expansions()) {
      if (expansion.file != file || expansion.span.begin < span.begin || expansion.span.end > span.end) continue;
      for (SourceToken token : declarations_.tokens_of_macro(expansion.name)) {
        token.span = expansion.span;
        note(token, in_main, BlockIdUse::Kind::kMacro, expansion.name);
        tokens.push_back(token);
      }
    }
    return tokens;
  }

  void note(const SourceToken& token, bool in_main, BlockIdUse::Kind kind, const std::string& text) {
    if (token.kind == CXToken_Punctuation) return;
    if (names_grid_sync(token.text)) reached_.grid_sync = true;
    if (names_block_id(token.text))
      reached_.block_ids.push_back(
          {.kind = kind, .span = token.span, .function = name_, .text = text, .in_source = in_main});
  }

  // Attributes may stand before the extent that clang gives: from the end of the declaration before, or of the last
  // preprocessor line.
  size_t attributes_begin(const Span& span) const {
    const std::string& text = unit_.text;
    const size_t before = span.begin == 0 ? std::string::npos : text.find_last_of(";}", span.begin - 1);
    size_t begin = before == std::string::npos ? 0 : before + 1;
    for (size_t line = begin; line < span.begin;) {
      size_t end = text.find('\n', line);
      const size_t first = text.find_first_not_of(" \t\r\n", line);
      const bool directive = first != std::string::npos && first < span.begin && text[first] == '#';
      if (directive) {
        for (end = text.find('\n', first); end != std::string::npos && text[end - 1] == '\\';)
          end = text.find('\n', end + 1);
        begin = std::min(end, span.begin);
      }
      line = end == std::string::npos ? span.begin : end + 1;
    }
    return begin;
  }

  void add_body(CXCursor cursor, bool lambda) {
    const CXCursor body = body_of(cursor);
    if (clang_Cursor_isNull(body) != 0 || !unit_.in_main_file(clang_getCursorLocation(body))) return;
    const Span span = span_of(clang_getCursorExtent(body));
    if (span.end <= span.begin || unit_.text[span.begin] != '{' || unit_.text[span.end - 1] != '}') return;
    const bool captures_all = lambda && captures_by_default(unit_.text, span_of(clang_getCursorExtent(cursor)).begin);
    reached_.bodies.push_back({{lambda ? "a lambda in " + name_ : spelling(cursor), span}, captures_all, entity_});
  }

  void visit_children(CXCursor cursor) {
    for (const CXCursor child : children(cursor)) visit(child);
  }

  void visit(CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (kind == CXCursor_LambdaExpr) add_body(cursor, true);
    if (is_function(cursor)) add_body(cursor, false);  // a method of a local type
    const CXCursor target = clang_getCursorReferenced(cursor);
    if (kind == CXCursor_DeclRefExpr && is_global_variable(target, {"blockIdx", "sp_block_idx"})) {
      const Span span = span_of(clang_getCursorExtent(cursor));
      const bool in_main = unit_.in_main_file(clang_getCursorLocation(cursor));
      reached_.block_ids.push_back({.kind = BlockIdUse::Kind::kBlockIdx,
                                    .span = span,
                                    .function = name_,
                                    .text = in_main ? unit_.text.substr(span.begin, span.end - span.begin) : "blockIdx",
                                    .in_source = in_main});
    }
    if (kind == CXCursor_DeclRefExpr && is_global_variable(target, {"gridDim", "sp_grid_dim"}))
      reached_.grid_dim = true;
    if (kind == CXCursor_OverloadedDeclRef) {
      for (unsigned i = 0; i < clang_getNumOverloadedDecls(cursor); ++i) follow(clang_getOverloadedDecl(cursor, i));
    }
    follow(target);
    const CXType type = clang_getCursorType(cursor);
    if (type.kind == CXType_Dependent || type.kind == CXType_Overload) dependent_ = true;
    if (type.kind != CXType_Invalid) follow(declaration_of(type));
    visit_children(cursor);
  }

  void follow(CXCursor target) {
    if (clang_Cursor_isNull(target) != 0 || clang_isInvalid(clang_getCursorKind(target)) != 0) return;
    if (!is_function(target) && !is_record(target) && clang_getCursorKind(target) != CXCursor_VarDecl) return;
    if (!unit_.is_user_code(clang_getCursorLocation(target))) return;
    const auto found = declarations_.find(target);
    for (const size_t index : found) enqueue(index);
    if (!is_function(target)) return;
    // An instantiation, an override or a specialisation: whatever has the name.
    const bool by_name = found.empty() || clang_CXXMethod_isVirtual(target) != 0 ||
                         clang_Cursor_isNull(clang_getSpecializedCursorTemplate(target)) == 0 ||
                         clang_getCursorKind(target) == CXCursor_FunctionTemplate;
    if (by_name) enqueue_name(simple_name(target));
  }

  const Unit& unit_;
  const Declarations& declarations_;
  Reached reached_;
  std::vector<size_t> queue_;
  size_t entity_ = 0;  // that is being examined, and its name
  std::string name_;
  bool dependent_ = false;  // it has calls that only an instantiation resolves
};

}  // namespace

Declarations::Declarations(const Unit& unit) {
  walk(unit.root(), [&](CXCursor cursor) {
    const CXCursorKind kind = clang_getCursorKind(cursor);
    if (!unit.is_user_code(clang_getCursorLocation(cursor))) return false;
    if (kind == CXCursor_MacroDefinition) {
      Macro macro{unit.tokens(clang_getCursorExtent(cursor))};
      if (!macro.tokens.empty()) macro.tokens.erase(macro.tokens.begin());  // its own name
      macros_[spelling(cursor)] = std::move(macro);
    } else if (kind == CXCursor_MacroExpansion) {
      expansions_.push_back(
          {spelling(cursor), file_of(clang_getCursorLocation(cursor)), span_of(clang_getCursorExtent(cursor))});
    } else if (is_function(cursor)) {
      if (clang_Cursor_isNull(body_of(cursor)) == 0) add(cursor);
      return false;
    } else if (kind == CXCursor_VarDecl) {
      add(cursor);
      return false;
    } else if (is_record(cursor)) {
      if (clang_isCursorDefinition(cursor) != 0) add(cursor);
    }
    return true;
  });
}

void Declarations::add(CXCursor cursor) {
  const size_t index = entities_.size();
  entities_.push_back(
      {cursor, simple_name(cursor), is_called_silently(cursor), is_function(cursor) && is_kernel(cursor)});
  by_identity_[identity(cursor)].push_back(index);
  by_name_[entities_.back().name].push_back(index);
}

std::vector<size_t> Declarations::find(CXCursor declaration) const {
  const auto direct = by_identity_.find(identity(declaration));
  std::vector<size_t> result = direct == by_identity_.end() ? std::vector<size_t>() : direct->second;
  const CXCursor pattern = clang_getSpecializedCursorTemplate(declaration);
  if (clang_Cursor_isNull(pattern) == 0) {
    const auto of_template = find_name(simple_name(pattern));
    result.insert(result.end(), of_template.begin(), of_template.end());
  }
  return result;
}

std::vector<size_t> Declarations::find_name(const std::string& name) const {
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? std::vector<size_t>() : found->second;
}

std::vector<SourceToken> Declarations::tokens_of_macro(const std::string& name) const {
  std::vector<SourceToken> result;
  std::set<std::string> seen = {name};
  std::vector<std::string> open = {name};
  while (!open.empty()) {
    const auto macro = macros_.find(open.back());
    open.pop_back();
    if (macro == macros_.end()) continue;
    for (const SourceToken& token : macro->second.tokens) {
      result.push_back(token);
      if (seen.insert(token.text).second) open.push_back(token.text);
    }
  }
  return result;
}

Reached reach(const Unit& unit, const Declarations& declarations, CXCursor kernel) {
  return Walker(unit, declarations).run(kernel);
}

}  // namespace swizzleperf::ast
