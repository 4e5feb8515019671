// Errors are values: they carry a place, a blame and advice, and travel in Expected<T>. The library neither prints,
// exits nor throws across its interface; only src/cli turns an Error into a message and an exit code.
#pragma once

#include <string>
#include <tl/expected.hpp>

namespace swizzleperf {

// Who can mend it. Decides the exit code.
enum class Blame {
  kUser,         // bad input: exit 2
  kUnsupported,  // valid input that the tool does not handle: exit 2
  kMissing,      // a needed tool, file of the installation or device is absent: exit 3
  kInternal,     // a bug of ours or a failing operating system call: exit 4
};

// A position in a text. `line` and `column` count from 1; 0 means unknown.
struct Place {
  std::string file;
  int line = 0;
  int column = 0;
};

struct Error {
  Blame blame = Blame::kInternal;
  std::string message;  // what is wrong, one sentence without a final newline
  Place place = {};
  std::string advice = {};  // what to do about it; may be empty
};

template <class T>
using Expected = tl::expected<T, Error>;

// Shorthands: `return user_error("...", place, "...")` from a function that returns Expected.
tl::unexpected<Error> user_error(std::string message, Place place = {}, std::string advice = {});
tl::unexpected<Error> unsupported(std::string message, Place place = {}, std::string advice = {});
tl::unexpected<Error> missing(std::string message, Place place = {}, std::string advice = {});
tl::unexpected<Error> internal_error(std::string message, Place place = {}, std::string advice = {});

// "file:line:column: error: message\n  advice" with the parts that are known.
std::string describe(const Error& error);

// 2 for user and unsupported, 3 for missing, 4 for internal.
int exit_code(const Error& error);

}  // namespace swizzleperf
