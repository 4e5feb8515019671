#include "llm/secret.h"

#include <algorithm>
#include <cstdlib>

#include "base/file.h"

namespace swizzleperf {
namespace {

constexpr size_t kShortest = 8;
constexpr size_t kTellingPrefix = 6;  // characters of a key that are too many to let out
constexpr const char* kMark = "[redacted]";

std::string trimmed(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

}  // namespace

Expected<Secret> Secret::create(std::string value, const std::string& origin) {
  const bool printable = std::all_of(value.begin(), value.end(), [](char c) { return c > ' ' && c < 0x7F; });
  if (!printable) return user_error("the API key has characters that no key has", {origin}, "give the bare key");
  if (value.size() < kShortest) return user_error("the API key is too short to be one", {origin}, "give the whole key");
  return Secret(std::move(value));
}

Expected<Secret> load_secret(const std::string& variable, const std::filesystem::path& file) {
  if (!file.empty()) {
    const auto text = read_file(file, 64 << 10);
    if (!text) return tl::unexpected(text.error());
    std::error_code ignored;
    const auto others = std::filesystem::perms::group_all | std::filesystem::perms::others_all;
    if ((std::filesystem::status(file, ignored).permissions() & others) != std::filesystem::perms::none)
      return user_error("others may read the key file", {file.string()}, "chmod 600 it");
    return Secret::create(trimmed(*text), file.string());
  }
  const char* value = variable.empty() ? nullptr : std::getenv(variable.c_str());  // NOLINT(concurrency-mt-unsafe)
  if (value == nullptr || trimmed(value).empty()) return Secret();
  return Secret::create(trimmed(value), "$" + variable);
}

std::string redact(std::string text, const Secret& secret) {
  if (secret.empty()) return text;
  const std::string& key = secret.reveal();
  for (size_t at = text.find(key); at != std::string::npos; at = text.find(key, at + 1))
    text.replace(at, key.size(), kMark);
  for (size_t length = std::min(key.size() - 1, text.size()); length >= kTellingPrefix; --length) {
    if (text.compare(text.size() - length, length, key, 0, length) != 0) continue;
    text.replace(text.size() - length, length, kMark);
    break;
  }
  return text;
}

}  // namespace swizzleperf
