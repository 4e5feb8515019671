// Maps as C, and as device code of HIP and CUDA.
#include <array>

#include "swizzle/print_parts.h"

namespace swizzleperf::detail {
namespace {

// A printing with the name of its integer type.
struct CLike {
  const Printing& map;
  std::string type;
  const std::string& prefix() const { return map.prefix(); }
};

// In wide arithmetic literals are wide, too: C would compute `65536 * 65536` with the literals' own type.
std::string literal(const CLike& language, int64_t value) {
  const char* suffix = language.map.narrow ? "" : "LL";
  if (value == INT64_MIN) return fmt::format("(-{}LL - 1)", INT64_MAX);
  return value < 0 ? fmt::format("(-{}{})", -value, suffix) : fmt::format("{}{}", value, suffix);
}

Dialect c_dialect(const CLike& language) {
  return {.literal = [language](const Node& node) { return literal(language, node.literal); },
          .name =
              [language](const Node& node) {
                if (language.map.assigned.count(node.text) > 0) return language.prefix() + "v_" + node.text;
                if (is_launch_name(node.text)) return language.prefix() + node.text;
                return literal(language, language.map.swizzle.sizes().at(node.text));
              },
          .operation =
              [language](const Node& node, const std::vector<Dialect::Text>& operands) {
                Dialect::Text text = c_operation(node, operands);
                if (node.kind == Node::Kind::kCall) text.text = language.prefix() + text.text;
                return text;
              }};
}

// Definitions of the built-ins that a program calls; `$T` stands for the integer type.
struct Builtin {
  const char* name;
  const char* parameters;  // with $T for the type
  const char* body;
};

constexpr const char* kHilbertBody = R"({
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

constexpr const char* kMortonBody = R"({
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

constexpr std::array<Builtin, 8> kBuiltins = {
    {{"min", "$T a, $T b", "{ return a < b ? a : b; }"},
     {"max", "$T a, $T b", "{ return a > b ? a : b; }"},
     {"abs", "$T a", "{ return a < 0 ? -a : a; }"},
     {"ceil_div", "$T a, $T b", "{ return a / b + (a % b != 0 && (a % b > 0) == (b > 0) ? 1 : 0); }"},
     {"hilbert_x", "$T t, $T rows, $T columns", kHilbertBody},
     {"hilbert_y", "$T t, $T rows, $T columns", kHilbertBody},
     {"morton_x", "$T t, $T rows, $T columns", kMortonBody},
     {"morton_y", "$T t, $T rows, $T columns", kMortonBody}}};

std::string builtin_text(const Builtin& builtin, const std::string& type, const std::string& text) {
  const std::string name = builtin.name;
  const bool vertical = name.back() == 'y';
  std::string result = replace_all(text, "$T", type);
  result = replace_all(result, "$A", name.rfind("hilbert", 0) == 0 ? (vertical ? "sy" : "sx") : (vertical ? "y" : "x"));
  result = replace_all(result, "$U", vertical ? "uy" : "ux");
  return replace_all(result, "$V", vertical ? "vy" : "vx");
}

// Lambdas in device code, static functions in C.
std::string builtins(const CLike& language, bool lambdas) {
  std::string text;
  for (const Builtin& builtin : kBuiltins) {
    if (!uses_call(language.map.program(), builtin.name)) continue;
    const std::string parameters = builtin_text(builtin, language.type, builtin.parameters);
    const std::string body = builtin_text(builtin, language.type, builtin.body);
    text += lambdas ? fmt::format("const auto {}{} = []({}) -> {} {};\n", language.prefix(), builtin.name, parameters,
                                  language.type, body)
                    : fmt::format("static {} {}{}({}) {}\n", language.type, language.prefix(), builtin.name, parameters,
                                  body);
  }
  return text;
}

// Declarations of the launch's own values that the program reads; `source` says where wg_x, ..., grid_z come from.
std::string launch_values(const CLike& language, const std::map<std::string, std::string>& source) {
  const std::set<std::string> needed = needed_launch_values(language.map.program());
  const std::string& p = language.prefix();
  std::string text;
  for (const char* name : {"wg_x", "wg_y", "wg_z", "grid_x", "grid_y", "grid_z"}) {
    if (needed.count(name) > 0)
      text += fmt::format("const {0} {1}{2} = ({0}){3};\n", language.type, p, name, source.at(name));
  }
  if (needed.count("num_wgs") > 0)
    text += fmt::format("const {0} {1}num_wgs = {1}grid_x * {1}grid_y * {1}grid_z;\n", language.type, p);
  if (needed.count("wg") > 0)
    text += fmt::format("const {0} {1}wg = {1}wg_x + {1}grid_x * ({1}wg_y + {1}grid_y * {1}wg_z);\n", language.type, p);
  return text;
}

std::string assignments(const CLike& language) {
  const Program& program = language.map.program();
  const Dialect dialect = c_dialect(language);
  std::set<std::string> declared;
  std::string text;
  for (const auto& assignment : program.assignments) {
    const bool first = declared.insert(assignment.name).second;
    const bool again = std::count_if(program.assignments.begin(), program.assignments.end(),
                                     [&](const auto& other) { return other.name == assignment.name; }) > 1;
    text += fmt::format("{}{}v_{} = {};\n", first ? (again ? language.type + " " : "const " + language.type + " ") : "",
                        language.prefix(), assignment.name, format_node(program, assignment.node, dialect).text);
  }
  return text;
}

// Where the map is active. Unguarded: on every grid of its axes whose number of workgroups the arithmetic can hold.
std::string condition(const Printing& map, const std::string& grid, const char* wide, const char* suffix) {
  const auto axis = [&](char name) { return grid + name; };
  if (!map.options.guarded) {
    std::string text = fmt::format("({}){} * {} * {} <= {}", wide, axis('x'), axis('y'), axis('z'), map.most);
    const Program& program = map.program();
    if (!program.linear_result && program.result_axes < 2) text += fmt::format(" && {} == 1{}", axis('y'), suffix);
    if (!program.linear_result && program.result_axes < 3) text += fmt::format(" && {} == 1{}", axis('z'), suffix);
    return text;
  }
  std::string text;
  for (const Grid& one : map.grids) {
    const std::string each = fmt::format("{0} == {3}{6} && {1} == {4}{6} && {2} == {5}{6}", axis('x'), axis('y'),
                                         axis('z'), one.x, one.y, one.z, suffix);
    text += (text.empty() ? "" : " || ") + (map.grids.size() > 1 ? "(" + each + ")" : each);
  }
  return text;
}

}  // namespace

PrintedMap print_device(const Printing& map) {
  const CLike language{map, map.narrow ? "int" : "long long"};
  const std::string& p = map.prefix();
  std::string inner = launch_values(language, {{"wg_x", "::blockIdx.x"},
                                               {"wg_y", "::blockIdx.y"},
                                               {"wg_z", "::blockIdx.z"},
                                               {"grid_x", "::gridDim.x"},
                                               {"grid_y", "::gridDim.y"},
                                               {"grid_z", "::gridDim.z"}});
  inner += builtins(language, true) + assignments(language);
  inner += results(map.program(), p, [&](int axis, const std::string& value) {
    return fmt::format("{}pid_{} = (unsigned)({});\n", p, "xyz"[axis], value);
  });
  std::string text =
      fmt::format("unsigned {0}pid_x = ::blockIdx.x, {0}pid_y = ::blockIdx.y, {0}pid_z = ::blockIdx.z;\n", p);
  text += fmt::format("if ({}) {{\n{}}}\n", condition(map, "::gridDim.", "unsigned long long", "u"),
                      indented(inner, map.options.indent));
  return {.helpers = "", .body = indented(text, map.options.indent)};
}

PrintedMap print_c(const Printing& map) {
  const CLike language{map, map.narrow ? "int32_t" : "int64_t"};
  const std::string& p = map.prefix();
  std::string inner = launch_values(language, {{"wg_x", "wg_x"},
                                               {"wg_y", "wg_y"},
                                               {"wg_z", "wg_z"},
                                               {"grid_x", "grid_x"},
                                               {"grid_y", "grid_y"},
                                               {"grid_z", "grid_z"}});
  inner += assignments(language);
  inner += results(map.program(), p,
                   [&](int axis, const std::string& value) { return fmt::format("pid[{}] = {};\n", axis, value); });
  inner = fmt::format("pid[0] = wg_x;\npid[1] = wg_y;\npid[2] = wg_z;\nif ({}) {{\n{}}}\n",
                      condition(map, "grid_", "uint64_t", ""), indented(inner, "  "));
  return {.helpers = "#include <stdint.h>\n" + builtins(language, false),
          .body = fmt::format("void {}map(int64_t wg_x, int64_t wg_y, int64_t wg_z, int64_t grid_x, int64_t grid_y, "
                              "int64_t grid_z, int64_t pid[3]) {{\n{}}}\n",
                              p, indented(inner, "  "))};
}

}  // namespace swizzleperf::detail
