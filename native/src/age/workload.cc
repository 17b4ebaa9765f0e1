// Keeps a workload's live files, and makes its events.
#include "age/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "age/workload_kinds.h"
#include "model/file_sizes.h"
#include "model/plan.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

Error usage(std::string message) {
  return Error{ErrorCode::kUsage, std::move(message)};
}

Error senseless(uint64_t tick, const Operation& operation, const char* why) {
  return Error{ErrorCode::kLogInvalid, fmt::format("operation {}, {} of file {}: {}", tick,
                                                   operation_kind_name(operation.kind), operation.file, why)};
}

}  // namespace

const char* workload_name(WorkloadKind kind) {
  switch (kind) {
    case WorkloadKind::kNone:
      return "none";
    case WorkloadKind::kFsfb:
      return "fsfb";
    case WorkloadKind::kChurn:
      return "churn";
    case WorkloadKind::kReplay:
      return "replay";
    case WorkloadKind::kFresh:
      return "fresh";
  }
  return "none";
}

Result<std::unique_ptr<Course>> make_workload(const WorkloadRequest& request) {
  const bool has_fullness = request.kind == WorkloadKind::kFsfb || request.kind == WorkloadKind::kChurn;
  if (has_fullness &&
      (!std::isfinite(request.fullness) || request.fullness < 0.01 || request.fullness > 0.99)) {
    return usage(fmt::format("a fullness of {} is not from 0.01 to 0.99", request.fullness));
  }
  switch (request.kind) {
    case WorkloadKind::kFsfb:
      return make_fsfb(request);
    case WorkloadKind::kChurn:
      return make_churn(request);
    case WorkloadKind::kReplay:
      return make_replay(request);
    case WorkloadKind::kFresh:
      return make_fresh(request);
    case WorkloadKind::kNone:
      break;
  }
  return usage("no workload was chosen");
}

Workload::Workload(const WorkloadRequest& request, DirectoryTree tree)
    : request_(request), tree_(std::move(tree)), digest_(stream_digest_of(tree_)) {}

Result<size_t> Workload::next(std::span<Operation> block) {
  size_t made = 0;
  while (made < block.size() && !finished_) {
    Result<bool> stepped = step(block[made]);
    if (!stepped) return stepped.error();
    finished_ = !*stepped;
    if (finished_) break;
    ++tick_;
    Status kept = keep(block[made]);
    if (!kept) return kept.error();
    ++made;
    if (const std::optional<Rounds> counted = rounds(); counted && counted->is_between) break;
  }
  digest_.update(block.data(), made * sizeof(Operation));
  return made;
}

// Also checks the operations of a log, which is untrusted.
Status Workload::keep(const Operation& operation) {
  if (operation.kind == OperationKind::kMakeDirectory) {
    if (operation.directory != tree_.count() || operation.file >= tree_.count()) {
      return senseless(tick_, operation, "its parent or its number is wrong");
    }
    tree_.add(static_cast<uint32_t>(operation.file));
    return ok_status();
  }
  const uint64_t rounded_bytes = round_up(operation.bytes, request_.block_size_bytes);
  const ByteRange touched = touched_range(operation, request_.block_size_bytes);
  if (operation.is_create()) {
    const auto [entry, is_new] = live_.try_emplace(operation.file, operation);
    if (!is_new) return senseless(tick_, operation, "there is such a file already");
    ++created_count_;
    live_bytes_ += rounded_bytes;
    written_bytes_ += operation.place == 0 ? rounded_bytes : touched.begin_bytes;
    if (operation.place != 0) entry->second.kind = OperationKind::kTruncate;
    return ok_status();
  }
  const auto found = live_.find(operation.file);
  if (found == live_.end()) return senseless(tick_, operation, "there is no such file");
  Operation& file = found->second;
  if (file.bytes != operation.bytes || file.directory != operation.directory ||
      file.renamed != operation.renamed) {
    return senseless(tick_, operation, "the file has another size, directory or name");
  }
  if (operation.is_delete()) {
    ++deleted_count_;
    live_bytes_ -= rounded_bytes;
    live_.erase(found);
    return ok_status();
  }
  ++modified_count_;
  switch (operation.kind) {
    case OperationKind::kRename:
      file.renamed ^= 1U;
      break;
    case OperationKind::kTruncate:
    case OperationKind::kPunchHole:
      file.kind = operation.kind;
      file.place = operation.place;
      break;
    case OperationKind::kAppend:
      written_bytes_ += file.kind == OperationKind::kTruncate ? operation.bytes - touched.begin_bytes
                                                              : touched.length_bytes();
      file.kind = OperationKind::kCreate;
      break;
    default:
      written_bytes_ += touched.length_bytes();
  }
  return ok_status();
}

