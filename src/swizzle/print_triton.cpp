// Maps as Triton. What the language needs, and this respects:
// - `//` and `%` truncate on tensors but floor on constants: constants are folded, and where an operand may be negative
// a
//   helper divides;
// - program ids are 32 bits wide: where that does not suffice they are widened, and with them everything;
// - a conditional expression on a scalar evaluates one side only; tl.where evaluates both;
// - loops are `while` on scalars without break, and values that they carry keep their type.
#include <algorithm>
#include <array>

#include "swizzle/print_parts.h"

namespace swizzleperf::detail {
namespace {

struct Helper {
  const char* name;
  const char* text;  // $P: the prefix, $R: what a curve returns
};

constexpr const char* kHilbert = R"(@triton.jit
def $N(t, rows, columns):
    zero = t * 0
    rows = rows + zero
    columns = columns + zero
    ax = tl.where(columns >= rows, columns, zero)
    ay = tl.where(columns >= rows, zero, rows)
    bx = tl.where(columns >= rows, zero, columns)
    by = tl.where(columns >= rows, rows, zero)
    sx = zero
    sy = zero
    while (tl.abs(ax + ay) > 1) & (tl.abs(bx + by) > 1):
        w = tl.abs(ax + ay)
        h = tl.abs(bx + by)
        ux = tl.where(ax > 0, zero + 1, tl.where(ax < 0, zero - 1, zero))
        uy = tl.where(ay > 0, zero + 1, tl.where(ay < 0, zero - 1, zero))
        vx = tl.where(bx > 0, zero + 1, tl.where(bx < 0, zero - 1, zero))
        vy = tl.where(by > 0, zero + 1, tl.where(by < 0, zero - 1, zero))
        halves = 2 * w > 3 * h
        px = ax >> 1
        py = ay >> 1
        qx = bx >> 1
        qy = by >> 1
        widen = halves & ((tl.abs(px + py) & 1) == 1) & (w > 2)
        px = tl.where(widen, px + ux, px)
        py = tl.where(widen, py + uy, py)
        raise_ = (2 * w <= 3 * h) & ((tl.abs(qx + qy) & 1) == 1) & (h > 2)
        qx = tl.where(raise_, qx + vx, qx)
        qy = tl.where(raise_, qy + vy, qy)
        p = tl.abs(px + py)
        q = tl.abs(qx + qy)
        first = tl.where(halves, p * h, p * q)
        second = tl.where(halves, (w - p) * h, w * (h - q))
        part = tl.where(t < first, zero, tl.where(t - first < second, zero + 1, zero + 2))
        t = t - tl.where(part == 0, zero, tl.where(part == 1, first, first + second))
        sx = sx + tl.where(part == 0, zero, tl.where(part == 2, ax - ux + qx - vx, tl.where(halves, px, qx)))
        sy = sy + tl.where(part == 0, zero, tl.where(part == 2, ay - uy + qy - vy, tl.where(halves, py, qy)))
        cx = tl.where(halves, tl.where(part == 0, px, ax - px), tl.where(part == 0, qx, tl.where(part == 1, ax, -qx)))
        cy = tl.where(halves, tl.where(part == 0, py, ay - py), tl.where(part == 0, qy, tl.where(part == 1, ay, -qy)))
        dx = tl.where(halves, bx, tl.where(part == 0, px, tl.where(part == 1, bx - qx, px - ax)))
        dy = tl.where(halves, by, tl.where(part == 0, py, tl.where(part == 1, by - qy, py - ay)))
        ax = cx
        ay = cy
        bx = dx
        by = dy
    flat = tl.abs(bx + by) == 1
    ux = tl.where(flat, ax, bx)
    uy = tl.where(flat, ay, by)
    x = sx + t * tl.where(ux > 0, zero + 1, tl.where(ux < 0, zero - 1, zero))
    y = sy + t * tl.where(uy > 0, zero + 1, tl.where(uy < 0, zero - 1, zero))
    return $R
)";

constexpr const char* kMorton = R"(@triton.jit
def $N(t, rows, columns):
    zero = t * 0
    side = zero + 1
    while (side < rows) | (side < columns):
        side = side * 2
    x = zero
    y = zero
    while side > 1:
        side = side >> 1
        left = tl.maximum(tl.minimum(columns - x, side), zero)
        right = tl.maximum(tl.minimum(columns - x - side, side), zero)
        top = tl.maximum(tl.minimum(rows - y, side), zero)
        bottom = tl.maximum(tl.minimum(rows - y - side, side), zero)
        one = left * top
        two = one + right * top
        three = two + left * bottom
        before = tl.where(t < one, zero, tl.where(t < two, one, tl.where(t < three, two, three)))
        x = tl.where(((t >= one) & (t < two)) | (t >= three), x + side, x)
        y = tl.where(t >= two, y + side, y)
        t = t - before
    return $R
)";

