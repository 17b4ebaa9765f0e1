// Builds events from the forecast, the model's state and the measures.
#include "age/report.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "layout/block_map.h"
#include "model/observation.h"
#include "model/planned_rmse.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

// Bound for an event that is repeated while a file system ages; enough to show the free space.
constexpr uint32_t kMaxSpaceCells = 1024;

double edge_of(const SizeBin& bin) {
  return static_cast<double>(bin.bytes);
}
double edge_of(const DepthBin& bin) {
  return bin.depth;
}
double edge_of(const AgeBin& bin) {
  return bin.age;
}

template <typename Bin>
Json planned_bins(const std::vector<Bin>& bins) {
  Json array = Json::array();
  for (const Bin& bin : bins) array.push_back({{"edge", edge_of(bin)}, {"target_fraction", bin.fraction}});
  return array;
}

Json set_aside_json(const Forecast& forecast) {
  Json array = Json::array();
  for (const SetAside& bin : forecast.set_aside) {
    array.push_back({{"histogram", bin.histogram},
                     {"edge", bin.edge},
                     {"target_fraction", bin.fraction},
                     {"reason", bin.reason}});
  }
  return array;
}

Json observed_json(const Forecast& forecast, const Observation& observation) {
  return {{"rmse", observation.rmse},
          {"rmse_floor", forecast.rmse_floor},
          {"observed_fractions", observation.observed}};
}

template <typename Bin>
Json achieved_json(const Forecast& forecast, const std::vector<Bin>& bins, const Observation& observation,
                   uint64_t files_count) {
  Json array = Json::array();
  for (size_t i = 0; i < bins.size(); ++i) {
    array.push_back({{"edge", edge_of(bins[i])},
                     {"target_fraction", observation.target[i]},
                     {"observed_fraction", observation.observed[i]},
                     {"target_count", observation.target[i] * static_cast<double>(files_count)},
                     {"observed_count", observation.counts[i]}});
  }
  return {{"rmse", observation.rmse}, {"rmse_floor", forecast.rmse_floor}, {"bins", std::move(array)}};
}

Json nullable(const std::optional<double>& number) {
  return number ? Json(*number) : Json(nullptr);
}

double share_of_capacity(const Forecast& forecast, uint64_t bytes) {
  return static_cast<double>(bytes) / static_cast<double>(forecast.request.capacity_bytes);
}

Json mix_json(const Mix& mix) {
  return {{"append", mix.append},
          {"overwrite", mix.overwrite},
          {"truncate", mix.truncate},
          {"rename", mix.rename},
          {"punch_hole", mix.punch_hole}};
}

Json disk_json(const Forecast& forecast, const DiskCheck* disk) {
  if (disk == nullptr) return nullptr;
  Json counts = disk_counts_json(*disk);
  counts["histograms"] = {{"size", observed_json(forecast, disk->observed.size)},
                          {"depth", observed_json(forecast, disk->observed.depth)},
                          {"age", observed_json(forecast, disk->observed.age)}};
  return counts;
}

Json legs_json(const std::vector<Leg>& legs) {
  Json array = Json::array();
  for (const Leg& leg : legs) {
    array.push_back({{"horizon_ops_count", leg.horizon_ops_count}, {"until_ops_count", leg.until_ops_count}});
  }
  return array;
}

// Returns every condition with its limit, where set, and the value achieved.
Json stop_conditions_json(const Forecast& forecast, const PlanState& state, double age_rmse,
                          const Measures& measures, const Outcome& outcome) {
  const Budget& budget = forecast.request.budget;
  const auto limit = [&budget](BudgetKind kind) {
    return budget.kind == kind ? Json(budget.limit) : Json(nullptr);
  };
  const auto condition = [&outcome](const char* reason, Json most, Json achieved) {
    return Json{{"stop_reason", reason},
                {"limit", std::move(most)},
                {"achieved", std::move(achieved)},
                {"has_fired", std::string_view(outcome.stop_reason) == reason}};
  };
  return Json::array(
      {condition(forecast.request.is_exact ? "completed" : "converged", forecast.horizon_ops_count,
                 state.tick),
       condition("accuracy_reached", limit(BudgetKind::kMaxRmse), age_rmse),
       condition("overwrites_reached", limit(BudgetKind::kMaxOverwrites),
                 share_of_capacity(forecast, state.written_bytes)),
       condition("time_reached", outcome.max_seconds > 0 ? Json(outcome.max_seconds) : Json(nullptr),
                 measures.elapsed_s)});
}

