// A profile's plan as the course of an aging, revised on request.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "age/course.h"
#include "model/plan.h"

namespace patina {

class PlanCourse final : public Course {
 public:
  // A resumed run begins with the plan's first horizon; aim() sets the later ones.
  PlanCourse(const Forecast& forecast, const std::optional<Checkpoint>& resume_from);

  Result<size_t> next(std::span<Operation> block) override { return planner_.next(block); }
  bool finished() const override { return planner_.finished(); }
  uint64_t tick() const override { return planner_.tick(); }
  uint64_t horizon() const override { return planner_.horizon(); }
  const char* phase() const override { return planner_.phase(); }
  std::string stream_digest() const override { return planner_.stream_digest(); }
  const DirectoryTree& tree() const override { return planner_.tree(); }
  std::vector<uint16_t> spread_directories(int lanes_count) const override;
  std::vector<Operation> live_files() const override { return planner_.live_files(); }
  Result<DiskCheck> compare_with(FileSystem& file_system) const override;
  uint64_t capacity_bytes() const override { return forecast_.request.capacity_bytes; }
  uint64_t block_size_bytes() const override { return forecast_.request.block_size_bytes; }
  uint64_t planned_free_bytes() const override;

  Status aim(const Budget& budget, uint64_t horizon_ops_count) override;
  Status aim_again(uint64_t horizon_ops_count) override;
  bool asks_otherwise(const Checkpoint& checkpoint) const override;
  Status aim_as_asked() override { return aim(asked_budget_, asked_horizon_ops_count_); }

  Checkpoint checkpoint(DataMode mode) const override;
  nlohmann::ordered_json announcement() const override;
  std::function<nlohmann::ordered_json(const Measures&)> sample() const override;
  nlohmann::ordered_json summary(const Measures& measures, const Outcome& outcome) const override;
  const char* stop_reason(const Measures& measures) const override {
    return horizon_stop_reason(forecast_, planner_.state(), measures.fullness_statfs);
  }

 private:
  const Budget asked_budget_;  // from the command line
  const uint64_t asked_horizon_ops_count_;
  const bool asked_exactly_;
  Forecast forecast_;
  Planner planner_;
  std::vector<Leg> legs_;
};

}  // namespace patina
