// Sleeps to shortly before the end of a request, and spins from there.
#include "emulate/pace.h"

#include <sched.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

constexpr uint64_t kNsPerS = 1'000'000'000;
// A sleep ends later than asked by up to about so much.
constexpr uint64_t kSpinNs = 200'000;

// Nothing but interrupts and more urgent threads delays the calling thread meanwhile: a wait of microseconds
// must not be interrupted for longer. Without the right to it, waits are less exact.
class RealTime {
 public:
  RealTime() {
    const sched_param lowest{.sched_priority = ::sched_get_priority_min(SCHED_FIFO)};
    is_set_ = ::sched_setscheduler(0, SCHED_FIFO, &lowest) == 0;
  }
  ~RealTime() {
    const sched_param usual{};
    if (is_set_) ::sched_setscheduler(0, SCHED_OTHER, &usual);
  }
  RealTime(const RealTime&) = delete;
  RealTime& operator=(const RealTime&) = delete;

 private:
  bool is_set_ = false;
};

uint64_t now_ns() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * kNsPerS + static_cast<uint64_t>(now.tv_nsec);
}

void wait_until_ns(uint64_t end_ns) {
  const uint64_t wake_ns = end_ns - std::min(end_ns, kSpinNs);
  if (now_ns() < wake_ns) {
    const timespec wake{.tv_sec = static_cast<time_t>(wake_ns / kNsPerS),
                        .tv_nsec = static_cast<long>(wake_ns % kNsPerS)};
    // A signal only interrupts the sleep.
    while (::clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &wake, nullptr) == EINTR) {
    }
  }
  while (now_ns() < end_ns) {
  }
}

double seconds(uint64_t ns) {
  return static_cast<double>(ns) / static_cast<double>(kNsPerS);
}

}  // namespace

Pace::Pace(std::unique_ptr<DiskModel> model, TimeKind time, const Stretch& stretch)
    : model_(std::move(model)), time_(time), stretch_(stretch) {}

uint64_t Pace::modelled_end_ns(const DiskRequest& request, uint64_t arrival_ns) {
  uint64_t last_ns = 0;
  uint64_t begin = request.offset_bytes;
  const uint64_t end = begin + request.length_bytes;
  do {
    const Stretch::Piece piece = stretch_.piece_at(begin);
    const uint64_t part_end = std::min(end, piece.begin_bytes + piece.length_bytes);
    const uint64_t place = piece.place_bytes + (begin - piece.begin_bytes);
    last_ns = std::max(last_ns, model_->end_ns({request.kind, place, part_end - begin}, arrival_ns));
    begin = part_end;
  } while (begin < end);
  return last_ns;
}

Pace::Ticket Pace::begin(const DiskRequest& request) {
  if (model_ == nullptr) return {};
  const std::lock_guard lock(mutex_);
  const uint64_t arrival_ns = std::max(last_arrival_ns_, now_ns() + ahead_ns_);
  if (begun_ns_ == 0) begun_ns_ = arrival_ns;
  last_arrival_ns_ = arrival_ns;
  const uint64_t end_ns = modelled_end_ns(request, arrival_ns);
  if (end_ns > last_end_ns_) {
    busy_ns_ += end_ns - std::max(arrival_ns, last_end_ns_);
    last_end_ns_ = end_ns;
  }
  return {arrival_ns, end_ns};
}

void Pace::end(const Ticket& ticket) {
  if (model_ == nullptr) return;
  if (time_ == TimeKind::kAccurate) {
    const RealTime real_time;
    wait_until_ns(ticket.end_ns);
    const uint64_t ended_ns = now_ns();
    const std::lock_guard lock(mutex_);
    waited_ns_ += ticket.end_ns - ticket.arrival_ns;
    wrong_ns_ += ended_ns - ticket.end_ns;
    return;
  }
  const std::lock_guard lock(mutex_);
  const uint64_t now = now_ns();
  if (ticket.end_ns > now + ahead_ns_) ahead_ns_ = ticket.end_ns - now;
}

void Pace::report(nlohmann::ordered_json& out) const {
  const std::lock_guard lock(mutex_);
  const bool is_accurate = time_ == TimeKind::kAccurate;
  out["time"] = model_ == nullptr ? nlohmann::ordered_json() : (is_accurate ? "accurate" : "fast");
  out["predicted_s"] =
      model_ == nullptr ? nlohmann::ordered_json() : nlohmann::ordered_json(seconds(busy_ns_));
  out["clock_s"] =
      model_ == nullptr
          ? nlohmann::ordered_json()
          : nlohmann::ordered_json(begun_ns_ == 0 ? 0 : seconds(now_ns() + ahead_ns_ - begun_ns_));
  out["delay_error_fraction"] = model_ != nullptr && is_accurate && waited_ns_ > 0
                                    ? nlohmann::ordered_json(seconds(wrong_ns_) / seconds(waited_ns_))
                                    : nlohmann::ordered_json();
  out["model_report"] = model_ == nullptr ? nlohmann::ordered_json() : model_->report();
}

}  // namespace patina
