#include "base/error.h"

#include <fmt/format.h>

namespace swizzleperf {
namespace {

tl::unexpected<Error> make(Blame blame, std::string message, Place place, std::string advice) {
  return tl::unexpected<Error>(Error{blame, std::move(message), std::move(place), std::move(advice)});
}

}  // namespace

tl::unexpected<Error> user_error(std::string message, Place place, std::string advice) {
  return make(Blame::kUser, std::move(message), std::move(place), std::move(advice));
}

tl::unexpected<Error> unsupported(std::string message, Place place, std::string advice) {
  return make(Blame::kUnsupported, std::move(message), std::move(place), std::move(advice));
}

tl::unexpected<Error> missing(std::string message, Place place, std::string advice) {
  return make(Blame::kMissing, std::move(message), std::move(place), std::move(advice));
}

tl::unexpected<Error> internal_error(std::string message, Place place, std::string advice) {
  return make(Blame::kInternal, std::move(message), std::move(place), std::move(advice));
}

std::string describe(const Error& error) {
  std::string text = error.place.file;
  if (error.place.line > 0) text += fmt::format("{}{}", text.empty() ? "line " : ":", error.place.line);
  if (error.place.line > 0 && error.place.column > 0) text += fmt::format(":{}", error.place.column);
  if (!text.empty()) text += ": ";
  switch (error.blame) {
    case Blame::kUser:
      text += "error: ";
      break;
    case Blame::kUnsupported:
      text += "unsupported: ";
      break;
    case Blame::kMissing:
      text += "missing: ";
      break;
    case Blame::kInternal:
      text += "internal error: ";
      break;
  }
  text += error.message;
  if (!error.advice.empty()) text += "\n  " + error.advice;
  return text;
}

int exit_code(const Error& error) {
  switch (error.blame) {
    case Blame::kUser:
    case Blame::kUnsupported:
      return 2;
    case Blame::kMissing:
      return 3;
    case Blame::kInternal:
      break;
  }
  return 4;
}

}  // namespace swizzleperf
