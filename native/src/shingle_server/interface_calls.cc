// What the calls of both interfaces share.
#include "shingle_server/interface_calls.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace patina {

nlohmann::ordered_json done_answer() {
  return {{"type", "done"}};
}

Error unknown_call(const std::string& type, const char* types) {
  return {ErrorCode::kUsage, fmt::format("'type' is \"{}\"; it must be one of {}", type, types)};
}

std::vector<uint8_t> buffer_of(CallReader& request, uint64_t sector_bytes) {
  const uint64_t most = CallReader::kMostDataBytes / sector_bytes;
  return std::vector<uint8_t>(request.fields().integer("sectors_count", 1, most) * sector_bytes);
}

}  // namespace patina
