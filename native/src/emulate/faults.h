// Faults of an emulated disk, injected on command.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"
#include "piece_log/piece_log.h"

namespace patina {

enum class FaultKind : uint8_t {
  kNone,  // ends all faults but a power cut
  kPowerCut,
  kReadError,
  kWriteError,
  kEndsEarly,
  kDisappears,
  kReadOnly,
  kSlow,
};

struct Fault {
  FaultKind kind = FaultKind::kNone;
  ByteRange range{0, 0};                   // of errors
  uint64_t size_bytes = 0;                 // where a disk that ends early ends
  uint64_t delay_ms = 0;                   // of each request to a slow disk
  PowerCutLoss loss = PowerCutLoss::kAll;  // of a power cut
  uint64_t seed = 1;                       // of a random loss
};

// Reads a fault of a request such as {"type":"fault","kind":"read_error","first_byte":0,"length_bytes":4096}.
// kUsage: what is wrong with it.
Result<Fault> fault_of(const nlohmann::ordered_json& request, uint64_t disk_bytes);
// Returns the fault as the request that makes it.
nlohmann::ordered_json request_of(const Fault& fault);

// The faults that are on. Thread safe.
class Faults {
 public:
  void add(const Fault& fault);
  std::vector<Fault> all() const;

  // Returns the errno of a request, or 0.
  int error_of(bool is_write, uint64_t offset_bytes, uint64_t length_bytes) const;
  uint64_t delay_ms() const;

 private:
  std::atomic<bool> any_ = false;  // spares the lock of each request
  mutable std::mutex mutex_;
  std::vector<Fault> faults_;
};

}  // namespace patina
