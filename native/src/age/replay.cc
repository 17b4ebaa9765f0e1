// The replay workload: repeats an operation log.
#include <fmt/format.h>

#include <array>

#include "age/operation_log.h"
#include "age/workload_kinds.h"

namespace patina {
namespace {

class Replay final : public Workload {
 public:
  Replay(const WorkloadRequest& request, std::unique_ptr<OperationLogReader> log)
      : Workload(request, log->tree()), log_(std::move(log)) {}

  uint64_t horizon() const override { return horizon_ops_count_; }
  std::string recorded_digest() const override { return recorded_digest_; }
  const OperationLogReader& log() const { return *log_; }

  void expect(const OperationLogReader& read) {
    horizon_ops_count_ = read.ops_count();
    recorded_digest_ = read.stream_digest();
  }

 protected:
  Result<bool> step(Operation& operation) override { return log_->next(operation); }
  const char* phase() const override { return "stable"; }
  std::string identity() const override { return "replay of " + recorded_digest_; }

 private:
  std::unique_ptr<OperationLogReader> log_;
  uint64_t horizon_ops_count_ = 0;
  std::string recorded_digest_;
};

class Survivors final : public Workload {
 public:
  Survivors(const WorkloadRequest& request, const Replay& whole)
      : Workload(request, whole.tree()),
        files_(whole.live_files()),
        recorded_digest_(whole.log().stream_digest()) {}

  uint64_t horizon() const override { return files_.size(); }
  std::string recorded_digest() const override { return recorded_digest_; }

 protected:
  Result<bool> step(Operation& operation) override {
    if (tick() == files_.size()) return false;
    operation = files_[tick()];
    return true;
  }
  const char* phase() const override { return "rapid"; }
  std::string identity() const override { return "survivors of " + recorded_digest_; }

 private:
  std::vector<Operation> files_;
  std::string recorded_digest_;
};

Result<std::unique_ptr<Replay>> open_replay(const WorkloadRequest& request) {
  Result<std::unique_ptr<OperationLogReader>> log = OperationLogReader::open(request.log_file);
  if (!log) return log.error();
  return std::make_unique<Replay>(request, std::move(*log));
}

}  // namespace

Result<std::unique_ptr<Course>> make_replay(const WorkloadRequest& request) {
  // Reads the log to its end first, so that a damaged one changes no file system.
  Result<std::unique_ptr<Replay>> whole = open_replay(request);
  if (!whole) return whole.error();
  std::array<Operation, 1024> block;
  while (!(*whole)->finished()) {
    Result<size_t> read = (*whole)->next(block);
    if (!read) return read.error();
  }
  if (request.survivors) return std::unique_ptr<Course>(std::make_unique<Survivors>(request, **whole));
  Result<std::unique_ptr<Replay>> replay = open_replay(request);
  if (!replay) return replay.error();
  (*replay)->expect((*whole)->log());
  return std::unique_ptr<Course>(std::move(*replay));
}

}  // namespace patina
