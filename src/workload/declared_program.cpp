#include "workload/declared_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "workload/declared_scanner.h"

namespace swizzleperf::declared {
namespace {

constexpr int kMaxNesting = 32;
constexpr int kMaxStatements = 4096;

struct AccessWord {
  const char* word;
  AccessKind kind;
};
constexpr std::array<AccessWord, 4> kAccessWords = {{{"load", AccessKind::kLoad},
                                                     {"scalar", AccessKind::kScalarLoad},
                                                     {"store", AccessKind::kStore},
                                                     {"atomic", AccessKind::kAtomic}}};
constexpr std::array<const char*, 13> kReserved = {"load", "scalar", "store", "atomic", "for",  "unroll", "in",
                                                   "step", "if",     "else",  "wait",   "wave", "lane"};

class Parser : private Scanner {
 public:
  Parser(const std::string& text, const Place& place, const Names& names) : Scanner(text, place), names_(names) {
    program_.variables = names.known;
  }

  Expected<Program> run() {
    auto statements = block(0, false);
    if (!statements) return tl::unexpected(statements.error());
    if (program_.accesses == 0)
      return error(0, "the program reads and writes nothing", "write load or store statements");
    program_.statements = std::move(*statements);
    return std::move(program_);
  }

 private:
  using Statements = std::vector<Statement>;

  Expected<int> expression(Piece piece, const char* what) {
    while (piece.begin < piece.end && is_space(text_[piece.begin])) ++piece.begin;
    while (piece.end > piece.begin && is_space(text_[piece.end - 1])) --piece.end;
    if (piece.begin == piece.end) return error(piece.begin, fmt::format("{} is missing", what));
    const auto slot_of = [&](const std::string& name) {
      const auto found = std::find(program_.variables.rbegin(), program_.variables.rend(), name);
      return found == program_.variables.rend() ? -1 : static_cast<int>(program_.variables.rend() - found) - 1;
    };
    std::string known = "known here:";
    for (const auto& name : program_.variables) known += name.empty() ? "" : " " + name;
    auto parsed =
        ScalarExpr::parse(text_.substr(piece.begin, piece.end - piece.begin), place_at(piece.begin), slot_of, known);
    if (!parsed) return tl::unexpected(parsed.error());
    program_.expressions.push_back(std::move(*parsed));
    program_.expression_places.push_back(place_at(piece.begin));
    return static_cast<int>(program_.expressions.size()) - 1;
  }

  // A block of statements; names that it introduces end with it. The slots stay taken, without a name.
  Expected<Statements> block(int nesting, bool braces) {
    if (nesting > kMaxNesting) return error(at_, fmt::format("blocks are nested deeper than {}", kMaxNesting));
    const size_t opened = at_;
    const size_t names_before = program_.variables.size();
    Statements statements;
    for (;;) {
      skip_spaces(true);
      while (!at_end() && text_[at_] == ';') ++at_, skip_spaces(true);
      if (at_end()) {
        if (braces) return error(opened, "this block is not closed", "add '}'");
        break;
      }
      if (text_[at_] == '}') {
        if (!braces) return error(at_, "'}' without a block");
        ++at_;
        break;
      }
      if (++statement_count_ > kMaxStatements)
        return error(at_, fmt::format("the program has more than {} statements", kMaxStatements));
      auto parsed = statement(nesting);
      if (!parsed) return tl::unexpected(parsed.error());
      statements.push_back(std::move(*parsed));
    }
    for (size_t i = names_before; i < program_.variables.size(); ++i) program_.variables[i].clear();
    return statements;
  }

  Expected<Statement> statement(int nesting) {
    const size_t begin = at_;
    const std::string word = take_word();
    if (word.empty()) return error(begin, fmt::format("a statement cannot begin with '{}'", text_[begin]));
    for (const auto& access : kAccessWords) {
      if (word == access.word) return access_statement(access.kind, begin);
    }
    if (word == "for" || word == "unroll") return loop(word == "unroll", begin, nesting);
    if (word == "if") return condition(begin, nesting);
    if (word == "wait") {
      if (auto status = end_statement(); !status) return tl::unexpected(status.error());
      return Statement{.kind = Statement::Kind::kWait, .place = place_at(begin)};
    }
    return assignment(word, begin);
  }

  // A variable of this or an outer block, or a new one; the slots of known names cannot be assigned.
  Expected<int> variable(const std::string& name, size_t at) {
    if (std::find(kReserved.begin(), kReserved.end(), name) != kReserved.end())
      return error(at, fmt::format("'{}' is a word of the language and cannot be a name", name));
    for (const auto* list : {&names_.known, &names_.arrays, &names_.tables}) {
      if (std::find(list->begin(), list->end(), name) != list->end())
        return error(at, fmt::format("'{}' is given and cannot be assigned", name));
    }
    const auto found = std::find(program_.variables.begin(), program_.variables.end(), name);
    if (found != program_.variables.end()) return static_cast<int>(found - program_.variables.begin());
    program_.variables.push_back(name);
    return static_cast<int>(program_.variables.size()) - 1;
  }

