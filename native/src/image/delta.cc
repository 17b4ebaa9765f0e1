// The format: a line of JSON, a line per extent, a line with the digest of all before.
#include "image/delta.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
#include <string_view>

#include "base/buffered_input.h"
#include "base/digest.h"
#include "base/durable_file.h"
#include "base/small_file.h"

namespace patina {
namespace {

using nlohmann::json;

constexpr int kVersion = 1;
constexpr size_t kMaxLineBytes = 16384;
constexpr uint64_t kMaxDeviceBytes = INT64_MAX;

Error invalid(const std::string& path, std::string_view why) {
  return {ErrorCode::kTraceInvalid, fmt::format("the delta '{}' {}", path, why)};
}

uint64_t end_block_of(uint64_t bytes) {
  return bytes / kDeltaBlockBytes + (bytes % kDeltaBlockBytes == 0 ? 0 : 1);
}

nlohmann::ordered_json head_of(const Delta& delta) {
  return {{"type", "patina_delta"},
          {"schema_version", kVersion},
          {"block_bytes", kDeltaBlockBytes},
          {"device_bytes", delta.device_bytes},
          {"source", delta.source},
          {"incomplete_reason", delta.incomplete_reason},
          {"generation_begin", delta.generation_begin},
          {"generation_end", delta.generation_end},
          {"events_count", delta.events_count},
          {"dropped_count", delta.dropped_count},
          {"extents_count", delta.extents.size()}};
}

bool read_count(const json& head, const char* key, uint64_t& out) {
  const auto field = head.find(key);
  if (field == head.end() || !field->is_number_unsigned()) return false;
  out = field->get<uint64_t>();
  return true;
}

bool read_text(const json& head, const char* key, std::string& out) {
  const auto field = head.find(key);
  if (field == head.end() || !field->is_string()) return false;
  out = field->get<std::string>();
  return true;
}

bool read_fields(const json& head, Delta& out, uint64_t& extents_count) {
  uint64_t block_bytes = 0;
  return read_count(head, "block_bytes", block_bytes) && block_bytes == kDeltaBlockBytes &&
         read_count(head, "device_bytes", out.device_bytes) && out.device_bytes <= kMaxDeviceBytes &&
         read_text(head, "source", out.source) &&
         read_text(head, "incomplete_reason", out.incomplete_reason) &&
         read_text(head, "generation_begin", out.generation_begin) &&
         read_text(head, "generation_end", out.generation_end) &&
         read_count(head, "events_count", out.events_count) &&
         read_count(head, "dropped_count", out.dropped_count) &&
         read_count(head, "extents_count", extents_count) && extents_count <= kMaxDeltaExtents;
}

// Reads two numbers in blocks, exactly as they are written.
bool read_extent(std::string_view line, Delta& delta) {
  uint64_t begin = 0;
  uint64_t count = 0;
  const char* const text = line.data();
  const char* const end = text + line.size();
  const auto first = std::from_chars(text, end, begin);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != ' ') return false;
  const auto second = std::from_chars(first.ptr + 1, end, count);
  if (second.ec != std::errc() || second.ptr != end) return false;
  const uint64_t blocks_count = end_block_of(delta.device_bytes);
  if (count == 0 || begin >= blocks_count || count > blocks_count - begin) return false;
  const ByteRange extent{begin * kDeltaBlockBytes,
                         std::min((begin + count) * kDeltaBlockBytes, delta.device_bytes)};
  if (!delta.extents.empty() && extent.begin_bytes <= delta.extents.back().end_bytes) return false;
  delta.extents.push_back(extent);
  return true;
}

}  // namespace

uint64_t Delta::touched_bytes() const {
  uint64_t sum = 0;
  for (const ByteRange& extent : extents) sum += extent.length_bytes();
  return sum;
}

Status write_delta(const std::string& path, const Delta& delta) {
  assert(delta.extents.size() <= kMaxDeltaExtents);
  Result<std::unique_ptr<DurableFile>> file = DurableFile::create(path, "the delta");
  if (!file) return file.error();
  Sha256 sha;
  const auto put = [&](const std::string& line) {
    sha.update(line);
    return (*file)->append(line);
  };
  if (Status status = put(head_of(delta).dump() + "\n"); !status) return status;
  for (const ByteRange& extent : delta.extents) {
    const uint64_t begin = extent.begin_bytes / kDeltaBlockBytes;
    Status status = put(fmt::format("{} {}\n", begin, end_block_of(extent.end_bytes) - begin));
    if (!status) return status;
  }
  if (Status status = (*file)->append(sha.hex() + "\n"); !status) return status;
  return (*file)->publish();
}

Result<Delta> read_delta(const std::string& path) {
  const Result<Descriptor> file = open_regular_file(path, ErrorCode::kTraceInvalid, "the delta");
  if (!file) return file.error();
  BufferedInput input(file->get());
  Sha256 sha;
  const auto next_line = [&] {
    const std::optional<std::string_view> line = input.line(kMaxLineBytes);
    if (line) {
      sha.update(*line);
      sha.update("\n");
    }
    return line;
  };
  const std::optional<std::string_view> first = next_line();
  const json head = first ? json::parse(*first, nullptr, /*allow_exceptions=*/false) : json();
  std::string type;
  if (!head.is_object() || !read_text(head, "type", type) || type != "patina_delta") {
    return invalid(path, "is not a delta of patina-core");
  }
  uint64_t version = 0;
  if (!read_count(head, "schema_version", version) || version != kVersion) {
    return invalid(path, "is of another version of patina-core");
  }
  Delta delta;
  uint64_t extents_count = 0;
  if (!read_fields(head, delta, extents_count)) {
    return invalid(path, "lacks a field or contains an invalid one");
  }
  for (uint64_t i = 0; i < extents_count; ++i) {
    const std::optional<std::string_view> line = next_line();
    if (!line) return invalid(path, fmt::format("is cut short after {} extents", i));
    if (!read_extent(*line, delta)) return invalid(path, fmt::format("is damaged at extent {}", i + 1));
  }
  const std::string expected = sha.hex();
  const std::optional<std::string_view> digest = input.line(kMaxLineBytes);
  if (!digest) return invalid(path, "is cut short: it has no digest");
  if (*digest != expected || !input.at_end()) {
    return invalid(path, "is damaged: its digest is not that of its content");
  }
  return delta;
}

}  // namespace patina
