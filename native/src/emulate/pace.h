// When requests end on the modelled disk, by a clock of the host or by a virtual one.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>

#include "disk_model/disk_model.h"
#include "disk_model/stretch.h"

namespace patina {

enum class TimeKind : uint8_t {
  kAccurate,  // each request ends when the model says
  kFast,      // at once; a virtual clock advances instead
};

class Pace {
 public:
  struct Ticket {
    uint64_t arrival_ns = 0;
    uint64_t end_ns = 0;
  };

  // A null model has no times.
  Pace(std::unique_ptr<DiskModel> model, TimeKind time, const Stretch& stretch);

  // Takes a request as it arrives. One that crosses the border of two pieces becomes one for each, as below a
  // device-mapper table, and ends when the last of them does.
  Ticket begin(const DiskRequest& request);
  // Waits until its end (accurate), or advances the virtual clock to it (fast).
  void end(const Ticket& ticket);

  // Adds: model, time, predicted_s (the time during which the modelled disk was busy), clock_s (the time
  // since the first request, with the waits for the modelled disk), delay_error_fraction (accurate: the mean
  // difference between the actual and the modelled time of a request), and the report of the model. Without a
  // model all are null.
  void report(nlohmann::ordered_json& out) const;

 private:
  uint64_t modelled_end_ns(const DiskRequest& request, uint64_t arrival_ns);

  const std::unique_ptr<DiskModel> model_;
  const TimeKind time_;
  const Stretch stretch_;
  mutable std::mutex mutex_;
  uint64_t ahead_ns_ = 0;  // of the virtual clock before the host's
  uint64_t begun_ns_ = 0;
  uint64_t last_arrival_ns_ = 0;
  uint64_t last_end_ns_ = 0;
  uint64_t busy_ns_ = 0;
  uint64_t waited_ns_ = 0;
  uint64_t wrong_ns_ = 0;
};

}  // namespace patina
