// Aging workloads of other studies, as alternatives to a profile: the course of an aging that has no
// histograms to meet.
#pragma once

#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "age/course.h"
#include "base/digest.h"

namespace patina {

enum class WorkloadKind { kNone, kFsfb, kChurn, kReplay, kFresh };
// Returns the name in JSON and on the command line: "none", "fsfb", "churn", "replay", "fresh".
const char* workload_name(WorkloadKind kind);

struct WorkloadRequest {
  WorkloadKind kind = WorkloadKind::kNone;
  uint64_t capacity_bytes = 0;  // of this and the next: of the mount
  uint64_t block_size_bytes = 4096;
  double fullness = 0;           // fsfb and churn
  uint64_t seed = 1;             // fsfb and churn
  uint64_t rounds_count = 500;   // fsfb
  uint64_t ops_count = 100'000;  // churn
  std::string log_file;          // replay
  bool survivors = false;        // replay: only the files left at the log's end
};

// Makes a workload. Errors: kUsage (a number out of its range), kLogInvalid.
Result<std::unique_ptr<Course>> make_workload(const WorkloadRequest& request);

// State of every workload: its live files, their bytes, the digest of the stream.
class Workload : public Course {
 public:
  Result<size_t> next(std::span<Operation> block) final;
  bool finished() const final { return finished_; }
  uint64_t tick() const final { return tick_; }
  std::string stream_digest() const final { return digest_.hex(); }
  const DirectoryTree& tree() const final { return tree_; }
  std::vector<uint16_t> spread_directories(int lanes_count) const final;
  std::vector<Operation> live_files() const final;
  Result<DiskCheck> compare_with(FileSystem& file_system) const final;
  uint64_t capacity_bytes() const final { return request_.capacity_bytes; }
  uint64_t block_size_bytes() const final { return request_.block_size_bytes; }
  uint64_t planned_free_bytes() const final { return request_.capacity_bytes - target_bytes(); }

  Status aim(const Budget& budget, uint64_t horizon_ops_count) final;
  Status aim_again(uint64_t horizon_ops_count) final { return aim({}, horizon_ops_count); }
  bool asks_otherwise(const Checkpoint& checkpoint) const final;
  Status aim_as_asked() final { return aim({}, 0); }

  Checkpoint checkpoint(DataMode mode) const final;
  nlohmann::ordered_json announcement() const final;
  std::function<nlohmann::ordered_json(const Measures&)> sample() const final;
  nlohmann::ordered_json summary(const Measures& measures, const Outcome& outcome) const final;
  const char* stop_reason(const Measures& /*measures*/) const final {
    return reaches_fullness() ? "completed" : "fullness_missed";
  }

 protected:
  // `tree`: the directories before the first operation.
  Workload(const WorkloadRequest& request, DirectoryTree tree);

  // Makes the next operation into `operation`; false at the end.
  virtual Result<bool> step(Operation& operation) = 0;
  // Reports whether it reached its target fullness.
  virtual bool reaches_fullness() const { return true; }
  // Returns the SHA-256, hex, of the stream whose log it replays; empty: it replays none.
  virtual std::string recorded_digest() const { return ""; }
  // Identifies this workload in checkpoints: its parameters and the digests of its input.
  virtual std::string identity() const = 0;

  const WorkloadRequest& request() const { return request_; }
  uint64_t target_bytes() const;
  uint64_t live_bytes() const { return live_bytes_; }
  Operation create(uint32_t directory, uint64_t bytes) const;
  Operation remove(uint64_t file) const;

 private:
  Status keep(const Operation& operation);
  nlohmann::ordered_json state_json(const Measures& measures) const;

  WorkloadRequest request_;
  DirectoryTree tree_;
  Sha256 digest_;
  std::unordered_map<uint64_t, Operation> live_;  // by ordinal, as a create; `place` where bytes are lacking
  uint64_t tick_ = 0;
  uint64_t created_count_ = 0;
  uint64_t deleted_count_ = 0;
  uint64_t modified_count_ = 0;
  uint64_t live_bytes_ = 0;  // block-rounded
  uint64_t written_bytes_ = 0;
  bool finished_ = false;
};

}  // namespace patina
