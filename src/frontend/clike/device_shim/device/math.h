// Math functions by clang's builtins; where the backend has none, something of about the same cost.
#pragma once

#define SP_MATH_1(name)                                                        \
  SP_FN float name##f(float x) { return __builtin_##name##f(x); }
#define SP_MATH_BOTH(name)                                                     \
  SP_MATH_1(name)                                                              \
  SP_FN double name(double x) { return __builtin_##name(x); }                  \
  SP_FN float name(float x) { return __builtin_##name##f(x); }
SP_MATH_BOTH(sqrt)
SP_MATH_BOTH(fabs)
SP_MATH_BOTH(floor)
SP_MATH_BOTH(ceil)
SP_MATH_BOTH(trunc)
SP_MATH_BOTH(rint)
SP_MATH_BOTH(round)
#define SP_MATH_SINGLE(name)                                                   \
  SP_MATH_1(name)                                                              \
  SP_FN float name(float x) { return __builtin_##name##f(x); }                 \
  SP_FN double name(double x) { return (double)__builtin_##name##f((float)x); }
SP_MATH_SINGLE(exp)
SP_MATH_SINGLE(exp2)
SP_MATH_SINGLE(log)
SP_MATH_SINGLE(log2)
SP_MATH_SINGLE(log10)
SP_MATH_SINGLE(sin)
SP_MATH_SINGLE(cos)
SP_FN int abs(int x) { return x < 0 ? -x : x; }
SP_FN float abs(float x) { return __builtin_fabsf(x); }
SP_FN double abs(double x) { return __builtin_fabs(x); }
SP_FN bool isnan(float x) { return x != x; }
SP_FN bool isnan(double x) { return x != x; }
SP_FN bool isinf(float x) { return __builtin_fabsf(x) == __builtin_huge_valf(); }
SP_FN bool isinf(double x) { return __builtin_fabs(x) == __builtin_huge_val(); }
SP_FN bool isfinite(float x) { return __builtin_fabsf(x) < __builtin_huge_valf(); }
SP_FN float fmaxf(float a, float b) { return __builtin_fmaxf(a, b); }
SP_FN float fminf(float a, float b) { return __builtin_fminf(a, b); }
SP_FN double fmax(double a, double b) { return __builtin_fmax(a, b); }
SP_FN double fmin(double a, double b) { return __builtin_fmin(a, b); }
SP_FN float fmaf(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SP_FN double fma(double a, double b, double c) { return __builtin_fma(a, b, c); }
SP_FN float fma(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SP_FN float copysignf(float a, float b) { return __builtin_copysignf(a, b); }
SP_FN float fmodf(float a, float b) { return a - __builtin_truncf(a / b) * b; }
SP_FN float powf(float x, float y) { return __builtin_exp2f(y * __builtin_log2f(x)); }
SP_FN float pow(float x, float y) { return powf(x, y); }
SP_FN double pow(double x, double y) { return (double)powf((float)x, (float)y); }
SP_FN float tanf(float x) { return __builtin_sinf(x) / __builtin_cosf(x); }
SP_FN float sinhf(float x) { return 0.5f * (__builtin_expf(x) - __builtin_expf(-x)); }
SP_FN float coshf(float x) { return 0.5f * (__builtin_expf(x) + __builtin_expf(-x)); }
SP_FN float tanhf(float x) { return 1.0f - 2.0f / (__builtin_expf(2.0f * x) + 1.0f); }
SP_FN float tanh(float x) { return tanhf(x); }
SP_FN float expm1f(float x) { return __builtin_expf(x) - 1.0f; }
SP_FN float log1pf(float x) { return __builtin_logf(1.0f + x); }
SP_FN float exp10f(float x) { return __builtin_exp2f(3.32192809f * x); }
SP_FN float cbrtf(float x) { return __builtin_copysignf(powf(__builtin_fabsf(x), 1.0f / 3.0f), x); }
SP_FN float hypotf(float x, float y) { return __builtin_sqrtf(x * x + y * y); }
SP_FN float erff(float x) {  // Abramowitz and Stegun 7.1.26
  const float t = 1.0f / (1.0f + 0.3275911f * __builtin_fabsf(x));
  const float p = ((((1.061405429f * t - 1.453152027f) * t + 1.421413741f) * t - 0.284496736f) * t + 0.254829592f) * t;
  return __builtin_copysignf(1.0f - p * __builtin_expf(-x * x), x);
}
SP_FN float erf(float x) { return erff(x); }
SP_FN float erfcf(float x) { return 1.0f - erff(x); }
SP_FN float normcdff(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
SP_FN float rsqrtf(float x) { return __builtin_amdgcn_rsqf(x); }
SP_FN double rsqrt(double x) { return 1.0 / __builtin_sqrt(x); }
SP_FN void sincosf(float x, float* s, float* c) { *s = __builtin_sinf(x); *c = __builtin_cosf(x); }
SP_FN void __sincosf(float x, float* s, float* c) { *s = __builtin_sinf(x); *c = __builtin_cosf(x); }
SP_FN float __expf(float x) { return __builtin_expf(x); }
SP_FN float __exp10f(float x) { return exp10f(x); }
SP_FN float __logf(float x) { return __builtin_logf(x); }
SP_FN float __log2f(float x) { return __builtin_log2f(x); }
SP_FN float __log10f(float x) { return __builtin_log10f(x); }
SP_FN float __sinf(float x) { return __builtin_sinf(x); }
SP_FN float __cosf(float x) { return __builtin_cosf(x); }
SP_FN float __tanf(float x) { return tanf(x); }
SP_FN float __powf(float x, float y) { return powf(x, y); }
SP_FN float __fdividef(float a, float b) { return a / b; }
SP_FN float fdividef(float a, float b) { return a / b; }
SP_FN float __frcp_rn(float x) { return 1.0f / x; }
SP_FN float __fsqrt_rn(float x) { return __builtin_sqrtf(x); }
SP_FN float __frsqrt_rn(float x) { return __builtin_amdgcn_rsqf(x); }
SP_FN float __fmaf_rn(float a, float b, float c) { return __builtin_fmaf(a, b, c); }
SP_FN float __fmul_rn(float a, float b) { return a * b; }
SP_FN float __fadd_rn(float a, float b) { return a + b; }
SP_FN float __fsub_rn(float a, float b) { return a - b; }
SP_FN float __fdiv_rn(float a, float b) { return a / b; }
SP_FN double __fma_rn(double a, double b, double c) { return __builtin_fma(a, b, c); }
SP_FN float __saturatef(float x) { return fminf(fmaxf(x, 0.0f), 1.0f); }
#ifndef INFINITY
#define INFINITY __builtin_inff()
#endif
#ifndef NAN
#define NAN __builtin_nanf("")
#endif
#undef SP_MATH_1
#undef SP_MATH_BOTH
#undef SP_MATH_SINGLE
