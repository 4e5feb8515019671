// CUDA's inline assembly, run on the CPU: copies in the background, loads and stores with hints, matrix products, and the small
// instructions that kernels write by hand. The front end turns `asm("..." : "=r"(x) : "l"(p))` into a call of sp_ptx. What is not
// here ends the run with the line.
#pragma once

struct sp_operand {
  void* to = nullptr;  // of an output
  unsigned size = 0;
  const char* name = "";
  unsigned long long bits = 0;
};
template <class T> SP_FN sp_operand sp_ptx_in(const char* name, T v) {
  sp_operand o{nullptr, sizeof v, name, 0};
  __builtin_memcpy(&o.bits, &v, sizeof v);
  return o;
}
template <class T> SP_FN sp_operand sp_ptx_out(const char* name, T& v) {
  sp_operand o{&v, sizeof v, name, 0};
  __builtin_memcpy(&o.bits, &v, sizeof v);
  return o;
}

// Pointers to shared memory fit into 32 bits: they count from here.
inline constinit __shared__ char sp_shared_origin = 0;
SP_FN size_t __cvta_generic_to_shared(const void* p) { return (size_t)(unsigned)((const char*)p - &sp_shared_origin); }
SP_FN size_t __cvta_generic_to_global(const void* p) { return (size_t)p; }

namespace sp_asm {

struct text {
  const char* begin;
  const char* end;
  bool is(const char* word) const { return (size_t)(end - begin) == __builtin_strlen(word) && __builtin_memcmp(begin, word, (size_t)(end - begin)) == 0; }
};
SP_QUIET inline text trim(text t) {
  while (t.begin < t.end && (unsigned char)*t.begin <= ' ') ++t.begin;
  while (t.begin < t.end && (unsigned char)t.end[-1] <= ' ') --t.end;
  return t;
}
// Cuts off what lies before the next separator outside of brackets.
SP_QUIET inline text next(text& rest, char separator) {
  int depth = 0;
  const char* at = rest.begin;
  for (; at < rest.end && (*at != separator || depth > 0); ++at) depth += *at == '{' || *at == '[' ? 1 : *at == '}' || *at == ']' ? -1 : 0;
  const text result = trim({rest.begin, at});
  rest.begin = at < rest.end ? at + 1 : at;
  return result;
}
SP_QUIET inline long long number(text t) {
  const bool negative = t.begin < t.end && *t.begin == '-';
  if (negative) ++t.begin;
  const bool hex = t.end - t.begin > 2 && t.begin[0] == '0' && (t.begin[1] | 32) == 'x';
  long long value = 0;
  for (const char* c = t.begin + (hex ? 2 : 0); c < t.end; ++c) {
    const int digit = *c <= '9' ? *c - '0' : (*c | 32) - 'a' + 10;
    if (digit < 0 || digit >= (hex ? 16 : 10)) break;
    value = value * (hex ? 16 : 10) + digit;
  }
  return negative ? -value : value;
}

// One statement, `asm(...)`, being run.
struct machine {
  sp_operand* operands;
  int count;
  const void* site;
  struct {
    text name;
    bool value;
  } predicates[8];
  int known = 0;