constexpr const char* kDiv = R"(@triton.jit
def $N(a, b):
    q = tl.abs(a) // tl.abs(b)
    return tl.where((a < 0) == (b < 0), q, -q)
)";

constexpr const char* kMod = R"(@triton.jit
def $N(a, b):
    r = tl.abs(a) % tl.abs(b)
    return tl.where(a < 0, -r, r)
)";

constexpr const char* kCeilDiv = R"(@triton.jit
def $N(a, b):
    q = tl.abs(a) // tl.abs(b)
    up = tl.where(tl.abs(a) % tl.abs(b) == 0, q, q + 1)
    return tl.where((a < 0) == (b < 0), up, -q)
)";

std::string helper(const std::string& name, const std::string& text, const char* result) {
  return replace_all(replace_all(text, "$N", name), "$R", result) + "\n\n";
}

// Prints expressions, and notes the helpers that they call.
class Printer {
 public:
  explicit Printer(const Printing& map) : map_(map) {}

  std::string expression(int node) {
    const Dialect dialect = {.literal = [](const Node& n) { return fmt::format("{}", n.literal); },
                             .name = [this](const Node& n) { return name(n); },
                             .operation =
                                 [this](const Node& n, const std::vector<Dialect::Text>& operands) {
                                   return Dialect::Text{operation(n, operands)};
                                 }};
    return format_node(map_.program(), node, dialect).text;
  }

  std::string helpers() const {
    std::string text;
    for (const std::string& name : used_) {
      const std::string full = map_.prefix() + name;
      if (name == "div") text += helper(full, kDiv, "");
      if (name == "mod") text += helper(full, kMod, "");
      if (name == "ceil_div") text += helper(full, kCeilDiv, "");
      if (name.rfind("hilbert_", 0) == 0) text += helper(full, kHilbert, name.back() == 'x' ? "x" : "y");
      if (name.rfind("morton_", 0) == 0) text += helper(full, kMorton, name.back() == 'x' ? "x" : "y");
    }
    return text.empty() ? text : "import triton\nimport triton.language as tl\n\n\n" + text;
  }

 private:
  std::string name(const Node& node) const {
    if (map_.assigned.count(node.text) > 0) return map_.prefix() + "v_" + node.text;
    if (is_launch_name(node.text)) return map_.prefix() + node.text;
    const int64_t value = map_.swizzle.sizes().at(node.text);
    return fmt::format(fmt::runtime(value < 0 ? "({})" : "{}"), value);
  }

  const Node& node(int index) const { return map_.program().nodes[static_cast<size_t>(index)]; }
  const RegisterRange& range_of(const Node& n) const { return map_.ranges[static_cast<size_t>(n.value)]; }

  bool is_constant(const Node& n) const {
    if (n.kind == Node::Kind::kName) return map_.assigned.count(n.text) == 0 && !is_launch_name(n.text);
    return std::all_of(n.children.begin(), n.children.end(), [&](int child) { return is_constant(node(child)); });
  }

  bool plain_division(const Node& n) const {
    return range_of(node(n.children[0])).low >= 0 && range_of(node(n.children[1])).low >= 0;
  }

  std::string call(const std::string& function, const std::vector<Dialect::Text>& operands) {
    used_.insert(function);
    std::string text = map_.prefix() + function + "(";
    for (size_t i = 0; i < operands.size(); ++i) text += (i == 0 ? "" : ", ") + operands[i].text;
    return text + ")";
  }

