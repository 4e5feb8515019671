// Random affine kernels as IR: what the evaluator finds equals what evaluating every element by itself gives.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <functional>
#include <set>

#include "tests/triton/samples.h"

namespace swizzleperf {
namespace {

// A random integer expression over a program's ids and the two coordinates of an element, as IR and as a function.
struct Random {
  std::string text;  // operations, one a line
  int next = 0;
  using Function = std::function<int64_t(int64_t x, int64_t y, int64_t i, int64_t j)>;
  struct Term {
    std::string name;
    Function value;
  };

  Term line(const std::string& operation, Function value) {
    const std::string name = fmt::format("%v{}", next++);
    text += fmt::format("    {} = {}\n", name, operation);
    return {name, std::move(value)};
  }
  Term constant(int64_t c) {
    return line(fmt::format("arith.constant dense<{}> : tensor<8x16xi32>", c),
                [c](int64_t, int64_t, int64_t, int64_t) { return c; });
  }
  Term leaf() {
    switch (*rc::gen::inRange(0, 5)) {
      case 0:
        return line("tt.splat %x : i32 -> tensor<8x16xi32>", [](int64_t x, int64_t, int64_t, int64_t) { return x; });
      case 1:
        return line("tt.splat %y : i32 -> tensor<8x16xi32>", [](int64_t, int64_t y, int64_t, int64_t) { return y; });
      case 2:
        return line("tt.broadcast %rows : tensor<8x1xi32> -> tensor<8x16xi32>",
                    [](int64_t, int64_t, int64_t i, int64_t) { return i; });
      case 3:
        return line("tt.broadcast %columns : tensor<1x16xi32> -> tensor<8x16xi32>",
                    [](int64_t, int64_t, int64_t, int64_t j) { return j; });
      default:
        return constant(*rc::gen::inRange(-3, 9));
    }
  }
  Term expression(int depth) {
    if (depth == 0 || *rc::gen::inRange(0, 5) == 0) return leaf();
    const Term a = expression(depth - 1);
    const int kind = *rc::gen::inRange(0, 7);
    if (kind < 2) {
      const Term b = expression(depth - 1);
      const int64_t sign = kind == 0 ? 1 : -1;
      return line(
          fmt::format("arith.{} {}, {} : tensor<8x16xi32>", kind == 0 ? "addi" : "subi", a.name, b.name),
          [=](int64_t x, int64_t y, int64_t i, int64_t j) { return a.value(x, y, i, j) + sign * b.value(x, y, i, j); });
    }
    const int64_t c = *rc::gen::inRange(1, 7);
    const Term b = constant(c);
    const char* const names[] = {"muli", "divsi", "remsi", "maxsi", "xori"};
    return line(fmt::format("arith.{} {}, {} : tensor<8x16xi32>", names[kind - 2], a.name, b.name),
                [=](int64_t x, int64_t y, int64_t i, int64_t j) {
                  const int64_t v = a.value(x, y, i, j);
                  return kind == 2 ? v * c : kind == 3 ? v / c : kind == 4 ? v % c : kind == 5 ? std::max(v, c) : v ^ c;
                });
  }
};

// Every byte that a tile requests.
std::set<int64_t> bytes_of(const Workload& workload, int64_t tile) {
  std::set<int64_t> bytes;
  const auto at = [&](int64_t t) {
    return static_cast<size_t>(workload.phase_begin[static_cast<size_t>(workload.tile_begin[static_cast<size_t>(t)])]);
  };
  for (size_t a = at(tile); a < at(tile + 1); ++a) {
    const Access& access = workload.accesses[a];
    for (const Segment& s : workload.patterns[static_cast<size_t>(access.pattern)].segments) {
      for (int64_t b = 0; b < s.bytes; ++b) bytes.insert(access.origin + s.offset + b);
    }
  }
  return bytes;
}

constexpr int64_t kElements = 1 << 20;  // of the array; its middle is element 0 of the expression

std::string kernel_text(const Random& random, const Random::Term& at, const Random::Term& limit, int bound) {
  return fmt::format(R"(tt.func public @k(%p: !tt.ptr<f32>) {{
    %x = tt.get_program_id x : i32
    %y = tt.get_program_id y : i32
    %r = tt.make_range {{end = 8 : i32, start = 0 : i32}} : tensor<8xi32>
    %c = tt.make_range {{end = 16 : i32, start = 0 : i32}} : tensor<16xi32>
    %rows = tt.expand_dims %r {{axis = 1 : i32}} : tensor<8xi32> -> tensor<8x1xi32>
    %columns = tt.expand_dims %c {{axis = 0 : i32}} : tensor<16xi32> -> tensor<1x16xi32>
    %middle = arith.constant {} : i32
    %q = tt.addptr %p, %middle : !tt.ptr<f32>, i32
    %zero = arith.constant dense<0.0> : tensor<8x16xf32>
{}    %bound = arith.constant dense<{}> : tensor<8x16xi32>
    %mask = arith.cmpi slt, {}, %bound : tensor<8x16xi32>
    %s = tt.splat %q : !tt.ptr<f32> -> tensor<8x16x!tt.ptr<f32>>
    %a = tt.addptr %s, {} : tensor<8x16x!tt.ptr<f32>>, tensor<8x16xi32>
    tt.store %a, %zero, %mask : tensor<8x16x!tt.ptr<f32>>
    tt.return
  }})",
                     kElements / 2, random.text, bound, limit.name, at.name);
}

TEST(TritonEvaluation, RandomKernelsTouchWhatEachOfTheirElementsDoes) {
  const auto folder = TemporaryFolder::create();
  ASSERT_TRUE(folder);
  const auto file = folder->path() / "k.ttir";
  ASSERT_TRUE(rc::check([&] {
    Random random;
    const auto at = random.expression(4);
    const auto limit = random.expression(3);
    const int bound = *rc::gen::inRange(-2, 20);
    RC_ASSERT(write_file_atomic(file, kernel_text(random, at, limit, bound)));
    const Case the_case = triton_case("k", file.string(), "[3, 2]", buffer("p", "fp32", std::to_string(kElements)));
    const auto workload = workload_of(the_case);
    if (!workload) RC_FAIL(describe(workload.error()) + random.text);
    for (int64_t tile = 0; tile < 6; ++tile) {
      std::set<int64_t> expected;
      for (int64_t i = 0; i < 8; ++i) {
        for (int64_t j = 0; j < 16; ++j) {
          if (limit.value(tile % 3, tile / 3, i, j) >= bound) continue;
          const int64_t element = kElements / 2 + at.value(tile % 3, tile / 3, i, j);
          for (int64_t b = 0; b < 4; ++b) expected.insert(4 * element + b);
        }
      }
      std::set<int64_t> seen = bytes_of(*workload, tile);
      // A gather's requests name whole stretches of a line: they must hold the elements, and touch no other line.
      std::set<int64_t> lines, seen_lines;
      for (const int64_t b : expected) lines.insert(b / 128);
      for (const int64_t b : seen) seen_lines.insert(b / 128);
      RC_ASSERT(std::includes(seen.begin(), seen.end(), expected.begin(), expected.end()));
      RC_ASSERT(lines == seen_lines);
    }
  }));
}

}  // namespace
}  // namespace swizzleperf