double excursion(const Forecast& forecast, const PlanState& state) {
  if (state.rapid || state.most_stable_bytes == 0) return 0;
  const double target = forecast.request.fullness;
  return std::max({0.0, share_of_capacity(forecast, state.most_stable_bytes) - target,
                   target - share_of_capacity(forecast, state.least_stable_bytes)});
}

}  // namespace

Json lag_json(const Measures& measures) {
  if (!measures.lag || measures.planned_free_bytes == 0) return nullptr;
  const auto free = static_cast<double>(measures.planned_free_bytes);
  return {{"reuse_fraction", static_cast<double>(measures.lag->reuse_bytes) / free},
          {"allocation_fraction", static_cast<double>(measures.lag->allocation_bytes) / free}};
}

Json disk_counts_json(const DiskCheck& disk) {
  return {{"files_count", disk.files_count},
          {"missing_count", disk.missing_count},
          {"stray_count", disk.stray_count},
          {"wrong_size_count", disk.wrong_size_count},
          {"lacking_count", disk.lacking_count}};
}

Json plan_event(const Forecast& forecast, const PlanState& begin) {
  Json course = Json::array();
  for (const PlannedRmsePoint& point : planned_rmse(forecast, begin)) {
    course.push_back({{"ops_count", point.ops_count}, {"age_rmse", point.age_rmse}});
  }
  Json curve = Json::array();
  for (const CurvePoint& point : forecast.curve) {
    curve.push_back(
        {{"ops_count", point.ops_count}, {"overwrites", point.overwrites}, {"age_rmse", point.age_rmse}});
  }
  const auto files_count = static_cast<uint64_t>(std::llround(forecast.expected_files));
  return {{"type", "plan"},
          {"profile_digest", forecast.profile_digest},
          {"capacity_bytes", forecast.request.capacity_bytes},
          {"block_size_bytes", forecast.request.block_size_bytes},
          {"fullness", forecast.request.fullness},
          {"fullness_statfs_target", nullable(forecast.request.fullness_statfs)},
          {"fullness_band", fullness_band(forecast)},
          {"seed", forecast.request.seed},
          {"files_count", files_count},
          {"mean_file_bytes", forecast.mean_file_bytes},
          {"minimal_horizon_ops_count", forecast.minimal_horizon_ops_count},
          {"horizon_ops_count", forecast.horizon_ops_count},
          {"rapid_ops_count", std::min(files_count, forecast.horizon_ops_count)},
          {"written_bytes", static_cast<uint64_t>(forecast.written_bytes)},
          {"overwrites", forecast.overwrites},
          {"critical_age_bin", forecast.critical_age_bin},
          {"runner_up_horizon_ops_count", forecast.runner_up_horizon_ops_count},
          {"age_rmse", forecast.age_rmse},
          {"rmse_floor", forecast.rmse_floor},
          {"budget", budget_name(forecast.request.budget.kind)},
          {"size_draw", size_draw_name(forecast.request.size_draw)},
          {"mix", mix_json(forecast.request.mix)},
          {"set_aside", set_aside_json(forecast)},
          {"histograms",
           {{"size", planned_bins(forecast.size)},
            {"depth", planned_bins(forecast.depth)},
            {"age", planned_bins(forecast.age)}}},
          {"planned_rmse", std::move(course)},
          {"curve", std::move(curve)}};
}

Json sample_event(const Forecast& forecast, const PlanState& state, const Measures& measures) {
  const Observations observed = observe(forecast, state);
  return {{"type", "sample"},
          {"phase", state.phase()},
          {"ops_count", state.tick},
          {"elapsed_s", measures.elapsed_s},
          {"progress_fraction",
           static_cast<double>(state.tick) / static_cast<double>(forecast.horizon_ops_count)},
          {"eta_s", nullable(measures.eta_s)},
          {"ops_per_s", measures.ops_per_s},
          {"live_files_count", state.live_files()},
          {"live_bytes", state.live_bytes},
          {"fullness", share_of_capacity(forecast, state.live_bytes)},
          {"fullness_statfs", nullable(measures.fullness_statfs)},
          {"lag", lag_json(measures)},
          {"overwrites", share_of_capacity(forecast, state.written_bytes)},
          {"no_space_count", measures.no_space_count},
          {"histograms",
           {{"size", observed_json(forecast, observed.size)},
            {"depth", observed_json(forecast, observed.depth)},
            {"age", observed_json(forecast, observed.age)}}}};
}

Json layout_event(uint64_t ops_count, double elapsed_s, const FreeExtents& free_extents,
                  std::optional<uint64_t> rounds_count) {
  return {{"type", "layout"},
          {"ops_count", ops_count},
          {"elapsed_s", elapsed_s},
          {"rounds_count", rounds_count ? Json(*rounds_count) : Json(nullptr)},
          {"free_extents", free_extents_json(free_extents)}};
}

