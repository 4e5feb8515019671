// depends: swizzleperf_llm swizzleperf_swizzle
// Any answer of a model, and any body of a server: an error or fields, never a crash; a map found in it parses or not.
#include "llm/reply.h"

#include <cstdint>
#include <cstdlib>

#include "llm/wire.h"
#include "swizzle/expr.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace swizzleperf;
  const std::string text(reinterpret_cast<const char*>(data), size);
  if (const auto reply = parse_reply(text)) {
    if (reply->expected_hit_rate && !(*reply->expected_hit_rate >= 0 && *reply->expected_hit_rate <= 1)) std::abort();
    static_cast<void>(SwizzleExpr::parse(reply->map));
  }
  for (const Wire wire : {Wire::kOpenAi, Wire::kAnthropic, Wire::kGemini}) {
    const auto reply = decode(wire, text);
    if (reply && (reply->usage.input < 0 || reply->usage.output < 0)) std::abort();
    if (reply && reply->finish == Finish::kComplete && reply->text.empty() && reply->calls.empty()) std::abort();
  }
  if (error_message(text).size() > 310) std::abort();
  return 0;
}
