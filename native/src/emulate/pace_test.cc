// Times of requests by a model: virtual, accurate, and stretched.
#include "emulate/pace.h"

#include <gtest/gtest.h>

#include <ctime>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

constexpr uint64_t kMs = 1'000'000;

// Takes the same time for each request, one after the other, and remembers their places.
class SteadyModel final : public DiskModel {
 public:
  SteadyModel(uint64_t service_ns, std::vector<uint64_t>& places)
      : service_ns_(service_ns), places_(places) {}
  uint64_t end_ns(const DiskRequest& request, uint64_t arrival_ns) override {
    places_.push_back(request.offset_bytes);
    end_ns_ = std::max(end_ns_, arrival_ns) + service_ns_;
    return end_ns_;
  }
  nlohmann::ordered_json report() const override { return {{"requests_count", places_.size()}}; }

 private:
  const uint64_t service_ns_;
  std::vector<uint64_t>& places_;
  uint64_t end_ns_ = 0;
};

uint64_t now_ns() {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<uint64_t>(now.tv_sec) * 1'000'000'000 + static_cast<uint64_t>(now.tv_nsec);
}

nlohmann::ordered_json report_of(const Pace& pace) {
  nlohmann::ordered_json report;
  pace.report(report);
  return report;
}

TEST(Pace, FastTimeAdvancesAVirtualClockInPlaceOfWaiting) {
  std::vector<uint64_t> places;
  Pace pace(std::make_unique<SteadyModel>(3'600'000 * kMs, places), TimeKind::kFast, {});
  const uint64_t before_ns = now_ns();
  for (int i = 0; i < 3; ++i) pace.end(pace.begin({DiskRequest::Kind::kRead, 0, 4096}));
  EXPECT_LT(now_ns() - before_ns, 3'600'000 * kMs);
  const auto report = report_of(pace);
  EXPECT_EQ(report["time"], "fast");
  EXPECT_NEAR(report["predicted_s"].get<double>(), 3 * 3600, 1e-6);
  EXPECT_GE(report["clock_s"].get<double>(), 3 * 3600);
  EXPECT_EQ(report["delay_error_fraction"], nullptr);
}

TEST(Pace, RequestsAtTheSameTimeWaitForEachOtherOnce) {
  std::vector<uint64_t> places;
  Pace pace(std::make_unique<SteadyModel>(1000 * kMs, places), TimeKind::kFast, {});
  const Pace::Ticket first = pace.begin({DiskRequest::Kind::kRead, 0, 4096});
  const Pace::Ticket second = pace.begin({DiskRequest::Kind::kRead, 4096, 4096});
  pace.end(second);
  pace.end(first);
  EXPECT_EQ(second.end_ns - first.end_ns, 1000 * kMs);
  EXPECT_NEAR(report_of(pace)["predicted_s"].get<double>(), 2, 1e-6);
}

TEST(Pace, AccurateTimeEndsNoRequestBeforeTheModel) {
  std::vector<uint64_t> places;
  Pace pace(std::make_unique<SteadyModel>(3 * kMs, places), TimeKind::kAccurate, {});
  for (int i = 0; i < 5; ++i) {
    const Pace::Ticket ticket = pace.begin({DiskRequest::Kind::kWrite, 0, 4096});
    pace.end(ticket);
    EXPECT_GE(now_ns(), ticket.end_ns);
  }
  EXPECT_GE(report_of(pace)["delay_error_fraction"].get<double>(), 0);
  EXPECT_NEAR(report_of(pace)["predicted_s"].get<double>(), 0.015, 1e-6);
}

TEST(Pace, WithoutAModelThereAreNoTimes) {
  Pace pace(nullptr, TimeKind::kFast, {});
  pace.end(pace.begin({DiskRequest::Kind::kRead, 0, 4096}));
  const auto report = report_of(pace);
  for (const auto& [key, value] : report.items()) EXPECT_EQ(value, nullptr) << key;
}

TEST(Pace, AStretchedDiskIsSpreadOverTheModelledOne) {
  constexpr uint64_t kUnit = Stretch::kUnitBytes;
  std::vector<uint64_t> places;
  Pace pace(std::make_unique<SteadyModel>(kMs, places), TimeKind::kFast,
            *Stretch::over(100 * kUnit, 1000 * kUnit, 4));
  for (const uint64_t unit : {0U, 24U, 25U, 99U}) {
    pace.begin({DiskRequest::Kind::kRead, (unit * kUnit) + 7, 1});
  }
  EXPECT_EQ(places,
            (std::vector<uint64_t>{7, (24 * kUnit) + 7, (250 * kUnit) + 7, ((750 + 24) * kUnit) + 7}));
}

TEST(Pace, ARequestOverSeveralPiecesIsOneForEachAndEndsWithTheLast) {
  constexpr uint64_t kUnit = Stretch::kUnitBytes;
  std::vector<uint64_t> places;
  Pace pace(std::make_unique<SteadyModel>(kMs, places), TimeKind::kFast,
            *Stretch::over(100 * kUnit, 1000 * kUnit, 4));
  const Pace::Ticket ticket = pace.begin({DiskRequest::Kind::kRead, 24 * kUnit, 27 * kUnit});
  EXPECT_EQ(places, (std::vector<uint64_t>{24 * kUnit, 250 * kUnit, 500 * kUnit}));
  EXPECT_EQ(ticket.end_ns - ticket.arrival_ns, 3 * kMs);
  pace.begin({.kind = DiskRequest::Kind::kFlush});
  EXPECT_EQ(places.size(), 4U);
}

}  // namespace
}  // namespace patina