  [[noreturn]] SP_QUIET void refuse(text what) const {
    char message[160] = "inline assembly `";
    const size_t head = __builtin_strlen(message), most = sizeof message - head - 2;
    const size_t length = (size_t)(what.end - what.begin) < most ? (size_t)(what.end - what.begin) : most;
    __builtin_memcpy(message + head, what.begin, length);
    message[head + length] = '`';
    message[head + length + 1] = 0;
    sp_unsupported_at(message, site);
  }
  // %2, %[name]
  SP_QUIET sp_operand* find(text t) const {
    if (t.end - t.begin < 2 || *t.begin != '%') return nullptr;
    if (t.begin[1] == '[') {
      const text name = {t.begin + 2, t.end - 1};
      for (int i = 0; i < count; ++i)
        if (name.is(operands[i].name)) return &operands[i];
      return nullptr;
    }
    if (t.begin[1] < '0' || t.begin[1] > '9') return nullptr;
    const long long index = number({t.begin + 1, t.end});
    return index < count ? &operands[index] : nullptr;
  }
  SP_QUIET unsigned long long value(text t) const {
    if (const sp_operand* o = find(t)) return o->bits;
    if (t.is("%laneid") || t.is("%%laneid")) return __lane_id() % 32;
    if (t.is("%clock") || t.is("%%clock") || t.is("%clock64") || t.is("%%clock64") || t.is("%globaltimer") || t.is("%%globaltimer"))
      return (unsigned long long)sp_clock();
    if (t.begin < t.end && (*t.begin == '-' || (*t.begin >= '0' && *t.begin <= '9'))) return (unsigned long long)number(t);
    refuse(t);
  }
  SP_QUIET void set(text t, unsigned long long bits) {
    sp_operand* o = find(t);
    if (o == nullptr || o->to == nullptr) refuse(t);
    o->bits = bits;
    __builtin_memcpy(o->to, &bits, o->size);
  }
  // [%1 + 16]; shared: a 32-bit pointer.
  SP_QUIET char* address(text t, bool shared) const {
    if (t.end - t.begin < 3 || *t.begin != '[') refuse(t);
    text inside = trim({t.begin + 1, t.end - 1});
    const text base = next(inside, '+');
    const unsigned long long at = value(base) + (inside.begin < inside.end ? value(trim(inside)) : 0);
    const sp_operand* o = find(base);
    return shared && o != nullptr && o->size == 4 ? &sp_shared_origin + (int)(unsigned)at : (char*)at;
  }
  SP_QUIET void read(const char* from, void* to, size_t bytes) const {
    sp_access(from, bytes, 0, site);
    __builtin_memcpy(to, from, bytes);
  }
  SP_QUIET void write(char* to, const void* from, size_t bytes) const {
    sp_access(to, bytes, 1, site);
    __builtin_memcpy(to, from, bytes);
  }
};

// The parts of an opcode between its dots.
struct opcode {
  text whole;
  text parts[16];
  int count = 0;
  SP_QUIET explicit opcode(text t) : whole(t) {
    while (t.begin < t.end && count < 16) parts[count++] = next(t, '.');
  }
  SP_QUIET bool has(const char* word) const {
    for (int i = 0; i < count; ++i)
      if (parts[i].is(word)) return true;
    return false;
  }
  bool begins(const char* a) const { return parts[0].is(a); }
  bool begins(const char* a, const char* b) const { return parts[0].is(a) && count > 1 && parts[1].is(b); }
  // Of the last part: the bytes of `u32`, `b16`, ...; 0 where it is no type.
  SP_QUIET unsigned bytes() const {
    const text last = parts[count - 1];
    const unsigned bits = last.end - last.begin > 1 ? (unsigned)number({last.begin + 1, last.end}) : 0;
    return bits == 8 || bits == 16 || bits == 32 || bits == 64 || bits == 128 ? bits / 8 : 0;
  }
  bool shared() const { return has("shared") || has("shared::cta"); }
};

// ld.global.nc.v4.f32 {%0, %1, %2, %3}, [%4];
SP_QUIET inline void move_data(machine& m, const opcode& op, text rest) {
  const bool load = op.begins("ld");
  text first = next(rest, ','), second = next(rest, ',');
  text list = load ? first : second;
  char* at = m.address(load ? second : first, op.shared());
  const unsigned bytes = op.bytes();
  const int lanes = op.has("v4") ? 4 : op.has("v2") ? 2 : 1;
  if (bytes == 0 || bytes > 8 || bytes * (unsigned)lanes > 32) m.refuse(op.whole);
  if (list.begin < list.end && *list.begin == '{') list = {list.begin + 1, list.end - 1};
  unsigned char data[32];
  if (load) m.read(at, data, bytes * (unsigned)lanes);
  for (int i = 0; i < lanes; ++i) {
    const text one = next(list, ',');
    unsigned long long bits = load ? 0 : m.value(one);
    if (load) {
      __builtin_memcpy(&bits, data + (unsigned)i * bytes, bytes);
      m.set(one, bits);
    } else {
      __builtin_memcpy(data + (unsigned)i * bytes, &bits, bytes);
    }
  }
  if (!load) m.write(at, data, bytes * (unsigned)lanes);
}

// cp.async.cg.shared.global [to], [from], 16{, bytes that are read}; done at once.
SP_QUIET inline void copy(machine& m, const opcode& op, text rest) {
  char* to = m.address(next(rest, ','), true);
  const char* from = m.address(next(rest, ','), false);
  const auto bytes = (size_t)m.value(next(rest, ','));
  const size_t wanted = rest.begin < rest.end ? (size_t)m.value(next(rest, ',')) : bytes;
  if (bytes > 16) m.refuse(op.whole);
  unsigned char data[16] = {};
  if (wanted > 0) m.read(from, data, wanted < bytes ? wanted : bytes);
  m.write(to, data, bytes);
}

SP_QUIET inline int elements(text list, text* into, int most) {
  if (list.begin < list.end && *list.begin == '{') list = {list.begin + 1, list.end - 1};
  int count = 0;
  while (list.begin < list.end && count < most) into[count++] = next(list, ',');
  return count;
}

// Eight rows of eight 16-bit elements a matrix; lane 8 i + r points to row r of matrix i.
SP_QUIET inline void load_matrix(machine& m, const opcode& op, text rest) {
  text to[4];
  const int count = elements(next(rest, ','), to, 4);
  const char* own = m.address(next(rest, ','), true);
  const int lane = (int)__lane_id() % 32, base = (int)__lane_id() / 32 * 32;
  const unsigned long long* table = (const unsigned long long*)sp_wave_op(SP_GATHER, (unsigned long long)own, 0, 0, ~0ull);
  const char* rows[32];
  for (int i = 0; i < 8 * count; ++i) rows[i] = (const char*)table[base + i];
  if (lane < 8 * count) sp_access(own, 16, 0, m.site);
  for (int i = 0; i < count; ++i) {
    unsigned short pair[2];
    for (int k = 0; k < 2; ++k) {
      const int row = op.has("trans") ? lane % 4 * 2 + k : lane / 4, column = op.has("trans") ? lane / 4 : lane % 4 * 2 + k;
      __builtin_memcpy(&pair[k], rows[8 * i + row] + 2 * column, 2);
    }
    unsigned bits;
    __builtin_memcpy(&bits, pair, 4);
    m.set(to[i], bits);
  }
  sp_wave_op(SP_SYNC, 0, 0, 0, ~0ull);
}

// What a lane brings to a product.
struct fragments {
  unsigned a[4], b[2], c[4];
};
SP_QUIET inline float element(unsigned bits, int at, text type) {
  if (type.is("f16")) {
    __half h;
    const unsigned short part = (unsigned short)(bits >> 16 * at);
    __builtin_memcpy(&h, &part, 2);
    return (float)h;
  }
  const unsigned wide = type.is("bf16") ? bits >> 16 * at << 16 : type.is("tf32") ? bits & 0xffffe000u : bits;
  if (type.is("s8")) return (float)(signed char)(bits >> 8 * at);
  if (type.is("u8")) return (float)(unsigned char)(bits >> 8 * at);
  float f;
  __builtin_memcpy(&f, &wide, 4);
  return f;
}

// mma.sync.aligned.m16n8kK.row.col.D.A.B.C: element (row, k) of A is in lane row % 8 * 4 + (k mod 4 p) / p, p elements a register,
// (k, n) of B in lane n * 4 + (k mod 4 p) / p, (row, n) of C and D in lane row % 8 * 4 + n / 2.
struct product {
  int depth, packed;
  text type_a, type_b, type_c;
  const fragments* lanes[32];
  SP_QUIET double at(int row, int n) const {
    double sum = 0;
    for (int k = 0; k < depth; ++k) {
      const int part = k % (4 * packed) / packed, block = k / (4 * packed);
      const fragments& from_a = *lanes[row % 8 * 4 + part];
      const fragments& from_b = *lanes[n * 4 + part];
      sum += (double)element(from_a.a[(row >= 8 ? 1 : 0) + 2 * block], k % packed, type_a) *
             (double)element(from_b.b[block], k % packed, type_b);
    }
    return sum;
  }
};
SP_QUIET inline unsigned accumulate(const product& p, const fragments& own, int lane, int i) {
  const int row = lane / 4 + (i >= 2 ? 8 : 0), n = lane % 4 * 2 + i % 2;
  unsigned bits;
  if (p.type_c.is("s32")) return own.c[i] + (unsigned)(int)p.at(row, n);
  if (p.type_c.is("f16")) {
    const __half h((float)((double)element(own.c[i / 2], i % 2, p.type_c) + p.at(row, n)));
    unsigned short half;
    __builtin_memcpy(&half, &h, 2);
    return half;
  }
  const float f = (float)((double)element(own.c[i], 0, p.type_c) + p.at(row, n));
  __builtin_memcpy(&bits, &f, 4);
  return bits;
}
SP_QUIET inline void multiply(machine& m, const opcode& op, text rest) {
  if (op.count != 10 || op.parts[3].end - op.parts[3].begin < 6 || __builtin_memcmp(op.parts[3].begin, "m16n8k", 6) != 0) m.refuse(op.whole);
  product p{(int)number({op.parts[3].begin + 6, op.parts[3].end}), 0, op.parts[7], op.parts[8], op.parts[9], {}};
  p.packed = p.type_a.is("tf32") ? 1 : p.type_a.is("f16") || p.type_a.is("bf16") ? 2 : p.type_a.is("s8") || p.type_a.is("u8") ? 4 : 0;
  const int blocks = p.packed == 0 ? 0 : p.depth / (4 * p.packed);
  text d[4], a[4], b[2], c[4];
  const int out = elements(next(rest, ','), d, 4);
  const bool fits = elements(next(rest, ','), a, 4) == 2 * blocks && elements(next(rest, ','), b, 2) == blocks &&
                    elements(next(rest, ','), c, 4) == out && out == (p.type_c.is("f16") ? 2 : 4);
  if (blocks < 1 || blocks > 2 || !fits) m.refuse(op.whole);
  fragments own = {};
  for (int i = 0; i < 2 * blocks; ++i) own.a[i] = (unsigned)m.value(a[i]);
  for (int i = 0; i < blocks; ++i) own.b[i] = (unsigned)m.value(b[i]);
  for (int i = 0; i < out; ++i) own.c[i] = (unsigned)m.value(c[i]);
  const int lane = (int)__lane_id() % 32, base = (int)__lane_id() / 32 * 32;
  const unsigned long long* table = (const unsigned long long*)sp_wave_op(SP_GATHER, (unsigned long long)&own, 0, 0, ~0ull);
  for (int i = 0; i < 32; ++i) p.lanes[i] = (const fragments*)table[base + i];
  unsigned result[4];
  for (int i = 0; i < 4; ++i) result[i] = accumulate(p, own, lane, i);
  sp_wave_op(SP_SYNC, 0, 0, 0, ~0ull);  // nobody changes its fragments while others read them
  for (int i = 0; i < out; ++i) m.set(d[i], out == 2 ? result[2 * i] | result[2 * i + 1] << 16 : result[i]);
}

SP_QUIET inline bool one_argument(machine& m, const opcode& op, text rest) {
  if (!op.parts[op.count - 1].is("f32")) return false;
  const text to = next(rest, ','), from = next(rest, ',');
  const unsigned in = (unsigned)m.value(from);
  float x, y;
  __builtin_memcpy(&x, &in, 4);
  if (op.begins("ex2")) y = __builtin_exp2f(x);
  else if (op.begins("lg2")) y = __builtin_log2f(x);
  else if (op.begins("rcp")) y = 1.0f / x;
  else if (op.begins("rsqrt")) y = 1.0f / __builtin_sqrtf(x);
  else if (op.begins("sqrt")) y = __builtin_sqrtf(x);
  else if (op.begins("tanh")) y = __builtin_tanhf(x);
  else return false;
  unsigned out;
  __builtin_memcpy(&out, &y, 4);
  m.set(to, out);
  return true;
}

SP_QUIET inline bool integer(machine& m, const opcode& op, text rest) {
  const text to = next(rest, ',');
  unsigned long long v[4] = {};
  for (int i = 0; i < 4 && rest.begin < rest.end; ++i) v[i] = m.value(next(rest, ','));
  const auto a = (unsigned)v[0], b = (unsigned)v[1], c = (unsigned)v[2];
  if (op.begins("mov")) {
    m.set(to, v[0]);
  } else if (op.begins("lop3", "b32")) {
    unsigned result = 0;
    for (unsigned i = 0; i < 32; ++i) result |= (unsigned)(v[3] >> ((a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1)) & 1) << i;
    m.set(to, result);
  } else if (op.begins("prmt", "b32") && op.count == 2) {
    unsigned result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const unsigned pick = c >> 4 * i & 15;
      const auto byte = (unsigned char)(((unsigned long long)b << 32 | a) >> 8 * (pick & 7));
      result |= (unsigned)(pick & 8 ? (byte & 128 ? 255 : 0) : byte) << 8 * i;
    }
    m.set(to, result);
  } else {
    return false;
  }
  return true;
}

