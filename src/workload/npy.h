// NumPy's .npy files, format versions 1 to 3: C order, little endian.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "base/error.h"

namespace swizzleperf {

// User error unless the file exists and holds `dtype` ("fp16", "int32", ...; bf16 may be stored as uint16) of this
// shape.
Expected<void> check_npy(const std::filesystem::path& file, const std::string& dtype,
                         const std::vector<int64_t>& shape);

// The file's elements as bytes.
Expected<std::string> read_npy_data(const std::filesystem::path& file);

}  // namespace swizzleperf
