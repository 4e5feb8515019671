#include "workload/npy.h"

#include <fmt/format.h>

#include <map>

#include "base/file.h"

namespace swizzleperf {
namespace {

constexpr size_t kMaxFile = size_t{8} << 30;
constexpr size_t kMaxHeader = size_t{64} << 10;  // NumPy pads headers to 64 bytes; they hold a type and a shape

struct Header {
  std::string descr;
  bool fortran_order = false;
  std::string shape;  // "(3, 4)" without spaces: "(3,4)"
  size_t data_begin = 0;
};

// The text after 'key': in the header's Python dictionary.
std::string after_key(const std::string& header, const std::string& key) {
  const size_t at = header.find("'" + key + "'");
  const size_t colon = at == std::string::npos ? at : header.find(':', at);
  const size_t value = colon == std::string::npos ? colon : header.find_first_not_of(' ', colon + 1);
  return value == std::string::npos ? std::string() : header.substr(value);
}

Expected<Header> parse_header(const std::string& content, const std::filesystem::path& file) {
  const auto refuse = [&](const char* what) { return user_error(what, {file.string()}); };
  if (content.size() < 12 || content.compare(0, 6, "\x93NUMPY") != 0) return refuse("not a .npy file");
  const auto byte = [&](size_t i) { return static_cast<size_t>(static_cast<unsigned char>(content[i])); };
  const bool wide = byte(6) >= 2;
  const size_t length = byte(8) | byte(9) << 8U | (wide ? byte(10) << 16U | byte(11) << 24U : 0);
  const size_t begin = wide ? 12 : 10;
  if (length > content.size() - begin)
    return refuse(length > kMaxHeader ? "the .npy header is longer than 64 KiB" : "the .npy header is cut short");
  const std::string text = content.substr(begin, length);
  Header header;
  header.data_begin = begin + length;
  const std::string descr = after_key(text, "descr");
  if (descr.size() < 2 || descr[0] != '\'') return refuse("the .npy file holds structured data");
  header.descr = descr.substr(1, descr.find('\'', 1) - 1);
  header.fortran_order = after_key(text, "fortran_order").rfind("True", 0) == 0;
  const std::string shape = after_key(text, "shape");
  for (const char c : shape.substr(0, shape.find(')') + 1)) {
    if (c != ' ') header.shape += c;
  }
  return header;
}

}  // namespace

Expected<void> check_npy(const std::filesystem::path& file, const std::string& dtype,
                         const std::vector<int64_t>& shape) {
  static const std::map<std::string, std::string> kDescr = {
      {"fp16", "<f2"},   {"fp32", "<f4"}, {"fp64", "<f8"},  {"int8", "|i1"},   {"uint8", "|u1"}, {"int16", "<i2"},
      {"uint16", "<u2"}, {"bf16", "<u2"}, {"int32", "<i4"}, {"uint32", "<u4"}, {"int64", "<i8"}, {"uint64", "<u8"}};
  const auto start = read_start(file, kMaxHeader);
  if (!start) return tl::unexpected(start.error());
  if (start->file_size > kMaxFile)
    return user_error(fmt::format("{} bytes: larger than the limit of {} bytes", start->file_size, kMaxFile),
                      {file.string()});
  const auto header = parse_header(start->bytes, file);
  if (!header) return tl::unexpected(header.error());
  const uintmax_t data_bytes = start->file_size - header->data_begin;
  if (header->descr != kDescr.at(dtype))
    return user_error(
        fmt::format("the file holds '{}', the case says {} ('{}')", header->descr, dtype, kDescr.at(dtype)),
        {file.string()});
  if (header->fortran_order && shape.size() > 1)
    return user_error("the file is in Fortran order", {file.string()}, "save numpy.ascontiguousarray(a)");
  std::string wanted = "(";
  for (size_t i = 0; i < shape.size(); ++i) wanted += fmt::format("{}{}", i > 0 ? "," : "", shape[i]);
  wanted += shape.size() == 1 ? ",)" : ")";
  const auto element_bytes = static_cast<uintmax_t>(header->descr.back() - '0');
  uintmax_t bytes = element_bytes;
  for (const int64_t extent : shape) bytes *= static_cast<uintmax_t>(extent);
  if (header->shape == wanted && data_bytes != bytes) {
    return user_error(fmt::format("the file holds {} bytes of data, its shape needs {}", data_bytes, bytes),
                      {file.string()});
  }
  if (header->shape != wanted)
    return user_error(fmt::format("the file's shape is {}, the case says {}", header->shape, wanted), {file.string()});
  return {};
}

Expected<std::string> read_npy_data(const std::filesystem::path& file) {
  auto content = read_file(file, kMaxFile);
  if (!content) return content;
  const auto header = parse_header(*content, file);
  if (!header) return tl::unexpected(header.error());
  return content->substr(header->data_begin);
}

}  // namespace swizzleperf