SP_QUIET inline bool is_nothing(const opcode& op) {
  return op.parts[0].begin == op.parts[0].end || op.begins("fence") || op.begins("membar") || op.begins("prefetch") || op.begins("prefetchu") ||
         op.begins("griddepcontrol") || op.begins("nanosleep") || op.begins("discard") ||
         (op.begins("cp", "async") && (op.has("commit_group") || op.has("wait_group") || op.has("wait_all")));
}

// setp.ne.b32 p, %0, 0;
SP_QUIET inline void compare(machine& m, const opcode& op, text rest) {
  const text name = next(rest, ',');
  const long long a = (int)(unsigned)m.value(next(rest, ',')), b = (int)(unsigned)m.value(next(rest, ','));
  if (m.known == 8 || op.count != 3 || (!op.has("ne") && !op.has("eq"))) m.refuse(op.whole);
  m.predicates[m.known].name = name;
  m.predicates[m.known++].value = (a != b) == op.has("ne");
}
SP_QUIET inline bool holds(const machine& m, text name) {
  const bool negated = name.begin < name.end && *name.begin == '!';
  if (negated) ++name.begin;
  for (int i = m.known; i > 0; --i) {
    const text known = m.predicates[i - 1].name;
    if (known.end - known.begin == name.end - name.begin && __builtin_memcmp(known.begin, name.begin, (size_t)(name.end - name.begin)) == 0)
      return m.predicates[i - 1].value != negated;
  }
  m.refuse(name);
}