  int table_named(const std::string& name) const {
    const auto found = std::find(names_.tables.begin(), names_.tables.end(), name);
    return found == names_.tables.end() ? -1 : static_cast<int>(found - names_.tables.begin());
  }

  // NAME = EXPRESSION, or NAME = TABLE[EXPRESSION].
  Expected<Statement> assignment(const std::string& name, size_t begin) {
    skip_spaces(false);
    if (at_end() || text_[at_] != '=' || (at_ + 1 < text_.size() && text_[at_ + 1] == '='))
      return error(begin, fmt::format("'{}' is neither a statement nor followed by '='", name),
                   "statements: load, scalar, store, atomic, wait, for, unroll, if, NAME = EXPRESSION");
    ++at_;
    skip_spaces(false);
    Statement result{.kind = Statement::Kind::kAssign, .place = place_at(begin)};
    const size_t value = at_;
    const std::string word = take_word();
    result.table = table_named(word);
    if (result.table >= 0) {
      result.kind = Statement::Kind::kLookUp;
      if (auto status = expect('[', "the table's name"); !status) return tl::unexpected(status.error());
      const Piece piece = take_until([&](size_t i) { return text_[i] == ']'; });
      auto index = expression(piece, "the place in the table");
      if (!index) return tl::unexpected(index.error());
      if (auto status = expect(']', "the place in the table"); !status) return tl::unexpected(status.error());
      result.expression = *index;
    } else {
      at_ = value;
      const Piece piece = take_until([&](size_t i) { return text_[i] == ';' || text_[i] == '}'; });
      auto parsed = expression(piece, "the value");
      if (!parsed) return tl::unexpected(parsed.error());
      result.expression = *parsed;
    }
    auto slot = variable(name, begin);
    if (!slot) return tl::unexpected(slot.error());
    result.variable = *slot;
    if (auto status = end_statement(); !status) return tl::unexpected(status.error());
    return result;
  }

  // for NAME in FIRST .. END [step STEP] { ... }
  Expected<Statement> loop(bool together, size_t begin, int nesting) {
    Statement result{.kind = Statement::Kind::kFor, .place = place_at(begin), .together = together};
    skip_spaces(false);
    const size_t name_at = at_;
    const std::string name = take_word();
    if (name.empty()) return error(at_, "a loop needs a variable", "for k in 0 .. 8 { ... }");
    skip_spaces(false);
    if (take_word() != "in") return error(at_, "expected 'in' after the loop's variable", "for k in 0 .. 8 { ... }");
    auto first = expression(take_until([&](size_t i) { return dots_at(i) || text_[i] == '{'; }), "the first value");
    if (!first) return tl::unexpected(first.error());
    if (at_end() || !dots_at(at_)) return error(at_, "expected '..' and the value before which the loop ends");
    at_ += 2;
    auto end =
        expression(take_until([&](size_t i) { return text_[i] == '{' || word_at(i, "step"); }), "the loop's end");
    if (!end) return tl::unexpected(end.error());
    result.expression = *first;
    result.end = *end;
    if (!at_end() && word_at(at_, "step")) {
      at_ += 4;
      auto step = expression(take_until([&](size_t i) { return text_[i] == '{'; }), "the step");
      if (!step) return tl::unexpected(step.error());
      result.step = *step;
    }
    if (auto status = expect('{', "the loop's head"); !status) return tl::unexpected(status.error());
    const bool is_new =
        std::find(program_.variables.begin(), program_.variables.end(), name) == program_.variables.end();
    auto slot = variable(name, name_at);
    if (!slot) return tl::unexpected(slot.error());
    result.variable = *slot;
    auto body = block(nesting + 1, true);
    if (!body) return tl::unexpected(body.error());
    result.body = std::move(*body);
    if (is_new) program_.variables[static_cast<size_t>(*slot)].clear();
    return result;
  }

  // if CONDITION { ... } [else { ... } | else if ...]
  Expected<Statement> condition(size_t begin, int nesting) {
    Statement result{.kind = Statement::Kind::kIf, .place = place_at(begin)};
    auto parsed = expression(take_until([&](size_t i) { return text_[i] == '{'; }), "the condition");
    if (!parsed) return tl::unexpected(parsed.error());
    result.expression = *parsed;
    if (auto status = expect('{', "the condition"); !status) return tl::unexpected(status.error());
    auto body = block(nesting + 1, true);
    if (!body) return tl::unexpected(body.error());
    result.body = std::move(*body);
    const size_t after = at_;
    skip_spaces(true);
    if (peek_word() != "else") {
      at_ = after;
      return result;
    }
    take_word();
    skip_spaces(true);
    if (peek_word() == "if") {
      const size_t inner = at_;
      take_word();
      if (nesting >= kMaxNesting) return error(inner, fmt::format("blocks are nested deeper than {}", kMaxNesting));
      auto chained = condition(inner, nesting + 1);
      if (!chained) return tl::unexpected(chained.error());
      result.otherwise.push_back(std::move(*chained));
      return result;
    }
    if (auto status = expect('{', "'else'"); !status) return tl::unexpected(status.error());
    auto otherwise = block(nesting + 1, true);
    if (!otherwise) return tl::unexpected(otherwise.error());
    result.otherwise = std::move(*otherwise);
    return result;
  }

