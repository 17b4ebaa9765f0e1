// Checks each number of a request, which comes from another program.
#include "emulate/round_request.h"

#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/event.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Json wrong(const char* message) {
  return error_event({ErrorCode::kUsage, message});
}

std::optional<std::vector<ByteRange>> ranges_of(const Json& request) {
  std::vector<ByteRange> ranges;
  if (!request.contains("ranges") || !request["ranges"].is_array()) return std::nullopt;
  for (const Json& range : request["ranges"]) {
    const bool is_pair = range.is_array() && range.size() == 2 && range[0].is_number_unsigned() &&
                         range[1].is_number_unsigned();
    if (!is_pair) return std::nullopt;
    const auto begin = range[0].get<uint64_t>();
    const auto length = range[1].get<uint64_t>();
    if (length > UINT64_MAX - begin) return std::nullopt;
    ranges.push_back({begin, begin + length});
  }
  return ranges;
}

}  // namespace

Json answer_round(const Json& request, EmulatedDisk& disk) {
  if (request["type"] == "begin_round") {
    const Result<uint64_t> round = disk.begin_round();
    if (!round) return error_event(round.error());
    return {{"type", "round"}, {"round", *round}, {"missing_bytes", 0}};
  }
  if (!request.contains("round") || !request["round"].is_number_unsigned()) {
    return wrong("'round' must be the number that \"begin_round\" was answered with");
  }
  const auto round = request["round"].get<uint64_t>();
  if (request["type"] == "end_round") {
    if (Status ended = disk.end_round(round); !ended) return error_event(ended.error());
    return {{"type", "round"}, {"round", round}, {"missing_bytes", 0}};
  }
  const std::optional<std::vector<ByteRange>> ranges = ranges_of(request);
  if (!ranges) return wrong("'ranges' must be a list of pairs of a first byte and a number of bytes");
  const Result<uint64_t> missing_bytes = disk.name_chosen(round, *ranges);
  if (!missing_bytes) return error_event(missing_bytes.error());
  return {{"type", "round"}, {"round", round}, {"missing_bytes", *missing_bytes}};
}

}  // namespace patina
