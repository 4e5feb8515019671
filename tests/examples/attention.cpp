// Attention, by the definition: all scores of a query at once.
#include <algorithm>
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

Outputs decode_attention(const Inputs& in) {
  constexpr int64_t kSplit = 512;
  const int64_t length = in.integer("length"), group = in.integer("heads_per_kv");
  const auto q = in.buffer("q"), k = in.buffer("k"), v = in.buffer("v");
  const double scale = in.real("scale");
  const auto heads = static_cast<int64_t>(q.size()) / kHead;
  Outputs outputs(3);
  for (int64_t head = 0; head < heads; ++head) {
    const double* query = q.data() + head * kHead;
    for (int64_t first = 0; first < length; first += kSplit) {
      const int64_t count = std::min(kSplit, length - first), at = (head / group * length + first) * kHead;
      double highest = -1e300, sum = 0;
      for (int64_t i = 0; i < count; ++i) highest = std::max(highest, scale * dot(query, k.data() + at + i * kHead));
      for (int64_t i = 0; i < count; ++i) sum += std::exp(scale * dot(query, k.data() + at + i * kHead) - highest);
      std::vector<double> result(kHead, 0.0);
      attend(query, k.data() + at, v.data() + at, count, scale, result.data());
      outputs[0].insert(outputs[0].end(), result.begin(), result.end());
      outputs[1].push_back(highest);
      outputs[2].push_back(sum);
    }
  }
  return outputs;
}

Outputs combine_splits(const Inputs& in) {
  const auto splits = static_cast<size_t>(in.integer("splits"));
  const auto partial = in.buffer("partial"), maxima = in.buffer("maxima"), sums = in.buffer("sums");
  std::vector<double> out;
  for (size_t first = 0; first < sums.size(); first += splits) {
    for (size_t i = 0; i < kHead; ++i) {
      double total = 0, result = 0;
      for (size_t split = first; split < first + splits; ++split) {
        const double weight = sums[split] * std::exp(maxima[split]);
        total += weight;
        result += weight * partial[split * kHead + i];
      }
      out.push_back(result / total);
    }
  }
  return {out};
}

Outputs flash_attention(const Inputs& in) {
  return attention(in, false);
}

Outputs flash_attention_causal(const Inputs& in) {
  return attention(in, true);
}

}  // namespace swizzleperf
