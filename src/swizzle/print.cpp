#include "swizzle/print.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "swizzle/evaluate.h"
#include "swizzle/format.h"

namespace swizzleperf {
namespace {

using detail::Dialect;
using detail::Node;
using detail::Program;

bool is_launch_name(const std::string& name) {
  return name == "wg" || name.rfind("wg_", 0) == 0 || name == "num_wgs" || name == "grid_x" || name == "grid_y" ||
         name == "grid_z";
}

bool uses_call(const Program& program, const std::string& name) {
  return std::any_of(program.nodes.begin(), program.nodes.end(),
                     [&](const Node& node) { return node.kind == Node::Kind::kCall && node.text == name; });
}

std::vector<Grid> all_grids(const Swizzle& swizzle, const PrintOptions& options) {
  std::vector<Grid> grids = {swizzle.grid()};
  for (const Grid& grid : options.guard_grids) {
    if (std::find(grids.begin(), grids.end(), grid) == grids.end()) grids.push_back(grid);
  }
  return grids;
}

// 32 when every value that C would compute on the guarded grids fits into a signed 32-bit integer. An unguarded map may
// meet any grid, so it always gets 64.
Expected<int> needed_bits(const Swizzle& swizzle, const PrintOptions& options) {
  if (!options.guarded) return 64;
  const Program& program = swizzle.expr().program();
  std::vector<detail::RegisterRange> ranges(program.operations.size());
  for (const Grid& grid : all_grids(swizzle, options)) {
    auto evaluator = detail::Evaluator::create(program, grid, swizzle.sizes());
    if (!evaluator) return tl::unexpected(evaluator.error());
    for (int64_t first = 0; first < grid.size(); first += detail::Evaluator::kBlock) {
      const int64_t count = std::min(detail::Evaluator::kBlock, grid.size() - first);
      if (auto status = evaluator->run(first, count); !status) return tl::unexpected(status.error());
      evaluator->accumulate(ranges, count);
    }
  }
  const bool narrow = std::all_of(ranges.begin(), ranges.end(), [](const auto& range) {
    return range.low > range.high || (range.low >= INT32_MIN && range.high <= INT32_MAX);
  });
  return narrow ? 32 : 64;
}

// What differs between the languages that look like C.
struct CLike {
  std::string type;  // of every variable
  std::string prefix;
  const Sizes* sizes = nullptr;
  std::set<std::string> assigned = {};  // the program's own variables
};

Dialect c_dialect(const CLike& language) {
  const auto literal = [](int64_t value) {
    return value > INT32_MAX ? fmt::format("{}LL", value) : fmt::format("{}", value);
  };
  return {.literal = [literal](const Node& node) { return literal(node.literal); },
          .name =
              [language, literal](const Node& node) {
                if (language.assigned.count(node.text) > 0) return language.prefix + "v_" + node.text;
                if (is_launch_name(node.text)) return language.prefix + node.text;
                const int64_t value = language.sizes->at(node.text);
                return value < 0 ? "(" + literal(value) + ")" : literal(value);
              },
          .operation =
              [language](const Node& node, const std::vector<Dialect::Text>& operands) {
                Dialect::Text text = detail::c_operation(node, operands);
                if (node.kind == Node::Kind::kCall) text.text = language.prefix + text.text;
                return text;
              }};
}

// Definitions of the built-ins that a program calls; `open` starts a function: "static T sp_min(" or a lambda.
struct Builtin {
  const char* name;
  const char* parameters;  // with $T for the type
  const char* body;
};

const char* const kHilbertBody = R"({
  $T sx = 0, sy = 0, ax, ay, bx, by;
  if (columns >= rows) { ax = columns; ay = 0; bx = 0; by = rows; } else { ax = 0; ay = rows; bx = columns; by = 0; }
  for (;;) {
    const $T w = ax + ay < 0 ? -(ax + ay) : ax + ay, h = bx + by < 0 ? -(bx + by) : bx + by;
    const $T ux = (ax > 0) - (ax < 0), uy = (ay > 0) - (ay < 0), vx = (bx > 0) - (bx < 0), vy = (by > 0) - (by < 0);
    if (h == 1) return $A + $U * t;
    if (w == 1) return $A + $V * t;
    $T px = ax >> 1, py = ay >> 1, qx = bx >> 1, qy = by >> 1;
    $T pl = px + py < 0 ? -(px + py) : px + py, ql = qx + qy < 0 ? -(qx + qy) : qx + qy;
    if (2 * w > 3 * h) {
      if (pl % 2 == 1 && w > 2) { px += ux; py += uy; ++pl; }
      if (t < pl * h) { ax = px; ay = py; continue; }
      t -= pl * h; sx += px; sy += py; ax -= px; ay -= py;
      continue;
    }
    if (ql % 2 == 1 && h > 2) { qx += vx; qy += vy; ++ql; }
    if (t < ql * pl) { ax = qx; ay = qy; bx = px; by = py; continue; }
    t -= ql * pl;
    if (t < w * (h - ql)) { sx += qx; sy += qy; bx -= qx; by -= qy; continue; }
    t -= w * (h - ql);
    sx += ax - ux + qx - vx; sy += ay - uy + qy - vy;
    bx = px - ax; by = py - ay; ax = -qx; ay = -qy;
  }
})";

