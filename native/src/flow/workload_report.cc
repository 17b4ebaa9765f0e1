// Sums figures of threads, and writes them as JSON.
#include "flow/workload_report.h"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

double us(uint64_t ns) {
  return static_cast<double>(ns) / 1000;
}

uint64_t sum(const std::vector<std::unique_ptr<FlowThread>>& threads,
             std::atomic<uint64_t> FlowTotals::* total) {
  uint64_t value = 0;
  for (const std::unique_ptr<FlowThread>& thread : threads)
    value += (thread->totals().*total).load(std::memory_order_relaxed);
  return value;
}

// Operations of one name are one row, in the order of the file.
struct Row {
  FlowKind kind;
  std::string name;
  FlowFigures figures;
};

std::vector<std::unique_ptr<Row>> rows_of(const std::vector<std::unique_ptr<FlowThread>>& threads) {
  std::vector<std::unique_ptr<Row>> rows;
  std::map<std::pair<FlowKind, std::string>, Row*> known;
  for (const std::unique_ptr<FlowThread>& thread : threads) {
    for (const FlowThread::Named& named : thread->figures()) {
      if (named.spec->kind == FlowKind::kGroup) continue;
      Row*& row = known[{named.spec->kind, named.spec->name}];
      if (row == nullptr) {
        rows.push_back(std::make_unique<Row>(Row{named.spec->kind, named.spec->name, {}}));
        row = rows.back().get();
      }
      row->figures.latency.add(named.figures->latency);
      row->figures.bytes += named.figures->bytes;
    }
  }
  return rows;
}

Json operation_json(const Row& row) {
  const LatencyHistogram& latency = row.figures.latency;
  Json histogram = Json::array();
  for (const auto& [largest_ns, count] : latency.coarse()) histogram.push_back({us(largest_ns), count});
  return {{"name", row.name},
          {"kind", flow_kind_name(row.kind)},
          {"is_counted", is_counted(row.kind)},
          {"count", latency.count()},
          {"bytes", row.figures.bytes},
          {"mean_us", latency.mean_ns() / 1000},
          {"p50_us", us(latency.quantile_ns(0.5))},
          {"p90_us", us(latency.quantile_ns(0.9))},
          {"p99_us", us(latency.quantile_ns(0.99))},
          {"p999_us", us(latency.quantile_ns(0.999))},
          {"max_us", us(latency.max_ns())},
          {"histogram", std::move(histogram)}};
}

uint64_t files_count(const FlowRun& run) {
  uint64_t count = 0;
  for (const std::unique_ptr<FileSet>& set : run.file_sets) count += set->files_count();
  return count;
}

}  // namespace

Json personality_event(const Personality& personality, const FlowRun& run, double scale_fraction) {
  Json sets = Json::array();
  uint64_t preallocated_bytes = 0;
  for (const std::unique_ptr<FileSet>& set : run.file_sets) {
    preallocated_bytes += set->allocated_bytes();
    sets.push_back({{"name", set->spec().name},
                    {"files_count", set->files_count()},
                    {"preallocated_count", set->allocated_count()},
                    {"preallocated_bytes", set->allocated_bytes()},
                    {"directories_count", set->directories_count()},
                    {"mean_bytes", set->spec().bytes.expected()}});
  }
  return {{"type", "personality"},
          {"name", personality.name},
          {"threads_count", personality.threads_count()},
          {"run_s", personality.end_mode == EndMode::kTimeout ? Json(personality.run_s) : Json()},
          {"scale_fraction", scale_fraction},
          {"files_count", files_count(run)},
          {"preallocated_bytes", preallocated_bytes},
          {"expected_bytes", static_cast<uint64_t>(personality.expected_bytes())},
          {"file_sets", std::move(sets)},
          {"ignored", personality.ignored}};
}

Json allocate_event(uint64_t done_bytes, uint64_t total_bytes, double elapsed_s) {
  return {{"type", "progress"},         {"command", "workload"}, {"stage", "allocate"},
          {"elapsed_s", elapsed_s},     {"total_s", nullptr},    {"done_bytes", done_bytes},
          {"total_bytes", total_bytes}, {"ops_count", 0},        {"read_bytes", 0},
          {"written_bytes", 0}};
}

Json run_event(const std::vector<std::unique_ptr<FlowThread>>& threads, double elapsed_s, double limit_s) {
  return {{"type", "progress"},
          {"command", "workload"},
          {"stage", "run"},
          {"elapsed_s", elapsed_s},
          {"total_s", limit_s > 0 ? Json(limit_s) : Json()},
          {"done_bytes", 0},
          {"total_bytes", 0},
          {"ops_count", sum(threads, &FlowTotals::ops_count)},
          {"read_bytes", sum(threads, &FlowTotals::read_bytes)},
          {"written_bytes", sum(threads, &FlowTotals::written_bytes)}};
}

Json summary_event(const WorkloadFigures& figures) {
  Json operations = Json::array();
  uint64_t ops_count = 0;
  for (const std::unique_ptr<Row>& row : rows_of(figures.threads)) {
    operations.push_back(operation_json(*row));
    if (is_counted(row->kind)) ops_count += row->figures.latency.count();
  }
  Json samples = Json::array();
  for (const PaceSample& sample : figures.samples) samples.push_back({sample.elapsed_s, sample.ops_count});
  const std::optional<SteadyPace> steady = steady_pace(figures.samples);
  return {{"type", "summary"},
          {"command", "workload"},
          {"name", figures.personality.name},
          {"seed", figures.seed},
          {"threads_count", figures.personality.threads_count()},
          {"files_count", files_count(figures.run)},
          {"ops_count", ops_count},
          {"ops_per_s", figures.elapsed_s > 0 ? static_cast<double>(ops_count) / figures.elapsed_s : 0},
          {"written_bytes", sum(figures.threads, &FlowTotals::written_bytes)},
          {"read_bytes", sum(figures.threads, &FlowTotals::read_bytes)},
          {"preallocated_bytes", figures.preallocated_bytes},
          {"allocate_s", figures.allocate_s},
          {"warm_up_s", figures.warm_up_s},
          {"elapsed_s", figures.elapsed_s},
          {"sync_s", figures.sync_s},
          {"ended", figures.ended},
          {"steady_from_s", steady ? Json(steady->from_s) : Json()},
          {"steady_ops_per_s", steady ? Json(steady->ops_per_s) : Json()},
          {"samples", std::move(samples)},
          {"operations", std::move(operations)}};
}

}  // namespace patina
