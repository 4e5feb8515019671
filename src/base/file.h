// Whole files, read and written atomically, and private temporary folders.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/error.h"

namespace swizzleperf {

// The bytes of a regular file. User error where it is missing, a folder, unreadable or larger than `limit` bytes.
Expected<std::string> read_file(const std::filesystem::path& path, size_t limit = size_t{64} << 20);

// The first bytes of a regular file and its size, without reading the rest.
struct FileStart {
  std::string bytes;
  uintmax_t file_size = 0;
};
Expected<FileStart> read_start(const std::filesystem::path& path, size_t bytes);

// Writes through a temporary file in the same folder and a rename: readers see the old content or the new one,
// never a part. Keeps the permissions of a file that is replaced.
Expected<void> write_file_atomic(const std::filesystem::path& path, std::string_view content);

// A folder under the system's temporary folder, mode 0700, removed with everything in it by the destructor.
class TemporaryFolder {
 public:
  static Expected<TemporaryFolder> create();
  TemporaryFolder(TemporaryFolder&& other) noexcept;
  TemporaryFolder& operator=(TemporaryFolder&&) = delete;
  TemporaryFolder(const TemporaryFolder&) = delete;
  ~TemporaryFolder();
  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TemporaryFolder(std::filesystem::path path) : path_(std::move(path)) {}
  std::filesystem::path path_;
};

// Where the installed data lies (gpus/, shim headers): $SWIZZLEPERF_HOME if set, else beside the program
// (../share/swizzleperf), else the source tree it was built from.
std::filesystem::path data_folder();

}  // namespace swizzleperf
