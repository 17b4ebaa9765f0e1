// Reads and writes checkpoints as JSON files.
#include "executor/checkpoint.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "base/descriptor.h"
#include "base/small_file.h"

namespace patina {
namespace {

using nlohmann::json;

constexpr int kCheckpointVersion = 3;
constexpr size_t kMaxCheckpointBytes = 65536;

Error failed(const std::string& verb, const std::string& file) {
  return Error{ErrorCode::kIoError, fmt::format("cannot {} '{}': {}", verb, file, std::strerror(errno))};
}

Error damaged(const std::string& file, std::string_view why) {
  return Error{ErrorCode::kCheckpointInvalid, fmt::format("the checkpoint '{}' {}", file, why)};
}

std::string to_text(const Checkpoint& checkpoint) {
  nlohmann::ordered_json legs = nlohmann::ordered_json::array();
  for (const Leg& leg : checkpoint.legs) {
    legs.push_back({{"horizon_ops_count", leg.horizon_ops_count}, {"until_ops_count", leg.until_ops_count}});
  }
  const Mix& mix = checkpoint.mix;
  const nlohmann::ordered_json document = {{"type", "patina_checkpoint"},
                                           {"schema_version", kCheckpointVersion},
                                           {"ops_count", checkpoint.tick},
                                           {"stream_digest", checkpoint.stream_digest},
                                           {"workload", checkpoint.workload},
                                           {"profile_digest", checkpoint.profile_digest},
                                           {"capacity_bytes", checkpoint.capacity_bytes},
                                           {"block_size_bytes", checkpoint.block_size_bytes},
                                           {"fullness", checkpoint.fullness},
                                           {"fullness_statfs", checkpoint.fullness_statfs},
                                           {"seed", checkpoint.seed},
                                           {"horizon_ops_count", checkpoint.horizon_ops_count},
                                           {"legs", std::move(legs)},
                                           {"budget", checkpoint.budget},
                                           {"budget_limit", checkpoint.budget_limit},
                                           {"asked_horizon_ops_count", checkpoint.asked_horizon_ops_count},
                                           {"size_draw", checkpoint.size_draw},
                                           {"append", mix.append},
                                           {"overwrite", mix.overwrite},
                                           {"truncate", mix.truncate},
                                           {"rename", mix.rename},
                                           {"punch_hole", mix.punch_hole},
                                           {"data_mode", checkpoint.data_mode},
                                           {"given_up_count", checkpoint.given_up_count},
                                           {"no_space_count", checkpoint.no_space_count},
                                           {"elapsed_s", checkpoint.elapsed_s}};
  return document.dump(1) + "\n";
}

bool read_count(const json& document, const char* key, uint64_t& out) {
  const auto field = document.find(key);
  if (field == document.end() || !field->is_number_unsigned()) return false;
  out = field->get<uint64_t>();
  return true;
}

bool read_number(const json& document, const char* key, double& out) {
  const auto field = document.find(key);
  if (field == document.end() || !field->is_number()) return false;
  out = field->get<double>();
  return std::isfinite(out) && out >= 0;
}

bool read_text(const json& document, const char* key, std::string& out) {
  const auto field = document.find(key);
  if (field == document.end() || !field->is_string()) return false;
  out = field->get<std::string>();
  return true;
}

// Each leg begins where the one before ended.
bool read_legs(const json& document, std::vector<Leg>& out) {
  const auto legs = document.find("legs");
  if (legs == document.end() || !legs->is_array() || legs->size() > kMostLegs) return false;
  uint64_t before = 0;
  for (const json& item : *legs) {
    Leg leg;
    if (!item.is_object() || !read_count(item, "horizon_ops_count", leg.horizon_ops_count) ||
        !read_count(item, "until_ops_count", leg.until_ops_count)) {
      return false;
    }
    if (leg.until_ops_count < before || leg.until_ops_count > leg.horizon_ops_count) return false;
    before = leg.until_ops_count;
    out.push_back(leg);
  }
  return true;
}

bool read_plan(const json& document, Checkpoint& out) {
  return read_legs(document, out.legs) && read_text(document, "budget", out.budget) &&
         read_number(document, "budget_limit", out.budget_limit) &&
         read_count(document, "asked_horizon_ops_count", out.asked_horizon_ops_count) &&
         read_text(document, "size_draw", out.size_draw) && read_number(document, "append", out.mix.append) &&
         read_number(document, "overwrite", out.mix.overwrite) &&
         read_number(document, "truncate", out.mix.truncate) &&
         read_number(document, "rename", out.mix.rename) &&
         read_number(document, "punch_hole", out.mix.punch_hole);
}

bool read_fields(const json& document, Checkpoint& out) {
  return read_plan(document, out) && read_count(document, "ops_count", out.tick) &&
         read_text(document, "stream_digest", out.stream_digest) &&
         read_text(document, "workload", out.workload) &&
         read_text(document, "profile_digest", out.profile_digest) &&
         read_count(document, "capacity_bytes", out.capacity_bytes) &&
         read_count(document, "block_size_bytes", out.block_size_bytes) &&
         read_number(document, "fullness", out.fullness) &&
         (!document.contains("fullness_statfs") ||  // absent from older checkpoints
          read_number(document, "fullness_statfs", out.fullness_statfs)) &&
         read_count(document, "seed", out.seed) &&
         read_count(document, "horizon_ops_count", out.horizon_ops_count) &&
         read_text(document, "data_mode", out.data_mode) &&
         read_count(document, "no_space_count", out.no_space_count) &&
         read_count(document, "given_up_count", out.given_up_count) &&
         read_number(document, "elapsed_s", out.elapsed_s) && out.tick <= out.horizon_ops_count &&
         (out.legs.empty() || out.legs.back().until_ops_count <= out.tick);
}

Status write_whole(int fd, const std::string& text, const std::string& file) {
  size_t written = 0;
  while (written < text.size()) {
    const ssize_t n = write(fd, text.data() + written, text.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("write", file);
    written += static_cast<size_t>(n);
  }
  if (fsync(fd) != 0) return failed("sync", file);
  return ok_status();
}

}  // namespace

Checkpoint checkpoint_of(const Forecast& forecast, DataMode mode) {
  Checkpoint checkpoint;
  checkpoint.profile_digest = forecast.profile_digest;
  checkpoint.capacity_bytes = forecast.request.capacity_bytes;
  checkpoint.block_size_bytes = forecast.request.block_size_bytes;
  checkpoint.fullness = forecast.request.fullness;
  checkpoint.fullness_statfs = forecast.request.fullness_statfs.value_or(0);
  checkpoint.seed = forecast.request.seed;
  checkpoint.horizon_ops_count = forecast.horizon_ops_count;
  checkpoint.budget = budget_name(forecast.request.budget.kind);
  checkpoint.budget_limit = forecast.request.budget.limit;
  checkpoint.asked_horizon_ops_count = forecast.request.horizon_ops_count;
  checkpoint.size_draw = size_draw_name(forecast.request.size_draw);
  checkpoint.mix = forecast.request.mix;
  checkpoint.data_mode = data_mode_name(mode);
  return checkpoint;
}

Status write_checkpoint(const std::string& file, const Checkpoint& checkpoint) {
  const std::string temporary = file + ".tmp";
  {
    const Descriptor out(open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644));
    if (!out.valid()) return failed("make", temporary);
    Status written = write_whole(out.get(), to_text(checkpoint), temporary);
    if (!written) return written;
  }
  if (rename(temporary.c_str(), file.c_str()) != 0) return failed("rename to", file);
  std::filesystem::path folder = std::filesystem::path(file).parent_path();
  if (folder.empty()) folder = ".";
  const Descriptor handle(open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!handle.valid() || fsync(handle.get()) != 0) return failed("sync the folder of", file);
  return ok_status();
}

Result<Checkpoint> read_checkpoint(const std::string& file) {
  Result<std::string> text =
      read_small_file(file, kMaxCheckpointBytes, ErrorCode::kCheckpointInvalid, "the checkpoint");
  if (!text) return text.error();
  const json document = json::parse(*text, nullptr, /*allow_exceptions=*/false);
  if (!document.is_object()) return damaged(file, "is not a JSON object; it is damaged");
  std::string type;
  uint64_t version = 0;
  if (!read_text(document, "type", type) || type != "patina_checkpoint") {
    return damaged(file, "is not a checkpoint of patina-core");
  }
  if (!read_count(document, "schema_version", version) || version != kCheckpointVersion) {
    return damaged(file, "is of another version of patina-core");
  }
  Checkpoint checkpoint;
  if (!read_fields(document, checkpoint)) return damaged(file, "lacks a field or contains an invalid one");
  return checkpoint;
}

Status match_checkpoint(const Checkpoint& read, const Checkpoint& plan) {
  const char* differs = nullptr;
  if (read.workload != plan.workload) differs = "workload";
  if (read.profile_digest != plan.profile_digest) differs = "profile";
  if (read.capacity_bytes != plan.capacity_bytes) differs = "capacity";
  if (read.block_size_bytes != plan.block_size_bytes) differs = "block size";
  if (read.fullness != plan.fullness || read.fullness_statfs != plan.fullness_statfs) differs = "fullness";
  if (read.seed != plan.seed) differs = "seed";
  if (read.data_mode != plan.data_mode) differs = "data mode";
  if (read.size_draw != plan.size_draw) differs = "way of drawing sizes";
  if (!(read.mix == plan.mix)) differs = "mix of operations";
  if (differs == nullptr) return ok_status();
  return Error{ErrorCode::kCheckpointInvalid,
               fmt::format("the checkpoint belongs to another plan: its {} differs", differs)};
}

}  // namespace patina