  std::string operation(const Node& n, const std::vector<Dialect::Text>& o) {
    const std::string& op = n.text;
    const RegisterRange& range = range_of(n);
    if (is_constant(n) && range.low == range.high) return fmt::format("({})", range.low);
    if (n.kind == Node::Kind::kConditional)
      return fmt::format("({} if ({}) != 0 else {})", o[1].text, o[0].text, o[2].text);
    if (n.kind == Node::Kind::kUnary)
      return op == "!" ? fmt::format("(1 if ({}) == 0 else 0)", o[0].text) : fmt::format("({}({}))", op, o[0].text);
    if (n.kind == Node::Kind::kCall) {
      if (op == "min") return fmt::format("tl.minimum({}, {})", o[0].text, o[1].text);
      if (op == "max") return fmt::format("tl.maximum({}, {})", o[0].text, o[1].text);
      if (op == "abs") return fmt::format("tl.abs({})", o[0].text);
      return call(op, o);
    }
    if (op == "&&") return fmt::format("((1 if ({}) != 0 else 0) if ({}) != 0 else 0)", o[1].text, o[0].text);
    if (op == "||") return fmt::format("(1 if ({}) != 0 else (1 if ({}) != 0 else 0))", o[0].text, o[1].text);
    const int level = precedence(op);
    if (level == precedence("==") || level == precedence("<"))
      return fmt::format("(1 if ({}) {} ({}) else 0)", o[0].text, op, o[1].text);
    if ((op == "/" || op == "%") && !plain_division(n)) return call(op == "/" ? "div" : "mod", o);
    return fmt::format("(({}) {} ({}))", o[0].text, op == "/" ? "//" : op, o[1].text);
  }

  const Printing& map_;
  std::set<std::string> used_;
};

// `and` takes only two operands in Triton; `&` on comparisons of scalars does not mind.
std::string condition(const Printing& map) {
  const std::string& p = map.prefix();
  if (!map.options.guarded) {
    std::string text = fmt::format("({0}grid_x.to(tl.int64) * {0}grid_y * {0}grid_z <= {1})", p, map.most);
    const Program& program = map.program();
    if (!program.linear_result && program.result_axes < 2) text += fmt::format(" & ({}grid_y == 1)", p);
    if (!program.linear_result && program.result_axes < 3) text += fmt::format(" & ({}grid_z == 1)", p);
    return text;
  }
  std::string text;
  for (const Grid& grid : map.grids) {
    const std::string each =
        fmt::format("({0}grid_x == {1}) & ({0}grid_y == {2}) & ({0}grid_z == {3})", p, grid.x, grid.y, grid.z);
    text += (text.empty() ? "" : " | ") + (map.grids.size() > 1 ? "(" + each + ")" : each);
  }
  return text;
}

}  // namespace

PrintedMap print_triton(const Printing& map) {
  const Program& program = map.program();
  const std::string& p = map.prefix();
  const char* const axes = "xyz";
  const char* const widen = map.narrow ? "" : ".to(tl.int64)";
  std::string text;
  for (int axis = 0; axis < 3; ++axis) {
    text += fmt::format(
        "{0}wg_{1} = tl.program_id({2}){3}\n{0}grid_{1} = tl.num_programs({2}){3}\n{0}pid_{1} = {0}wg_{1}\n", p,
        axes[axis], axis, widen);
  }
  std::string inner = fmt::format(
      "{0}num_wgs = {0}grid_x * {0}grid_y * {0}grid_z\n{0}wg = {0}wg_x + {0}grid_x * ({0}wg_y + {0}grid_y * {0}wg_z)\n",
      p);
  Printer printer(map);
  for (const auto& assignment : program.assignments)
    inner += fmt::format("{}v_{} = {}\n", p, assignment.name, printer.expression(assignment.node));
  // Both sides of a branch must give a variable the same type: a constant takes that of the launch id.
  const std::string result = results(program, p, [&](int axis, const std::string& value) {
    const int reg = program.linear_result || axis >= program.result_axes ? kNoRegister : program.results[axis];
    const RegisterRange range = reg == kNoRegister ? RegisterRange{} : map.ranges[static_cast<size_t>(reg)];
    const bool constant = value == "0" || range.low == range.high;
    return constant ? fmt::format("{0}pid_{1} = {0}wg_{1} * 0 + {2}\n", p, axes[axis], value == "0" ? 0 : range.low)
                    : fmt::format("{0}pid_{1} = {2}\n", p, axes[axis], value);
  });
  inner += replace_all(result, " / ", " // ");
  text += fmt::format("if {}:\n{}", condition(map), indented(inner, map.options.indent));
  return {.helpers = printer.helpers(), .body = indented(text, map.options.indent)};
}

}  // namespace swizzleperf::detail
