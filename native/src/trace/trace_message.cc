// Encodes each message as one JSON object.
#include "trace/trace_message.h"

#include <nlohmann/json.hpp>

namespace patina {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
// Far above any real text, and small enough for the head of a delta.
constexpr size_t kMaxTextBytes = 512;
constexpr const char* kHeadType = "patina_trace";
constexpr const char* kEndType = "patina_trace_end";

// Parses a message; none: not an object of this type.
std::optional<json> parse(std::string_view message, std::string_view type) {
  if (!message.starts_with('{')) return std::nullopt;
  json object = json::parse(message, nullptr, /*allow_exceptions=*/false);
  if (!object.is_object()) return std::nullopt;
  const auto found = object.find("type");
  if (found == object.end() || !found->is_string() || *found != type) return std::nullopt;
  return object;
}

bool read_count(const json& object, const char* key, uint64_t& out) {
  const auto field = object.find(key);
  if (field == object.end() || !field->is_number_unsigned()) return false;
  out = field->get<uint64_t>();
  return true;
}

bool read_text(const json& object, const char* key, std::string& out) {
  const auto field = object.find(key);
  if (field == object.end() || !field->is_string()) return false;
  out = field->get<std::string>();
  return out.size() <= kMaxTextBytes;
}

}  // namespace

std::string to_message(const TraceHead& head) {
  return nlohmann::ordered_json{{"type", kHeadType},
                                {"schema_version", kVersion},
                                {"device_bytes", head.device_bytes},
                                {"source", head.source},
                                {"generation_begin", head.generation_begin}}
      .dump();
}

std::string to_message(const TraceEnd& end) {
  return nlohmann::ordered_json{{"type", kEndType},
                                {"events_count", end.events_count},
                                {"writes_count", end.writes_count},
                                {"dropped_count", end.dropped_count},
                                {"records_count", end.records_count},
                                {"generation_end", end.generation_end},
                                {"incomplete_reason", end.incomplete_reason}}
      .dump();
}

bool is_trace_head(std::string_view message) {
  return parse(message, kHeadType).has_value();
}

std::optional<TraceHead> parse_trace_head(std::string_view message) {
  const std::optional<json> object = parse(message, kHeadType);
  TraceHead head;
  uint64_t version = 0;
  const bool whole = object && read_count(*object, "schema_version", version) && version == kVersion &&
                     read_count(*object, "device_bytes", head.device_bytes) &&
                     read_text(*object, "source", head.source) &&
                     read_text(*object, "generation_begin", head.generation_begin);
  return whole ? std::optional(head) : std::nullopt;
}

std::optional<TraceEnd> parse_trace_end(std::string_view message) {
  const std::optional<json> object = parse(message, kEndType);
  TraceEnd end;
  const bool whole = object && read_count(*object, "events_count", end.events_count) &&
                     read_count(*object, "writes_count", end.writes_count) &&
                     read_count(*object, "dropped_count", end.dropped_count) &&
                     read_count(*object, "records_count", end.records_count) &&
                     read_text(*object, "generation_end", end.generation_end) &&
                     read_text(*object, "incomplete_reason", end.incomplete_reason);
  return whole ? std::optional(end) : std::nullopt;
}

}  // namespace patina
