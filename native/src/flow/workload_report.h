// The records of the command `workload`.
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "flow/flow_run.h"
#include "flow/flow_thread.h"
#include "flow/steady.h"

namespace patina {

struct WorkloadFigures {
  const Personality& personality;
  const FlowRun& run;
  const std::vector<std::unique_ptr<FlowThread>>& threads;
  const std::vector<PaceSample>& samples;
  uint64_t seed = 0;
  uint64_t preallocated_bytes = 0;
  double allocate_s = 0;
  double warm_up_s = 0;
  double elapsed_s = 0;  // measured, after the warm-up
  double sync_s = 0;
  const char* ended = "";
};

nlohmann::ordered_json personality_event(const Personality& personality, const FlowRun& run,
                                         double scale_fraction);
nlohmann::ordered_json allocate_event(uint64_t done_bytes, uint64_t total_bytes, double elapsed_s);
nlohmann::ordered_json run_event(const std::vector<std::unique_ptr<FlowThread>>& threads, double elapsed_s,
                                 double limit_s);
nlohmann::ordered_json summary_event(const WorkloadFigures& figures);

}  // namespace patina
