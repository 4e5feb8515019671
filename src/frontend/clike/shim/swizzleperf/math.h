// Math functions that the C library does not have.
#pragma once

SP_FN float __expf(float x) { return std::exp(x); }
SP_FN float __exp10f(float x) { return exp10f(x); }
SP_FN float __logf(float x) { return std::log(x); }
SP_FN float __log2f(float x) { return std::log2(x); }
SP_FN float __log10f(float x) { return std::log10(x); }
SP_FN float __sinf(float x) { return std::sin(x); }
SP_FN float __cosf(float x) { return std::cos(x); }
SP_FN float __tanf(float x) { return std::tan(x); }
SP_FN void __sincosf(float x, float* s, float* c) { *s = std::sin(x); *c = std::cos(x); }
SP_FN void sincospif(float x, float* s, float* c) { *s = (float)std::sin(x * 3.14159265358979323846); *c = (float)std::cos(x * 3.14159265358979323846); }
SP_FN float sinpif(float x) { return (float)std::sin(x * 3.14159265358979323846); }
SP_FN float cospif(float x) { return (float)std::cos(x * 3.14159265358979323846); }
SP_FN float __powf(float x, float y) { return std::pow(x, y); }
SP_FN float __fdividef(float a, float b) { return a / b; }
SP_FN float fdividef(float a, float b) { return a / b; }
SP_FN float __frcp_rn(float x) { return 1.0f / x; }
SP_FN float __fsqrt_rn(float x) { return std::sqrt(x); }
SP_FN float __frsqrt_rn(float x) { return 1.0f / std::sqrt(x); }
SP_FN float rsqrtf(float x) { return 1.0f / std::sqrt(x); }
SP_FN double rsqrt(double x) { return 1.0 / std::sqrt(x); }
SP_FN float rcbrtf(float x) { return 1.0f / std::cbrt(x); }
SP_FN float rhypotf(float x, float y) { return 1.0f / std::hypot(x, y); }
SP_FN float norm3df(float x, float y, float z) { return std::hypot(x, y, z); }
SP_FN float rnorm3df(float x, float y, float z) { return 1.0f / std::hypot(x, y, z); }
SP_FN float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
SP_FN float __fmul_rn(float a, float b) { return a * b; }
SP_FN float __fadd_rn(float a, float b) { return a + b; }
SP_FN float __fsub_rn(float a, float b) { return a - b; }
SP_FN float __fdiv_rn(float a, float b) { return a / b; }
SP_FN double __fma_rn(double a, double b, double c) { return std::fma(a, b, c); }
SP_FN double __dmul_rn(double a, double b) { return a * b; }
SP_FN double __dadd_rn(double a, double b) { return a + b; }
SP_FN double __ddiv_rn(double a, double b) { return a / b; }
SP_FN double __dsqrt_rn(double x) { return std::sqrt(x); }
SP_FN float __saturatef(float x) { return x < 0 || x != x ? 0.0f : x > 1 ? 1.0f : x; }
SP_FN float normcdff(float x) { return 0.5f * std::erfc(-x * 0.70710678118654752f); }
SP_FN float erfcxf(float x) { return std::exp(x * x) * std::erfc(x); }
SP_FN float __builtin_amdgcn_rcpf(float x) { return 1.0f / x; }
SP_FN float __builtin_amdgcn_rsqf(float x) { return 1.0f / std::sqrt(x); }
SP_FN float __builtin_amdgcn_sqrtf(float x) { return std::sqrt(x); }
SP_FN float __builtin_amdgcn_exp2f(float x) { return std::exp2(x); }
SP_FN float __builtin_amdgcn_logf(float x) { return std::log2(x); }
SP_FN float __builtin_amdgcn_fmed3f(float a, float b, float c) { return std::max(std::min(a, b), std::min(std::max(a, b), c)); }
SP_FN float __ocml_exp2_f32(float x) { return std::exp2(x); }
SP_FN float __ocml_native_exp2_f32(float x) { return std::exp2(x); }
SP_FN float __ocml_native_recip_f32(float x) { return 1.0f / x; }
SP_FN unsigned __builtin_amdgcn_alignbit(unsigned hi, unsigned lo, unsigned shift) { return __funnelshift_r(lo, hi, shift); }