Json space_event(uint64_t ops_count, double elapsed_s, const SpaceMap& map) {
  const BlockMap blocks = make_block_map(map, ExtentWalk{}, kMaxSpaceCells);
  Json free_blocks = Json::array();
  for (const BlockMapCell& cell : blocks.cells) free_blocks.push_back(cell.free_blocks);
  Json event = {{"type", "space"},
                {"ops_count", ops_count},
                {"elapsed_s", elapsed_s},
                {"device_bytes", blocks.device_bytes},
                {"block_size_bytes", blocks.block_size_bytes},
                {"cell_bytes", blocks.cell_bytes},
                {"free_blocks", std::move(free_blocks)}};
  add_shingled_blocks(blocks, event);
  return event;
}

Json control_event(const std::string& line, const std::string& refusal) {
  return {{"type", "control"}, {"line", line}, {"message", refusal.empty() ? Json(nullptr) : Json(refusal)}};
}

Json checkpoint_event(uint64_t ops_count, double elapsed_s) {
  return {{"type", "checkpoint"}, {"ops_count", ops_count}, {"elapsed_s", elapsed_s}};
}

Json summary_event(const Forecast& forecast, const PlanState& state, const Measures& measures,
                   const Outcome& outcome) {
  const Observations observed = observe(forecast, state);
  const ChiSquared chi = chi_squared(observed.age);
  const uint64_t files = state.live_files();
  return {{"type", "summary"},
          {"command", outcome.command},
          {"stop_reason", outcome.stop_reason},
          {"ops_count", state.tick},
          {"create_ops_count", state.creates_count},
          {"delete_ops_count", state.deletes_count},
          {"modification_ops_count", state.modifications_count},
          {"ops_per_s", measures.ops_per_s},
          {"elapsed_s", measures.elapsed_s},
          {"horizon_ops_count", forecast.horizon_ops_count},
          {"live_files_count", files},
          {"live_bytes", state.live_bytes},
          {"written_bytes", state.written_bytes},
          {"fullness", share_of_capacity(forecast, state.live_bytes)},
          {"fullness_target", forecast.request.fullness},
          {"fullness_statfs", nullable(measures.fullness_statfs)},
          {"fullness_statfs_target", nullable(forecast.request.fullness_statfs)},
          {"lag", lag_json(measures)},
          {"fullness_excursion", excursion(forecast, state)},
          {"overwrites", share_of_capacity(forecast, state.written_bytes)},
          {"no_space_count", measures.no_space_count},
          {"threads_count", outcome.way ? outcome.way->threads_count : 1},
          {"way", outcome.way ? way_json(*outcome.way) : Json(nullptr)},
          {"data_mode", outcome.data_mode},
          {"plan_digest", outcome.plan_digest},
          {"legs", legs_json(outcome.legs)},
          {"stop_conditions", stop_conditions_json(forecast, state, observed.age.rmse, measures, outcome)},
          {"disk", disk_json(forecast, outcome.disk)},
          {"age_chi_squared",
           {{"statistic", chi.statistic},
            {"degrees_of_freedom", chi.degrees_of_freedom},
            {"p_value", chi.p_value}}},
          {"histograms",
           {{"size", achieved_json(forecast, forecast.size, observed.size, files)},
            {"depth", achieved_json(forecast, forecast.depth, observed.depth, files)},
            {"age", achieved_json(forecast, forecast.age, observed.age, files)}}},
          {"set_aside", set_aside_json(forecast)},
          {"free_extents", outcome.free_extents ? free_extents_json(*outcome.free_extents) : Json(nullptr)}};
}

const char* horizon_stop_reason(const Forecast& forecast, const PlanState& state,
                                std::optional<double> fullness_statfs) {
  const ForecastRequest& request = forecast.request;
  const bool is_of_statfs = request.fullness_statfs && fullness_statfs;
  const double miss = is_of_statfs ? *fullness_statfs - *request.fullness_statfs
                                   : share_of_capacity(forecast, state.live_bytes) - request.fullness;
  if (std::abs(miss) > kFullnessTolerance) return "fullness_missed";
  if (request.is_exact) return "completed";
  // A budget that still meets the whole histogram was not the limit.
  if (forecast.age_rmse == 0) return "converged";
  return request.budget.kind == BudgetKind::kMaxRmse ? "accuracy_reached" : "overwrites_reached";
}

}  // namespace patina
