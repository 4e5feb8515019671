// What the elementwise operations compute, one element at a time.
#include <cmath>
#include <map>

#include "frontend/triton/elementwise.h"

namespace swizzleperf::triton {
namespace {

#define SP_INTEGER(expression)                                            \
  [](const int64_t* v, const Type& from, const Type& to) -> int64_t {     \
    [[maybe_unused]] const int64_t a = v[0];                              \
    [[maybe_unused]] const Type& type = from;                             \
    return wrapped(Datum::of(static_cast<int64_t>(expression)), to).base; \
  }
#define SP_B (v[1])
#define SP_UA unsigned_of(a, type)
#define SP_UB unsigned_of(v[1], type)

uint64_t unsigned_of(int64_t value, const Type& type) {
  return type.bits >= 64 ? static_cast<uint64_t>(value)
                         : static_cast<uint64_t>(value) & ((uint64_t{1} << type.bits) - 1);
}
int64_t sum(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
}
int64_t difference(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) - static_cast<uint64_t>(b));
}
int64_t product(int64_t a, int64_t b) {
  return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
}
// Division by zero and the overflowing one have no value on a GPU either: 0 and the wrapped one stand for it.
int64_t quotient(int64_t a, int64_t b) {
  return b == 0 ? 0 : b == -1 ? difference(0, a) : a / b;
}
int64_t remainder(int64_t a, int64_t b) {
  return b == 0 || b == -1 ? 0 : a % b;
}
int64_t floor_quotient(int64_t a, int64_t b) {
  const int64_t q = quotient(a, b);
  return remainder(a, b) != 0 && (a < 0) != (b < 0) ? q - 1 : q;
}
int64_t ceil_quotient(int64_t a, int64_t b) {
  const int64_t q = quotient(a, b);
  return remainder(a, b) != 0 && (a < 0) == (b < 0) ? q + 1 : q;
}
uint64_t shifted(uint64_t a, uint64_t by, bool left) {
  return by >= 64 ? 0 : left ? a << by : a >> by;
}

const std::map<std::string, ElementFunction>& integers() {
  static const std::map<std::string, ElementFunction> known = {
      {"arith.addi", SP_INTEGER(sum(a, SP_B))},
      {"arith.subi", SP_INTEGER(difference(a, SP_B))},
      {"arith.muli", SP_INTEGER(product(a, SP_B))},
      {"arith.divsi", SP_INTEGER(quotient(a, SP_B))},
      {"arith.remsi", SP_INTEGER(remainder(a, SP_B))},
      {"arith.floordivsi", SP_INTEGER(floor_quotient(a, SP_B))},
      {"arith.ceildivsi", SP_INTEGER(ceil_quotient(a, SP_B))},
      {"arith.divui", SP_INTEGER(SP_B == 0 ? 0 : SP_UA / SP_UB)},
      {"arith.remui", SP_INTEGER(SP_B == 0 ? 0 : SP_UA % SP_UB)},
      {"arith.ceildivui", SP_INTEGER(SP_B == 0 ? 0 : SP_UA / SP_UB + (SP_UA % SP_UB != 0 ? 1 : 0))},
      {"arith.minsi", SP_INTEGER(std::min(a, SP_B))},
      {"arith.maxsi", SP_INTEGER(std::max(a, SP_B))},
      {"arith.minui", SP_INTEGER(std::min(SP_UA, SP_UB))},
      {"arith.maxui", SP_INTEGER(std::max(SP_UA, SP_UB))},
      {"arith.andi", SP_INTEGER(a & SP_B)},
      {"arith.ori", SP_INTEGER(a | SP_B)},
      {"arith.xori", SP_INTEGER(a ^ SP_B)},
      {"arith.shli", SP_INTEGER(shifted(SP_UA, SP_UB, true))},
      {"arith.shrui", SP_INTEGER(shifted(SP_UA, SP_UB, false))},
      {"arith.shrsi", SP_INTEGER(a >> std::min<uint64_t>(SP_UB, 63))},
      {"arith.extsi", SP_INTEGER(type.bits == 1 ? -(a & 1) : a)},
      {"arith.extui", SP_INTEGER(SP_UA)},
      {"arith.trunci", SP_INTEGER(a)},
      {"arith.index_cast", SP_INTEGER(a)},
      {"arith.index_castui", SP_INTEGER(SP_UA)},
      {"arith.bitcast", SP_INTEGER(a)},
      {"tt.bitcast", SP_INTEGER(a)},
      {"tt.ptr_to_int", SP_INTEGER(a)},
      {"tt.int_to_ptr", SP_INTEGER(a)},
      {"math.absi", SP_INTEGER(a < 0 ? difference(0, a) : a)},
      {"math.ctlz", SP_INTEGER(std::countl_zero(SP_UA) - (64 - type.bits))},
      {"math.cttz", SP_INTEGER(std::min(std::countr_zero(SP_UA), type.bits))},
      {"math.ctpop", SP_INTEGER(std::popcount(SP_UA))},
      {"tt.mulhiui", SP_INTEGER(static_cast<uint64_t>((static_cast<unsigned __int128>(SP_UA) * SP_UB) >>
                                                      static_cast<unsigned>(type.bits)))},
  };
  return known;
}

