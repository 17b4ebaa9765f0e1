// Checks each number of a request, which comes from another program.
#include "emulate/selection_request.h"

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

Json answer_selection(const Json& request, EmulatedDisk& disk) {
  if (request["type"] == "begin_selection") {
    const Result<uint64_t> selection = disk.begin_selection();
    if (!selection) return error_event(selection.error());
    return {{"type", "selection"}, {"selection", *selection}, {"missing_bytes", 0}};
  }
  if (!request.contains("selection") || !request["selection"].is_number_unsigned()) {
    return wrong("'selection' must be the number that \"begin_selection\" was answered with");
  }
  const auto selection = request["selection"].get<uint64_t>();
  if (request["type"] == "end_selection") {
    if (Status ended = disk.end_selection(selection); !ended) return error_event(ended.error());
    return {{"type", "selection"}, {"selection", selection}, {"missing_bytes", 0}};
  }
  const std::optional<std::vector<ByteRange>> ranges = ranges_of(request);
  if (!ranges) return wrong("'ranges' must be a list of pairs of a first byte and a number of bytes");
  const Result<uint64_t> missing_bytes = disk.name_chosen(selection, *ranges);
  if (!missing_bytes) return error_event(missing_bytes.error());
  return {{"type", "selection"}, {"selection", selection}, {"missing_bytes", *missing_bytes}};
}

}  // namespace patina
