// What every request has is read first.
#include "shingle_server/call_reader.h"

#include <fmt/format.h>

namespace patina {

CallReader::CallReader(const nlohmann::json& request, std::span<const uint8_t> data)
    : fields_(request, "", problem_), type_(fields_.text("type", 64)), data_(data) {
  fields_.integer("data_bytes", 0, kMostDataBytes, 0);
}

Status CallReader::settle(bool takes_data) {
  fields_.refuse_others();
  if (!problem_.empty()) return Error{ErrorCode::kUsage, problem_};
  if (takes_data || data_.empty()) return ok_status();
  return Error{ErrorCode::kUsage, fmt::format("\"{}\" takes no data", type_)};
}

}  // namespace patina
