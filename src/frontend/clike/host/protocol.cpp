#include "frontend/clike/host/protocol.h"

#include "workload/fill.h"

namespace swizzleperf::host {

// A scalar travels as its bytes: JSON has no infinities.
nlohmann::json to_json(const Argument& a) {
  const std::string bytes = a.buffer || !a.bytes.empty() ? a.bytes : scalar_bytes(a.dtype, a.integer, a.real);
  return {{"name", a.name},         {"dtype", static_cast<int>(a.dtype)},
          {"buffer", a.buffer},     {"bytes", std::vector<uint8_t>(bytes.begin(), bytes.end())},
          {"elements", a.elements}, {"init", static_cast<int>(a.init.kind)},
          {"seed", a.init.seed},    {"low", a.init.low},
          {"high", a.init.high},    {"file", a.init.file.string()},
          {"output", a.output},     {"poisoned", a.poisoned}};
}

Argument argument_from_json(const nlohmann::json& j) {
  Argument a;
  a.name = j.at("name");
  a.dtype = static_cast<DType>(j.at("dtype").get<int>());
  a.buffer = j.at("buffer");
  for (const uint8_t byte : j.at("bytes").get<std::vector<uint8_t>>()) a.bytes += static_cast<char>(byte);
  a.elements = j.at("elements");
  a.init.kind = static_cast<Init::Kind>(j.at("init").get<int>());
  a.init.seed = j.at("seed");
  a.init.low = j.at("low");
  a.init.high = j.at("high");
  a.init.file = j.at("file").get<std::string>();
  a.output = j.at("output");
  a.poisoned = j.at("poisoned");
  return a;
}

}  // namespace swizzleperf::host
