#include "frontend/clike/host/library.h"

#include <dlfcn.h>
#include <fmt/format.h>
#include <link.h>

#include <algorithm>
#include <cstring>

#include "frontend/clike/host/failure.h"

namespace swizzleperf::host {
namespace {

// The last object that begins at or before the address; null where there is none.
Object* at_or_before(std::vector<Object>& objects, const unsigned char* address) {
  const auto next = std::upper_bound(objects.begin(), objects.end(), address,
                                     [](const unsigned char* a, const Object& object) { return a < object.begin; });
  return next == objects.begin() ? nullptr : &*(next - 1);
}

}  // namespace

int Library::find_ranges(dl_phdr_info* info, size_t /*size*/, void* self) {
  auto& library = *static_cast<Library*>(self);
  if (std::strcmp(info->dlpi_name, library.name_.c_str()) != 0) return 0;
  library.begin_ = reinterpret_cast<const unsigned char*>(info->dlpi_addr);
  library.end_ = library.begin_;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& header = info->dlpi_phdr[i];
    if (header.p_type == PT_LOAD)
      library.end_ = std::max(library.end_, library.begin_ + header.p_vaddr + header.p_memsz);
    if (header.p_type == PT_TLS && info->dlpi_tls_data != nullptr) {
      library.shared_begin_ = static_cast<const unsigned char*>(info->dlpi_tls_data);
      library.shared_end_ = library.shared_begin_ + header.p_memsz;
    }
  }
  return 1;
}

void Library::load(const nlohmann::json& request) {
  name_ = request.at("library");
  handle_ = dlopen(name_.c_str(), RTLD_NOW);
  if (handle_ == nullptr)
    fail("unsupported", fmt::format("the kernel uses something that the CPU shim lacks: {}", dlerror()));
  // The block of thread-local storage is there once one of its variables has been touched.
  reinterpret_cast<void (*)()>(function("sp_touch_shared"))();
  dl_iterate_phdr(find_ranges, this);
  for (const auto& symbol : request.at("symbols")) {
    const bool shared = symbol.at("shared");
    Object object{symbol.at("name"), (shared ? shared_begin_ : begin_) + symbol.at("offset").get<int64_t>(),
                  symbol.at("bytes"), symbol.at("zeros")};
    if (symbol.at("dynamic").get<bool>()) object.bytes = request.at("shared_bytes");
    (shared ? shared_ : globals_).push_back(std::move(object));
  }
  for (auto* objects : {&shared_, &globals_})
    std::sort(objects->begin(), objects->end(), [](const auto& a, const auto& b) { return a.begin < b.begin; });
}

void* Library::function(const char* name) const {
  void* address = dlsym(handle_, name);
  if (address == nullptr) fail("internal", fmt::format("the kernel's library has no function {}", name));
  return address;
}

void Library::find_shared(const unsigned char* address, int64_t size, uintptr_t site) {
  const Object* object = at_or_before(shared_, address);
  if (object == nullptr) object = &shared_.front();
  if (address >= object->begin && address + size <= object->begin + object->bytes) {
    last_ = {object->begin, object->begin + object->bytes};
    return;
  }
  fail("user",
       fmt::format("out of bounds: {} bytes at byte {} of the shared array '{}', which has {} bytes{}", size,
                   address - object->begin, object->name, object->bytes, who()),
       site);
}

Object* Library::global(const unsigned char* address) {
  Object* object = at_or_before(globals_, address);
  return object != nullptr && address < object->begin + object->bytes ? object : nullptr;
}

}  // namespace swizzleperf::host
