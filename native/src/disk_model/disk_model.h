// A modelled disk: how long each request would take on it. Only times are modelled; no data pass through it.
#pragma once

#include <cstdint>
#include <memory>
#include <nlohmann/json_fwd.hpp>

namespace patina {

struct DiskRequest {
  enum class Kind { kRead, kWrite, kFlush, kDiscard };
  Kind kind = Kind::kRead;
  uint64_t offset_bytes = 0;  // of kFlush: without meaning, as the length
  uint64_t length_bytes = 0;
};

// Not thread safe. 'No model' is the absence of a DiskModel.
class DiskModel {
 public:
  virtual ~DiskModel() = default;
  // Returns when the request ends on the modelled disk, in nanoseconds of the caller's clock. Calls are in
  // the order of arrival: `arrival_ns` never decreases. The request lies within the disk. The answer is
  // final: a later request never changes it.
  virtual uint64_t end_ns(const DiskRequest& request, uint64_t arrival_ns) = 0;
  // Figures for the summary and the status: requests, busy time, cache hits, write amplification of flash.
  virtual nlohmann::ordered_json report() const = 0;
};

}  // namespace patina
