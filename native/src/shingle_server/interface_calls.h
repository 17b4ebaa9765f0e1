// The calls of a disk of one interface.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>

#include "base/result.h"
#include "shingle/caveat_disk.h"
#include "shingle/strict_append_disk.h"
#include "shingle_server/call_reader.h"

namespace patina {

// One call at a time.
class InterfaceCalls {
 public:
  InterfaceCalls() = default;
  virtual ~InterfaceCalls() = default;
  InterfaceCalls(const InterfaceCalls&) = delete;
  InterfaceCalls& operator=(const InterfaceCalls&) = delete;

  // The fields of the answer to `modesense`, `create` and `open`.
  virtual nlohmann::ordered_json modesense() const = 0;
  // Carries out any other call. kUsage: it is wrong, or there is none of this type. The errors of the disk.
  virtual Result<CallAnswer> call(CallReader& request) = 0;
  virtual Status flush() = 0;
};

std::unique_ptr<InterfaceCalls> calls_of(std::unique_ptr<CaveatDisk> disk);
std::unique_ptr<InterfaceCalls> calls_of(std::unique_ptr<StrictAppendDisk> disk);

// The answer to a call that was carried out.
nlohmann::ordered_json done_answer();
// The error of a type that is none of these.
Error unknown_call(const std::string& type, const char* types);
// Reads `sectors_count` of a request that reads.
std::vector<uint8_t> buffer_of(CallReader& request, uint64_t sector_bytes);

}  // namespace patina