std::vector<uint16_t> Workload::spread_directories(int lanes_count) const {
  std::vector<uint16_t> lane_of_directory(tree_.count());
  for (uint32_t i = 0; i < tree_.count(); ++i)
    lane_of_directory[i] = static_cast<uint16_t>(i % static_cast<uint32_t>(lanes_count));
  return lane_of_directory;
}

std::vector<Operation> Workload::live_files() const {
  std::vector<Operation> files;
  files.reserve(live_.size());
  for (const auto& [ordinal, file] : live_) {
    files.push_back(file);
    files.back().kind = OperationKind::kCreate;
    files.back().place = 0;
  }
  std::sort(files.begin(), files.end(),
            [](const Operation& a, const Operation& b) { return a.file < b.file; });
  return files;
}

Result<DiskCheck> Workload::compare_with(FileSystem& file_system) const {
  const auto lacks = [this](uint64_t ordinal) {
    const auto found = live_.find(ordinal);
    return found != live_.end() && found->second.kind == OperationKind::kTruncate;
  };
  return compare_tree(live_files(), lacks, file_system);
}

Status Workload::aim(const Budget& /*budget*/, uint64_t /*horizon_ops_count*/) {
  return usage("a workload has no histograms to meet, and hence no budget; max-seconds and stop end it");
}

bool Workload::asks_otherwise(const Checkpoint& /*checkpoint*/) const {
  return false;
}

uint64_t Workload::target_bytes() const {
  return static_cast<uint64_t>(request_.fullness * static_cast<double>(request_.capacity_bytes));
}

Operation Workload::create(uint32_t directory, uint64_t bytes) const {
  Operation operation;
  operation.file = created_count_ + 1;
  operation.bytes = bytes;
  operation.directory = directory;
  return operation;
}

Operation Workload::remove(uint64_t file) const {
  Operation operation = live_.at(file);
  operation.kind = OperationKind::kDelete;
  return operation;
}

Checkpoint Workload::checkpoint(DataMode mode) const {
  Checkpoint checkpoint;
  checkpoint.workload = identity();
  checkpoint.tick = tick_;
  checkpoint.stream_digest = stream_digest();
  checkpoint.capacity_bytes = request_.capacity_bytes;
  checkpoint.block_size_bytes = request_.block_size_bytes;
  checkpoint.fullness = request_.fullness;
  checkpoint.seed = request_.seed;
  checkpoint.horizon_ops_count = std::max(tick_, horizon());
  checkpoint.budget = budget_name(BudgetKind::kNone);
  checkpoint.size_draw = size_draw_name(SizeDraw::kExact);
  checkpoint.data_mode = data_mode_name(mode);
  return checkpoint;
}

Json Workload::announcement() const {
  Json event = {{"type", "workload"},
                {"workload", workload_name(request_.kind)},
                {"capacity_bytes", request_.capacity_bytes},
                {"block_size_bytes", request_.block_size_bytes},
                {"horizon_ops_count", horizon()},
                {"recorded_digest", recorded_digest().empty() ? Json(nullptr) : Json(recorded_digest())}};
  return event;
}