const char* const kMortonBody = R"({
  $T side = 1, x = 0, y = 0;
  while (side < rows || side < columns) side *= 2;
  while (side > 1) {
    side /= 2;
    for (int quadrant = 0; quadrant < 4; ++quadrant) {
      const $T qx = x + quadrant % 2 * side, qy = y + quadrant / 2 * side;
      const $T dx = columns - qx < side ? columns - qx : side, dy = rows - qy < side ? rows - qy : side;
      const $T cells = dx > 0 && dy > 0 ? dx * dy : 0;
      if (t < cells) { x = qx; y = qy; break; }
      t -= cells;
    }
  }
  return $A;
})";

const std::array<Builtin, 8> kBuiltins = {
    {{"min", "$T a, $T b", "{ return a < b ? a : b; }"},
     {"max", "$T a, $T b", "{ return a > b ? a : b; }"},
     {"abs", "$T a", "{ return a < 0 ? -a : a; }"},
     {"ceil_div", "$T a, $T b", "{ return a / b + (a % b != 0 && (a % b > 0) == (b > 0) ? 1 : 0); }"},
     {"hilbert_x", "$T t, $T rows, $T columns", kHilbertBody},
     {"hilbert_y", "$T t, $T rows, $T columns", kHilbertBody},
     {"morton_x", "$T t, $T rows, $T columns", kMortonBody},
     {"morton_y", "$T t, $T rows, $T columns", kMortonBody}}};