const std::map<std::string, ElementFunction>& integer_comparisons() {
  static const std::map<std::string, ElementFunction> known = {
      {"eq", SP_INTEGER(a == SP_B)},       {"ne", SP_INTEGER(a != SP_B)},       {"slt", SP_INTEGER(a < SP_B)},
      {"sle", SP_INTEGER(a <= SP_B)},      {"sgt", SP_INTEGER(a > SP_B)},       {"sge", SP_INTEGER(a >= SP_B)},
      {"ult", SP_INTEGER(SP_UA < SP_UB)},  {"ule", SP_INTEGER(SP_UA <= SP_UB)}, {"ugt", SP_INTEGER(SP_UA > SP_UB)},
      {"uge", SP_INTEGER(SP_UA >= SP_UB)},
  };
  return known;
}

double real(int64_t bits) {
  return std::bit_cast<double>(bits);
}
int64_t bits_of(double value, const Type& type) {
  return std::bit_cast<int64_t>(rounded(value, type));
}
int64_t whole(double value, const Type& type, bool is_signed) {
  if (std::isnan(value)) return 0;
  constexpr double kTop = 9.2e18;
  if (!is_signed && value >= kTop && value < 2 * kTop) return static_cast<int64_t>(static_cast<uint64_t>(value));
  return wrapped(Datum::of(static_cast<int64_t>(std::clamp(value, -kTop, kTop))), type).base;
}

#define SP_REAL(expression)                                      \
  [](const int64_t* v, const Type&, const Type& to) -> int64_t { \
    [[maybe_unused]] const double a = real(v[0]);                \
    return bits_of(static_cast<double>(expression), to);         \
  }
#define SP_RB (real(v[1]))
#define SP_RC (real(v[2]))

double larger(double a, double b, bool number_wins) {
  if (std::isnan(a) || std::isnan(b)) return number_wins ? std::fmax(a, b) : NAN;
  return std::max(a, b);
}
double smaller(double a, double b, bool number_wins) {
  if (std::isnan(a) || std::isnan(b)) return number_wins ? std::fmin(a, b) : NAN;
  return std::min(a, b);
}

