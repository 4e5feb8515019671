// Attention, by the definition: all scores of a query at once.
#include <cmath>

#include "references.h"

namespace swizzleperf {
namespace {

constexpr int64_t kHead = 128;

double dot(const double* a, const double* b) {
  double sum = 0;
  for (int64_t i = 0; i < kHead; ++i) sum += a[i] * b[i];
  return sum;
}

// softmax(scale * q * K^T) * V for one query and the first `keys` keys.
void attend(const double* q, const double* k, const double* v, int64_t keys, double scale, double* out) {
  double sum = 0;
  for (int64_t key = 0; key < keys; ++key) {
    const double weight = std::exp(scale * dot(q, k + key * kHead));
    sum += weight;
    for (int64_t i = 0; i < kHead; ++i) out[i] += weight * v[key * kHead + i];
  }
  for (int64_t i = 0; i < kHead; ++i) out[i] /= sum;
}

Outputs attention(const Inputs& in, bool causal) {
  const int64_t length = in.integer("length"), group = in.integer("heads_per_kv");
  const auto q = in.buffer("q"), k = in.buffer("k"), v = in.buffer("v");
  std::vector<double> out(q.size(), 0.0);
  const auto queries = static_cast<int64_t>(q.size()) / kHead;
  for (int64_t query = 0; query < queries; ++query) {
    const int64_t kv_head = query / length / group;
    attend(&q[static_cast<size_t>(query * kHead)], &k[static_cast<size_t>(kv_head * length * kHead)],
           &v[static_cast<size_t>(kv_head * length * kHead)], causal ? query % length + 1 : length, in.real("scale"),
           &out[static_cast<size_t>(query * kHead)]);
  }
  return {out};
}

}  // namespace

Outputs flash_attention(const Inputs& in) {
  return attention(in, false);
}

Outputs flash_attention_causal(const Inputs& in) {
  return attention(in, true);
}

}  // namespace swizzleperf
