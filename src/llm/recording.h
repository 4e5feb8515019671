// Exchanges with a server in a file: written as they happen, with the key removed, and played back without a network.
// One JSON object a line: {"request": {"url", "body"}, "response": {"status", "content_type", "body", "fault"}}.
// "request" may be left out of a file made by hand: then its answer serves any request.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/error.h"
#include "llm/http.h"

namespace swizzleperf {

// Passes requests on to `inner` and appends each exchange to `file`, which is new: user error where it exists.
Expected<Transport> record_to(const std::filesystem::path& file, Transport inner);

// Answers from the file, in its order. A request that differs from the recorded one, or one beyond the end, gets a
// fault that says so. User error for a file that cannot be read or is no recording, with its line.
Expected<Transport> replay_from(const std::filesystem::path& file);

}  // namespace swizzleperf