const std::map<std::string, ElementFunction>& reals() {
  static const std::map<std::string, ElementFunction> known = {
      {"arith.addf", SP_REAL(a + SP_RB)},
      {"arith.subf", SP_REAL(a - SP_RB)},
      {"arith.mulf", SP_REAL(a * SP_RB)},
      {"arith.divf", SP_REAL(a / SP_RB)},
      {"tt.precise_divf", SP_REAL(a / SP_RB)},
      {"arith.remf", SP_REAL(std::fmod(a, SP_RB))},
      {"arith.negf", SP_REAL(-a)},
      {"arith.maximumf", SP_REAL(larger(a, SP_RB, false))},
      {"arith.minimumf", SP_REAL(smaller(a, SP_RB, false))},
      {"arith.maxnumf", SP_REAL(larger(a, SP_RB, true))},
      {"arith.minnumf", SP_REAL(smaller(a, SP_RB, true))},
      {"tt.clampf", SP_REAL(smaller(larger(a, SP_RB, true), SP_RC, true))},
      {"arith.extf", SP_REAL(a)},
      {"arith.truncf", SP_REAL(a)},
      {"tt.fp_to_fp", SP_REAL(a)},
      {"math.fma", SP_REAL(std::fma(a, SP_RB, SP_RC))},
      {"math.absf", SP_REAL(std::fabs(a))},
      {"math.floor", SP_REAL(std::floor(a))},
      {"math.ceil", SP_REAL(std::ceil(a))},
      {"math.round", SP_REAL(std::round(a))},
      {"math.trunc", SP_REAL(std::trunc(a))},
      {"math.sqrt", SP_REAL(std::sqrt(a))},
      {"tt.precise_sqrt", SP_REAL(std::sqrt(a))},
      {"math.rsqrt", SP_REAL(1 / std::sqrt(a))},
      {"math.exp", SP_REAL(std::exp(a))},
      {"math.exp2", SP_REAL(std::exp2(a))},
      {"math.log", SP_REAL(std::log(a))},
      {"math.log2", SP_REAL(std::log2(a))},
      {"math.sin", SP_REAL(std::sin(a))},
      {"math.cos", SP_REAL(std::cos(a))},
      {"math.erf", SP_REAL(std::erf(a))},
      {"math.tanh", SP_REAL(std::tanh(a))},
      {"arith.sitofp",
       [](const int64_t* v, const Type&, const Type& to) { return bits_of(static_cast<double>(v[0]), to); }},
      {"arith.uitofp", [](const int64_t* v, const Type& from,
                          const Type& to) { return bits_of(static_cast<double>(unsigned_of(v[0], from)), to); }},
      {"arith.fptosi", [](const int64_t* v, const Type&, const Type& to) { return whole(real(v[0]), to, true); }},
      {"arith.fptoui", [](const int64_t* v, const Type&, const Type& to) { return whole(real(v[0]), to, false); }},
  };
  return known;
}

#define SP_ORDER(test)                                                \
  [](const int64_t* v, const Type&, const Type&) -> int64_t {         \
    const double a = real(v[0]), b = real(v[1]);                      \
    [[maybe_unused]] const bool nan = std::isnan(a) || std::isnan(b); \
    return (test) ? 1 : 0;                                            \
  }

const std::map<std::string, ElementFunction>& float_comparisons() {
  static const std::map<std::string, ElementFunction> known = {
      {"oeq", SP_ORDER(a == b)},        {"ogt", SP_ORDER(a > b)},         {"oge", SP_ORDER(a >= b)},
      {"olt", SP_ORDER(a < b)},         {"ole", SP_ORDER(a <= b)},        {"one", SP_ORDER(!nan && a != b)},
      {"ord", SP_ORDER(!nan)},          {"uno", SP_ORDER(nan)},           {"ueq", SP_ORDER(nan || a == b)},
      {"ugt", SP_ORDER(nan || a > b)},  {"uge", SP_ORDER(nan || a >= b)}, {"ult", SP_ORDER(nan || a < b)},
      {"ule", SP_ORDER(nan || a <= b)}, {"une", SP_ORDER(nan || a != b)},
  };
  return known;
}

ElementFunction find(const std::map<std::string, ElementFunction>& known, const std::string& name) {
  const auto found = known.find(name);
  return found == known.end() ? nullptr : found->second;
}

}  // namespace

ElementFunction integer_function(const std::string& name, const std::string& word) {
  return name == "arith.cmpi" ? find(integer_comparisons(), word) : find(integers(), name);
}

ElementFunction float_function(const std::string& name, const std::string& word) {
  return name == "arith.cmpf" ? find(float_comparisons(), word) : find(reals(), name);
}

}  // namespace swizzleperf::triton
