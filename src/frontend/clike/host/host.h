// What the parts of the trace host share: one kernel, its memory, and who watches it.
#pragma once

#include <memory>
#include <optional>

#include "frontend/clike/host/library.h"
#include "frontend/clike/host/memory.h"
#include "frontend/clike/host/order.h"
#include "frontend/clike/host/recorder.h"
#include "frontend/clike/host/workgroup.h"

namespace swizzleperf::host {

struct HostIndex {
  unsigned x, y, z;
};

struct Host {
  Memory memory;
  Library library;
  std::unique_ptr<Workgroup> workgroup;
  Recorder recorder;
  std::optional<OrderWatch> watch;
  bool recording = false;
  bool result_used = false;  // by this workgroup, of an atomic operation
  int32_t wg = 0;
  uintptr_t last_site = 0;  // of the last access, for messages
};
extern Host host;

}  // namespace swizzleperf::host

extern "C" {
// What the shim declares: the launch's indices, written by the host and only read by the kernel.
extern swizzleperf::host::HostIndex sp_thread_idx, sp_block_idx, sp_block_dim, sp_grid_dim;
extern int sp_wave_lanes;
}