// Returns the fields that a sample and a summary share.
Json Workload::state_json(const Measures& measures) const {
  const auto capacity = static_cast<double>(request_.capacity_bytes);
  const auto nullable = [](const auto& number) { return number ? Json(*number) : Json(nullptr); };
  const std::optional<Rounds> counted = rounds();
  return {{"ops_count", tick_},
          {"elapsed_s", measures.elapsed_s},
          {"ops_per_s", measures.ops_per_s},
          {"live_files_count", live_.size()},
          {"live_bytes", live_bytes_},
          {"fullness", static_cast<double>(live_bytes_) / capacity},
          {"fullness_statfs", nullable(measures.fullness_statfs)},
          {"lag", lag_json(measures)},
          {"overwrites", static_cast<double>(written_bytes_) / capacity},
          {"no_space_count", measures.no_space_count},
          {"rounds_count", counted ? Json(counted->done) : Json(nullptr)},
          {"histograms", nullptr}};
}

std::function<Json(const Measures&)> Workload::sample() const {
  Json state = state_json({});
  const double progress =
      horizon() == 0 ? 1 : std::min(1.0, static_cast<double>(tick_) / static_cast<double>(horizon()));
  return [state = std::move(state), progress, phase = phase()](const Measures& measures) {
    Json event = {{"type", "sample"}, {"phase", phase}};
    event.update(state);
    event["progress_fraction"] = progress;
    event["elapsed_s"] = measures.elapsed_s;
    event["ops_per_s"] = measures.ops_per_s;
    event["eta_s"] = measures.eta_s ? Json(*measures.eta_s) : Json(nullptr);
    event["fullness_statfs"] = measures.fullness_statfs ? Json(*measures.fullness_statfs) : Json(nullptr);
    event["lag"] = lag_json(measures);
    event["no_space_count"] = measures.no_space_count;
    return event;
  };
}

Json Workload::summary(const Measures& measures, const Outcome& outcome) const {
  Json event = {{"type", "summary"}, {"command", outcome.command}, {"stop_reason", outcome.stop_reason}};
  event.update(state_json(measures));
  event["horizon_ops_count"] = horizon();
  const bool replays = request_.kind == WorkloadKind::kReplay;
  event["fullness_target"] = replays ? Json(nullptr) : Json(request_.fullness);
  event["fullness_statfs_target"] = nullptr;
  event["fullness_excursion"] = nullptr;
  event["legs"] = Json::array();
  event["age_chi_squared"] = nullptr;
  event["set_aside"] = Json::array();
  event["create_ops_count"] = created_count_;
  event["delete_ops_count"] = deleted_count_;
  event["modification_ops_count"] = modified_count_;
  event["written_bytes"] = written_bytes_;
  event["threads_count"] = outcome.way ? outcome.way->threads_count : 1;
  event["way"] = outcome.way ? way_json(*outcome.way) : Json(nullptr);
  event["data_mode"] = outcome.data_mode;
  event["plan_digest"] = outcome.plan_digest;
  const auto fired = [&outcome](std::string_view reason) { return reason == outcome.stop_reason; };
  event["stop_conditions"] = Json::array(
      {{{"stop_reason", "completed"},
        {"limit", horizon()},
        {"achieved", tick_},
        {"has_fired", fired("completed")}},
       {{"stop_reason", "fullness_missed"},
        {"limit", replays ? Json(nullptr) : Json(request_.fullness)},
        {"achieved", static_cast<double>(live_bytes_) / static_cast<double>(request_.capacity_bytes)},
        {"has_fired", fired("fullness_missed")}},
       {{"stop_reason", "time_reached"},
        {"limit", outcome.max_seconds > 0 ? Json(outcome.max_seconds) : Json(nullptr)},
        {"achieved", measures.elapsed_s},
        {"has_fired", fired("time_reached")}}});
  event["disk"] = outcome.disk == nullptr ? Json(nullptr) : disk_counts_json(*outcome.disk);
  event["free_extents"] = outcome.free_extents ? free_extents_json(*outcome.free_extents) : Json(nullptr);
  return event;
}

}  // namespace patina
