// Sources of a traced device's events.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "trace/trace_tally.h"

namespace patina {

// A block device, and the disk that it is or lies on: the block layer counts in the disk's sectors.
struct TracedDevice {
  std::string path;
  std::string disk_name;  // in /sys/block
  std::string disk_path;
  uint64_t start_sectors = 0;              // of a partition
  std::vector<dev_t> disk_and_partitions;  // the disk first
};

// Packs a device number as the kernel does: 20 bits for the minor number.
uint32_t kernel_number(dev_t device);

// Error: kDeviceUnusable.
Result<TracedDevice> find_traced_device(const std::string& path);

class TraceSource {
 public:
  using Visit = std::function<void(const BlockEvent&)>;

  // Ends the tracing, if finish() has not, and leaves nothing behind.
  virtual ~TraceSource() = default;
  virtual const char* name() const = 0;
  // Visits the events since the last call, without waiting. True: more are left, to be read at once. Error:
  // the source cannot be read.
  virtual Result<bool> read(const Visit& visit) = 0;
  // Ends the tracing, and reads what is left.
  virtual Status finish(const Visit& visit) = 0;
  // Returns how many events the kernel is known to have dropped so far.
  virtual uint64_t dropped_count() = 0;
};

// A kind of source. An open source misses nothing. `buffer_kb`: for each processor; 0: a default. An error
// gives the reason why the source is unavailable.
struct TraceSourceKind {
  const char* name;
  std::function<Result<std::unique_ptr<TraceSource>>(const TracedDevice& device, uint64_t buffer_kb)> open;
};

// Returns the sources that a kernel may have, in the order of trial.
std::vector<TraceSourceKind> kernel_trace_sources();

// Opens the first source that works; `unavailable` receives those before it, with the reasons. `wanted`: the
// name of the only one to try, or auto. Error: kTraceUnavailable, naming every reason.
struct UnavailableSource {
  std::string name;
  std::string reason;
};
Result<std::unique_ptr<TraceSource>> open_trace_source(const std::vector<TraceSourceKind>& kinds,
                                                       const std::string& wanted, const TracedDevice& device,
                                                       uint64_t buffer_kb,
                                                       std::vector<UnavailableSource>& unavailable);

}  // namespace patina