  // BEGIN [: COUNT]; the ':' of a ?: does not count.
  Expected<Range> range(char close) {
    Range result;
    int questions = 0;
    const auto begin_ends = [&](size_t i) {
      if (text_[i] == '?') ++questions;
      if (text_[i] == ':' && questions > 0) return --questions, false;
      return text_[i] == ':' || text_[i] == ',' || text_[i] == close;
    };
    auto begin = expression(take_until(begin_ends), "the first element");
    if (!begin) return tl::unexpected(begin.error());
    result.begin = *begin;
    if (at_end() || text_[at_] != ':') return result;
    ++at_;
    auto count = expression(take_until([&](size_t i) { return text_[i] == ',' || text_[i] == close; }),
                            "the number of elements");
    if (!count) return tl::unexpected(count.error());
    result.count = *count;
    return result;
  }

  // One axis of an access: a range, or TABLE[range].
  Expected<Range> axis() {
    skip_spaces(true);
    const size_t begin = at_;
    const int table = table_named(take_word());
    if (table < 0) {
      at_ = begin;
      return range(']');
    }
    if (auto status = expect('[', "the table's name"); !status) return tl::unexpected(status.error());
    auto places = range(']');
    if (!places) return tl::unexpected(places.error());
    if (auto status = expect(']', "the places in the table"); !status) return tl::unexpected(status.error());
    places->table = table;
    skip_spaces(true);
    return places;
  }

  // load ARRAY[RANGE, ...] [wave (N, ...)] [lane BYTES]
  Expected<Statement> access_statement(AccessKind kind, size_t begin) {
    Statement result{.kind = Statement::Kind::kAccess, .place = place_at(begin), .access = kind};
    skip_spaces(false);
    const size_t name_at = at_;
    const std::string name = take_word();
    const auto found = std::find(names_.arrays.begin(), names_.arrays.end(), name);
    if (found == names_.arrays.end()) {
      std::string known = "known:";
      for (const auto& array : names_.arrays) known += " " + array;
      return error(name_at, fmt::format("unknown array '{}'", name), known);
    }
    result.array = static_cast<int>(found - names_.arrays.begin());
    if (auto status = expect('[', "the array's name"); !status) return tl::unexpected(status.error());
    for (;;) {
      auto parsed = axis();
      if (!parsed) return tl::unexpected(parsed.error());
      result.ranges.push_back(*parsed);
      if (at_end() || text_[at_] != ',') break;
      ++at_;
    }
    if (auto status = expect(']', "the ranges"); !status) return tl::unexpected(status.error());
    const size_t axes = names_.axes[static_cast<size_t>(result.array)];
    if (result.ranges.size() != axes)
      return error(name_at, fmt::format("'{}' has {} axes, and {} are given", name, axes, result.ranges.size()));
    if (auto status = access_options(result); !status) return tl::unexpected(status.error());
    result.access_number = program_.accesses++;
    if (auto status = end_statement(); !status) return tl::unexpected(status.error());
    return result;
  }

  Expected<void> access_options(Statement& result) {
    for (;;) {
      skip_spaces(false);
      const size_t at = at_;
      const std::string word = peek_word();
      if (word == "wave" && result.wave.empty()) {
        take_word();
        auto list = numbers("'wave'");
        if (!list) return tl::unexpected(list.error());
        if (list->size() != result.ranges.size())
          return error(at, fmt::format("'wave' needs {} figures, one an axis", result.ranges.size()));
        result.wave = std::move(*list);
      } else if (word == "lane" && result.lane_bytes == 0) {
        take_word();
        skip_spaces(false);
        auto bytes = number();
        if (!bytes) return tl::unexpected(bytes.error());
        result.lane_bytes = *bytes;
      } else if (!word.empty()) {
        return error(at, fmt::format("'{}' is no option of an access, or given twice", word), "known: wave, lane");
      } else {
        break;
      }
      if (!result.wave.empty() && result.lane_bytes > 0) return error(at, "give either 'wave' or 'lane'");
    }
    return {};
  }

  const Names& names_;
  Program program_;
  int statement_count_ = 0;
};

}  // namespace

Expected<Program> parse_program(const std::string& text, const Place& place, const Names& names) {
  return Parser(text, place, names).run();
}

}  // namespace swizzleperf::declared
