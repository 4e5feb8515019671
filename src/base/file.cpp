#include "base/file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <sstream>

namespace swizzleperf {
namespace {

namespace fs = std::filesystem;

// Writes everything or says why not.
bool write_all(int descriptor, std::string_view content) {
  while (!content.empty()) {
    const ssize_t written = ::write(descriptor, content.data(), content.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    content.remove_prefix(static_cast<size_t>(written));
  }
  return true;
}

mode_t mode_for(const fs::path& path) {
  struct stat status = {};
  if (::stat(path.c_str(), &status) == 0) return status.st_mode & 07777;
  // The mask can only be read by setting it: once, because files are written by several threads.
  static const mode_t mask = [] {
    const mode_t current = ::umask(0);
    ::umask(current);
    return current;
  }();
  return 0666 & ~mask;
}

}  // namespace

Expected<std::string> read_file(const fs::path& path, size_t limit) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (!fs::exists(status)) return user_error("no such file", {path.string()});
  if (!fs::is_regular_file(status)) return user_error("not a regular file", {path.string()});
  const auto size = fs::file_size(path, code);
  if (!code && size > limit) {
    return user_error(fmt::format("{} bytes: larger than the limit of {} bytes", size, limit), {path.string()});
  }
  std::ifstream stream(path, std::ios::binary);
  std::ostringstream content;
  content << stream.rdbuf();
  if (!stream || !content) return user_error("cannot be read", {path.string()}, "check its permissions");
  return std::move(content).str();
}

Expected<FileStart> read_start(const fs::path& path, size_t bytes) {
  std::error_code code;
  const auto status = fs::status(path, code);
  if (!fs::exists(status)) return user_error("no such file", {path.string()});
  if (!fs::is_regular_file(status)) return user_error("not a regular file", {path.string()});
  FileStart start{std::string(bytes, '\0'), fs::file_size(path, code)};
  std::ifstream stream(path, std::ios::binary);
  stream.read(start.bytes.data(), static_cast<std::streamsize>(bytes));
  if (code || stream.bad() || (stream.gcount() == 0 && start.file_size > 0))
    return user_error("cannot be read", {path.string()}, "check its permissions");
  start.bytes.resize(static_cast<size_t>(stream.gcount()));
  return start;
}

Expected<void> write_file_atomic(const fs::path& path, std::string_view content) {
  const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
  std::string temporary = (folder / fmt::format(".{}.XXXXXX", path.filename().string())).string();
  const auto failed = [&](const char* what) {
    return user_error(fmt::format("{}: {}", what, std::strerror(errno)), {path.string()},
                      "check that the folder exists and can be written to");
  };
  const int descriptor = ::mkstemp(temporary.data());
  if (descriptor < 0) return failed("cannot create the file");
  const bool written =
      write_all(descriptor, content) && ::fchmod(descriptor, mode_for(path)) == 0 && ::fsync(descriptor) == 0;
  const int saved = errno;
  ::close(descriptor);
  if (!written || ::rename(temporary.c_str(), path.c_str()) != 0) {
    if (!written) errno = saved;
    const auto error = failed("cannot write the file");
    ::unlink(temporary.c_str());
    return error;
  }
  return {};
}

Expected<TemporaryFolder> TemporaryFolder::create() {
  std::error_code code;
  const fs::path base = fs::temp_directory_path(code);
  if (code) return internal_error("no temporary folder: " + code.message(), {}, "set TMPDIR to a folder that exists");
  std::string pattern = (base / "swizzleperf.XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) {
    return internal_error(
        fmt::format("cannot create a temporary folder in {}: {}", base.string(), std::strerror(errno)));
  }
  return TemporaryFolder(pattern);
}

TemporaryFolder::TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TemporaryFolder::~TemporaryFolder() {
  std::error_code ignored;
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

fs::path data_folder() {
  // Read once, at start-up of a verb, and never set by this process.
  if (const char* home = std::getenv("SWIZZLEPERF_HOME"); home != nullptr && *home != '\0')
    return home;  // NOLINT(concurrency-mt-unsafe)
  std::error_code code;
  const fs::path program = fs::read_symlink("/proc/self/exe", code);
  const fs::path installed = program.parent_path().parent_path() / "share" / "swizzleperf";
  if (!code && fs::is_directory(installed, code)) return installed;
  return SWIZZLEPERF_SOURCE_FOLDER;
}

}  // namespace swizzleperf