SP_QUIET inline void run_instruction(machine& m, text line) {
  if (line.begin < line.end && *line.begin == '@') {
    text rest = {line.begin + 1, line.end};
    if (!holds(m, next(rest, ' '))) return;
    line = trim(rest);
  }
  const char* end = line.begin;
  while (end < line.end && (unsigned char)*end > ' ') ++end;
  if (line.begin < line.end && *line.begin == '.') return;  // a declaration
  const opcode op(text{line.begin, end});
  const text rest = trim({end, line.end});
  if (is_nothing(op)) return;
  if (op.begins("cp", "async") && op.has("global") && op.shared() && !op.has("bulk")) return copy(m, op, rest);
  if (op.begins("ld") || op.begins("st")) return move_data(m, op, rest);
  if (op.begins("ldmatrix", "sync") && op.has("b16") && op.has("m8n8")) return load_matrix(m, op, rest);
  if (op.begins("mma", "sync")) return multiply(m, op, rest);
  if (op.begins("setp")) return compare(m, op, rest);
  if ((op.begins("bar", "sync") || op.begins("barrier", "sync")) && rest.is("0")) return (void)sp_barrier(0);
  if (op.begins("bar", "warp")) return (void)sp_wave_op(SP_SYNC, 0, 0, 0, m.value(rest) == 0xffffffffu ? ~0ull : m.value(rest));
  if (one_argument(m, op, rest) || integer(m, op, rest)) return;
  m.refuse(op.whole);
}

}  // namespace sp_asm

template <class... O> __attribute__((convergent)) SP_QUIET void sp_ptx(const char* code, O... operands) {
  sp_operand list[] = {operands..., sp_operand{}};
  sp_asm::machine m{list, (int)sizeof...(O), SP_SITE, {}, 0};
  sp_asm::text rest = {code, code + __builtin_strlen(code)};
  while (rest.begin < rest.end) {
    // Braces of a block, not of a list.
    while (rest.begin < rest.end && ((unsigned char)*rest.begin <= ' ' || *rest.begin == '{' || *rest.begin == '}')) ++rest.begin;
    const sp_asm::text line = sp_asm::next(rest, ';');
    if (line.begin < line.end) sp_asm::run_instruction(m, line);
  }
}