std::string replace_all(std::string text, const std::string& from, const std::string& to) {
  for (size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

std::string builtin_text(const Builtin& builtin, const std::string& type, const std::string& text) {
  const std::string name = builtin.name;
  const bool vertical = name.back() == 'y';
  std::string result = replace_all(text, "$T", type);
  result = replace_all(result, "$A", name.rfind("hilbert", 0) == 0 ? (vertical ? "sy" : "sx") : (vertical ? "y" : "x"));
  result = replace_all(result, "$U", vertical ? "uy" : "ux");
  return replace_all(result, "$V", vertical ? "vy" : "vx");
}

std::string indented(const std::string& text, const std::string& indent) {
  std::string result;
  size_t begin = 0;
  while (begin < text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    if (end > begin) result += indent + text.substr(begin, end - begin);
    result += "\n";
    begin = end + 1;
  }
  return result;
}

// Lambdas in device code, static functions in C.
std::string builtins(const Program& program, const CLike& language, bool lambdas) {
  std::string text;
  for (const Builtin& builtin : kBuiltins) {
    if (!uses_call(program, builtin.name)) continue;
    const std::string parameters = builtin_text(builtin, language.type, builtin.parameters);
    const std::string body = builtin_text(builtin, language.type, builtin.body);
    text += lambdas ? fmt::format("const auto {}{} = []({}) -> {} {};\n", language.prefix, builtin.name, parameters,
                                  language.type, body)
                    : fmt::format("static {} {}{}({}) {}\n", language.type, language.prefix, builtin.name, parameters,
                                  body);
  }
  return text;
}

// Declarations of the launch's own values that the program reads; `source` says where wg_x, ..., grid_z come from.
std::string launch_values(const Program& program, const CLike& language,
                          const std::map<std::string, std::string>& source) {
  std::set<std::string> used(program.inputs.begin(), program.inputs.end());
  if (used.count("wg") > 0) used.insert({"wg_x", "wg_y", "wg_z", "grid_x", "grid_y"});
  if (used.count("num_wgs") > 0) used.insert({"grid_x", "grid_y", "grid_z"});
  if (program.linear_result) used.insert({"grid_x", "grid_y"});
  std::string text;
  for (const char* name : {"wg_x", "wg_y", "wg_z", "grid_x", "grid_y", "grid_z"}) {
    if (used.count(name) > 0)
      text += fmt::format("const {0} {1}{2} = ({0}){3};\n", language.type, language.prefix, name, source.at(name));
  }
  const std::string& p = language.prefix;
  if (used.count("num_wgs") > 0)
    text += fmt::format("const {0} {1}num_wgs = {1}grid_x * {1}grid_y * {1}grid_z;\n", language.type, p);
  if (used.count("wg") > 0)
    text += fmt::format("const {0} {1}wg = {1}wg_x + {1}grid_x * ({1}wg_y + {1}grid_y * {1}wg_z);\n", language.type, p);
  return text;
}

std::string assignments(const Program& program, const CLike& language) {
  const Dialect dialect = c_dialect(language);
  std::set<std::string> declared;
  std::string text;
  for (const auto& assignment : program.assignments) {
    const bool first = declared.insert(assignment.name).second;
    const bool again = std::count_if(program.assignments.begin(), program.assignments.end(),
                                     [&](const auto& other) { return other.name == assignment.name; }) > 1;
    text += fmt::format("{}{}v_{} = {};\n", first ? (again ? language.type + " " : "const " + language.type + " ") : "",
                        language.prefix, assignment.name, detail::format_node(program, assignment.node, dialect).text);
  }
  return text;
}

// Statements that turn the program's variables into the three results; `assign(axis, value)` makes one.
template <class Assign>
std::string results(const Program& program, const std::string& p, Assign assign) {
  if (program.linear_result) {
    return assign(0, fmt::format("{0}v_pid % {0}grid_x", p)) +
           assign(1, fmt::format("{0}v_pid / {0}grid_x % {0}grid_y", p)) +
           assign(2, fmt::format("{0}v_pid / {0}grid_x / {0}grid_y", p));
  }
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    text += assign(axis, axis < program.result_axes ? fmt::format("{}v_pid_{}", p, "xyz"[axis]) : std::string("0"));
  }
  return text;
}

std::string guard_condition(const Swizzle& swizzle, const PrintOptions& options, const std::string& form,
                            const std::string& either) {
  std::string text;
  for (const Grid& grid : all_grids(swizzle, options)) {
    text += (text.empty() ? "" : either) + fmt::format(fmt::runtime(form), grid.x, grid.y, grid.z);
  }
  return text;
}

PrintedMap print_device(const Swizzle& swizzle, const PrintOptions& options, const CLike& language) {
  const Program& program = swizzle.expr().program();
  const std::string& p = options.prefix;
  std::string text =
      fmt::format("unsigned {0}pid_x = ::blockIdx.x, {0}pid_y = ::blockIdx.y, {0}pid_z = ::blockIdx.z;\n", p);
  std::string inner = launch_values(program, language,
                                    {{"wg_x", "::blockIdx.x"},
                                     {"wg_y", "::blockIdx.y"},
                                     {"wg_z", "::blockIdx.z"},
                                     {"grid_x", "::gridDim.x"},
                                     {"grid_y", "::gridDim.y"},
                                     {"grid_z", "::gridDim.z"}});
  inner += builtins(program, language, true) + assignments(program, language);
  inner += results(program, p, [&](int axis, const std::string& value) {
    return fmt::format("{}pid_{} = (unsigned)({});\n", p, "xyz"[axis], value);
  });
  if (options.guarded) {
    const std::string condition =
        guard_condition(swizzle, options, "(::gridDim.x == {}u && ::gridDim.y == {}u && ::gridDim.z == {}u)", " || ");
    const bool single = condition.find("||") == std::string::npos;
    text +=
        fmt::format("if {} {{\n{}}}\n", single ? condition : "(" + condition + ")", indented(inner, options.indent));
  } else {
    text += fmt::format("{{\n{}}}\n", indented(inner, options.indent));
  }
  return {.helpers = "", .body = indented(text, options.indent)};
}

PrintedMap print_c(const Swizzle& swizzle, const PrintOptions& options, const CLike& language) {
  const Program& program = swizzle.expr().program();
  const std::string& p = options.prefix;
  std::string inner = launch_values(program, language,
                                    {{"wg_x", "wg_x"},
                                     {"wg_y", "wg_y"},
                                     {"wg_z", "wg_z"},
                                     {"grid_x", "grid_x"},
                                     {"grid_y", "grid_y"},
                                     {"grid_z", "grid_z"}});
  inner += assignments(program, language);
  inner += results(program, p,
                   [&](int axis, const std::string& value) { return fmt::format("pid[{}] = {};\n", axis, value); });
  if (options.guarded) {
    const std::string condition =
        guard_condition(swizzle, options, "(grid_x == {} && grid_y == {} && grid_z == {})", " || ");
    inner =
        fmt::format("if (!({})) {{\n  pid[0] = wg_x;\n  pid[1] = wg_y;\n  pid[2] = wg_z;\n  return;\n}}\n", condition) +
        inner;
  }
  return {.helpers = "#include <stdint.h>\n" + builtins(program, language, false),
          .body = fmt::format("void {}map(int64_t wg_x, int64_t wg_y, int64_t wg_z, int64_t grid_x, int64_t grid_y, "
                              "int64_t grid_z, int64_t pid[3]) {{\n"
                              "  (void)wg_x; (void)wg_y; (void)wg_z; (void)grid_x; (void)grid_y; (void)grid_z;\n{}}}\n",
                              p, indented(inner, "  "))};
}

// Triton: // and % on integer tensors truncate as C does; the conditional expression on a scalar evaluates one side
// only.
Dialect triton_dialect(const CLike& language) {
  Dialect dialect = c_dialect(language);
  dialect.literal = [](const Node& node) { return fmt::format("{}", node.literal); };
  dialect.operation = [](const Node& node, const std::vector<Dialect::Text>& o) -> Dialect::Text {
    const std::string& op = node.text;
    if (node.kind == Node::Kind::kConditional)
      return {fmt::format("({} if ({}) != 0 else {})", o[1].text, o[0].text, o[2].text)};
    if (node.kind == Node::Kind::kUnary) {
      return {op == "!" ? fmt::format("(1 if ({}) == 0 else 0)", o[0].text) : fmt::format("({}({}))", op, o[0].text)};
    }
    if (node.kind == Node::Kind::kCall) {
      if (op == "min") return {fmt::format("tl.minimum({}, {})", o[0].text, o[1].text)};
      if (op == "max") return {fmt::format("tl.maximum({}, {})", o[0].text, o[1].text)};
      if (op == "abs") return {fmt::format("tl.abs({})", o[0].text)};
      return {fmt::format("tl.cdiv({}, {})", o[0].text, o[1].text)};
    }
    if (op == "&&") return {fmt::format("((1 if ({}) != 0 else 0) if ({}) != 0 else 0)", o[1].text, o[0].text)};
    if (op == "||") return {fmt::format("(1 if ({}) != 0 else (1 if ({}) != 0 else 0))", o[0].text, o[1].text)};
    const int level = detail::precedence(op);
    const bool comparison = level == detail::precedence("==") || level == detail::precedence("<");
    if (comparison) return {fmt::format("(1 if ({}) {} ({}) else 0)", o[0].text, op, o[1].text)};
    return {fmt::format("(({}) {} ({}))", o[0].text, op == "/" ? "//" : op, o[1].text)};
  };
  return dialect;
}

Expected<PrintedMap> print_triton(const Swizzle& swizzle, const PrintOptions& options, const CLike& language) {
  const Program& program = swizzle.expr().program();
  for (const char* curve : {"hilbert_x", "hilbert_y", "morton_x", "morton_y"}) {
    if (uses_call(program, curve))
      return unsupported(fmt::format("'{}' cannot be printed for Triton", curve), {program.file_name});
  }
  const std::string& p = options.prefix;
  std::string text;
  const char* kAxes = "xyz";
  for (int axis = 0; axis < 3; ++axis) {
    text += fmt::format("{0}wg_{1} = tl.program_id({2})\n{0}grid_{1} = tl.num_programs({2})\n{0}pid_{1} = {0}wg_{1}\n",
                        p, kAxes[axis], axis);
  }
  std::string inner = fmt::format(
      "{0}num_wgs = {0}grid_x * {0}grid_y * {0}grid_z\n{0}wg = {0}wg_x + {0}grid_x * ({0}wg_y + {0}grid_y * {0}wg_z)\n",
      p);
  const Dialect dialect = triton_dialect(language);
  for (const auto& assignment : program.assignments) {
    inner +=
        fmt::format("{}v_{} = {}\n", p, assignment.name, detail::format_node(program, assignment.node, dialect).text);
  }
  std::string result = results(program, p, [&](int axis, const std::string& value) {
    return fmt::format("{}pid_{} = {}\n", p, kAxes[axis], value);
  });
  inner += replace_all(result, " / ", " // ");
  if (options.guarded) {
    inner = fmt::format("if {}:\n",
                        guard_condition(swizzle, options,
                                        "(" + p + "grid_x == {} and " + p + "grid_y == {} and " + p + "grid_z == {})",
                                        " or ")) +
            indented(inner, options.indent);
  }
  return PrintedMap{.helpers = "", .body = indented(text + inner, options.indent)};
}

}  // namespace

Expected<PrintedMap> print_map(const Swizzle& swizzle, Target target, const PrintOptions& options) {
  const auto bits = needed_bits(swizzle, options);
  if (!bits) return tl::unexpected(bits.error());
  const bool narrow = *bits == 32;
  CLike language{.type = narrow ? "int" : "long long", .prefix = options.prefix, .sizes = &swizzle.sizes()};
  for (const auto& assignment : swizzle.expr().program().assignments) language.assigned.insert(assignment.name);
  Expected<PrintedMap> printed;
  switch (target) {
    case Target::kLanguage:
      printed = PrintedMap{.helpers = "", .body = swizzle.expr().text()};
      break;
    case Target::kC:
      language.type = narrow ? "int32_t" : "int64_t";
      printed = print_c(swizzle, options, language);
      break;
    case Target::kHip:
    case Target::kCuda:
      printed = print_device(swizzle, options, language);
      break;
    case Target::kTriton:
      printed = print_triton(swizzle, options, language);
      break;
  }
  if (!printed) return printed;
  printed->bits = *bits;
  // The remap of a linear result into axes costs four more.
  printed->operations = swizzle.expr().operation_count() + (swizzle.expr().program().linear_result ? 4 : 0);
  return printed;
}

}  // namespace swizzleperf
