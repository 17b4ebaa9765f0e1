// Agings on a file system in memory: stopping, resuming, failing.
#include "age/age.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <thread>

#include "testing/aging_testing.h"
#include "testing/device_testing.h"
#include "testing/memory_file_system.h"
#include "testing/profile_testing.h"

namespace patina {
namespace {

class Aging : public testing::Test {
 protected:
  AgeSettings settings(int threads = 2) const {
    AgeSettings settings;
    settings.way.threads_count = threads;
    settings.checkpoint_file = checkpoint_;
    settings.checkpoint_interval_s = 0;  // at every block
    return settings;
  }
  AgeSettings resumed_settings(int threads = 2) const {
    AgeSettings resumed = settings(threads);
    Result<Checkpoint> read = read_checkpoint(checkpoint_);
    EXPECT_TRUE(read.ok());
    if (read) resumed.resume_from = *read;
    return resumed;
  }

  ScratchFolder folder_;
  std::string checkpoint_ = folder_ / "checkpoint";
  Switches switches_;
  CollectingSink sink_;
};

long count_of(const CollectingSink& sink, const std::string& type) {
  return std::count_if(sink.events.begin(), sink.events.end(),
                       [&type](const auto& event) { return event["type"] == type; });
}

std::string end_digest(const CollectingSink& sink) {
  EXPECT_FALSE(sink.events.empty());
  return sink.events.empty() ? "" : sink.events.back().value("plan_digest", "");
}

TEST_F(Aging, EndsConvergedWithTheSimulationsDigest) {
  const Forecast forecast = small_forecast();
  MemoryFileSystem file_system;
  ASSERT_TRUE(age_as_forecast(forecast, file_system, settings(), sink_, switches_).ok());
  const auto& summary = sink_.events.back();
  EXPECT_EQ(summary["type"], "summary");
  EXPECT_EQ(summary["stop_reason"], "converged");
  EXPECT_EQ(summary["ops_count"], forecast.horizon_ops_count);
  EXPECT_EQ(summary["live_files_count"], file_system.files().size());
  EXPECT_TRUE(summary["free_extents"].is_null());
  EXPECT_GE(count_of(sink_, "sample"), 1);
  EXPECT_GE(count_of(sink_, "checkpoint"), 2);
  Planner planner(forecast);
  std::vector<Operation> block(4096);
  while (!planner.finished()) planner.next(block);
  EXPECT_EQ(end_digest(sink_), planner.stream_digest());
}

TEST_F(Aging, APlanThatEndsFarFromItsFullnessHasNotConverged) {
  const Forecast forecast = forecast_of(built_in_profile("agrawal"), request_of(100ULL << 20U));
  MemoryFileSystem file_system;
  ASSERT_TRUE(age_as_forecast(forecast, file_system, settings(), sink_, switches_).ok());
  const auto& summary = sink_.events.back();
  EXPECT_EQ(summary["stop_reason"], "fullness_missed");
  EXPECT_EQ(summary["ops_count"], forecast.horizon_ops_count);
  const double missed_by = std::abs(summary["fullness"].get<double>() - 0.7);
  EXPECT_GT(missed_by, kFullnessTolerance);
  EXPECT_LE(missed_by, fullness_band(forecast));
}

TEST_F(Aging, KilledAtRandomTicksAndResumedItEndsAsIfNothingHappened) {
  const Forecast forecast = small_forecast();
  MemoryFileSystem undisturbed;
  CollectingSink wanted;
  ASSERT_TRUE(age_as_forecast(forecast, undisturbed, settings(1), wanted, switches_).ok());
  Random random(17);
  for (int round = 0; round < 12; ++round) {
    SCOPED_TRACE(round);
    std::filesystem::remove(checkpoint_);
    MemoryFileSystem file_system;
    const int threads = 1 + round % 3;
    bool resumes = false;
    CollectingSink sink;
    for (int lives = 0; lives < 4; ++lives) {
      // From there on no operation is carried out, as after a kill; half of the time the machine also fails,
      // and unsynced data is lost.
      const uint64_t death = file_system.operations() + random.below(60'000);
      const bool last = lives == 3;
      file_system.fault = [death, last](bool, uint64_t operations) {
        return !last && operations >= death ? EIO : 0;
      };
      sink.events.clear();
      const Status aged = age_as_forecast(
          forecast, file_system, resumes ? resumed_settings(threads) : settings(threads), sink, switches_);
      resumes = true;
      if (!aged && random.coin()) file_system.crash();
    }
    EXPECT_EQ(file_system.files(), undisturbed.files());
    EXPECT_EQ(end_digest(sink), end_digest(wanted));
  }
}

TEST_F(Aging, ToldToStopItCheckpointsAndSaysCanceledAndGoesOnLater) {
  const Forecast forecast = small_forecast();
  MemoryFileSystem file_system;
  file_system.fault = [this](bool, uint64_t operations) {
    if (operations == 20'000) switches_.stop = true;
    return 0;
  };
  ASSERT_TRUE(age_as_forecast(forecast, file_system, settings(), sink_, switches_).ok());
  const auto& summary = sink_.events.back();
  EXPECT_EQ(summary["stop_reason"], "canceled");
  EXPECT_LT(summary["ops_count"], forecast.horizon_ops_count);
  EXPECT_EQ(read_checkpoint(checkpoint_)->tick, summary["ops_count"]);
  EXPECT_EQ(summary["live_files_count"], file_system.files().size());

  switches_.stop = false;
  file_system.fault = [](bool, uint64_t) { return 0; };
  CollectingSink resumed;
  ASSERT_TRUE(age_as_forecast(forecast, file_system, resumed_settings(), resumed, switches_).ok());
  EXPECT_EQ(resumed.events.back()["stop_reason"], "converged");
  EXPECT_EQ(resumed.events.back()["live_files_count"], file_system.files().size());
}

TEST_F(Aging, SyncsAtTheSameOperationsAtAnySpeed) {
  MemoryFileSystem file_system;
  AgeSettings synced;
  synced.way.commits.interval_ops = 1000;
  const Forecast forecast = small_forecast();
  ASSERT_TRUE(age_as_forecast(forecast, file_system, synced, sink_, switches_).ok());
  EXPECT_EQ(file_system.syncs_count, forecast.horizon_ops_count / 1000 + 1) << "and once at the end";
  EXPECT_EQ(sink_.events.back()["ops_count"], forecast.horizon_ops_count);
}

TEST_F(Aging, WritesBackWhatWasCreatedEveryFewOperations) {
  MemoryFileSystem file_system;
  AgeSettings written;
  written.way.threads_count = 1;
  written.way.writeback.interval_ops = 10;
  const Forecast forecast = small_forecast();
  ASSERT_TRUE(age_as_forecast(forecast, file_system, written, sink_, switches_).ok());
  const auto creates = sink_.events.back()["create_ops_count"].get<uint64_t>();
  EXPECT_LE(file_system.writebacks_count, creates);
  EXPECT_GE(file_system.writebacks_count + 10, creates);
}

TEST_F(Aging, FailsWhenAFileCannotBeWrittenBack) {
  MemoryFileSystem file_system;
  file_system.write_back_result = EIO;
  AgeSettings written;
  written.way.writeback.interval_ops = 10;
  const Status aged = age_as_forecast(small_forecast(), file_system, written, sink_, switches_);
  ASSERT_FALSE(aged.ok());
  EXPECT_EQ(aged.error().code, ErrorCode::kIoError);
  EXPECT_NE(aged.error().message.find("cannot write back file"), std::string::npos);
}

TEST_F(Aging, TellsOfANewPhaseAtOnce) {
  MemoryFileSystem file_system;
  AgeSettings seldom = settings();
  seldom.sample_interval_s = 3600;
  const Forecast forecast = small_forecast();
  ASSERT_TRUE(age_as_forecast(forecast, file_system, seldom, sink_, switches_).ok());
  const auto first = std::find_if(sink_.events.begin(), sink_.events.end(),
                                  [](const auto& event) { return event["type"] == "sample"; });
  ASSERT_NE(first, sink_.events.end());
  EXPECT_EQ((*first)["phase"], "stable");
  EXPECT_LT((*first)["ops_count"], forecast.horizon_ops_count / 2);
}

TEST_F(Aging, WhenItsOutputIsClosedItStops) {
  sink_.on_event = [this](const auto&) { return sink_.events.size() <= 3; };
  MemoryFileSystem file_system;
  ASSERT_TRUE(age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_).ok());
  EXPECT_EQ(sink_.events.back()["stop_reason"], "canceled");
}

TEST_F(Aging, TimeIsAStopCondition) {
  AgeSettings brief = settings();
  brief.max_seconds = 1e-6;
  MemoryFileSystem file_system;
  ASSERT_TRUE(age_as_forecast(small_forecast(), file_system, brief, sink_, switches_).ok());
  EXPECT_EQ(sink_.events.back()["stop_reason"], "time_reached");
}

Wish wish(const std::string& line) {
  return {line, parse_control_line(line)};
}

TEST_F(Aging, PausedItWaitsAndThenGoesOn) {
  switches_.paused = true;
  std::atomic<bool> has_paused{false};
  sink_.on_event = [&has_paused](const nlohmann::ordered_json& event) {
    if (event["type"] == "control" && event["line"] == "pause") has_paused = true;
    return true;
  };
  MemoryFileSystem file_system;
  using Clock = std::chrono::steady_clock;
  const Clock::time_point started = Clock::now();
  std::thread aging([&] {
    EXPECT_TRUE(age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_).ok());
  });
  wait_until("it has paused", [&] { return has_paused.load(); });
  const Clock::time_point paused = Clock::now();
  const uint64_t before = file_system.operations();
  std::this_thread::sleep_for(std::chrono::milliseconds(60));
  EXPECT_EQ(file_system.operations(), before);
  EXPECT_LT(before, small_forecast().horizon_ops_count);
  switches_.wishes.add(wish("max-rmse 0.02"));
  const Clock::duration waited = Clock::now() - paused;
  switches_.paused = false;
  aging.join();
  EXPECT_EQ(sink_.events.back()["stop_reason"], "accuracy_reached");
  const std::chrono::duration<double> active = Clock::now() - started - waited;
  EXPECT_LE(sink_.events.back()["elapsed_s"].get<double>(), active.count());
  std::vector<std::string> heard;
  for (const auto& event : sink_.events) {
    if (event["type"] == "control") heard.push_back(event["line"]);
  }
  EXPECT_EQ(heard.front(), "pause");
  EXPECT_NE(std::ranges::find(heard, "resume"), heard.end());
}

TEST_F(Aging, AnErrorNamesTheCheckpointThatStands) {
  MemoryFileSystem file_system;
  file_system.fault = [](bool, uint64_t operations) { return operations > 30'000 ? EROFS : 0; };
  const Status aged = age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_);
  ASSERT_FALSE(aged.ok());
  EXPECT_EQ(aged.error().code, ErrorCode::kReadOnly);
  EXPECT_NE(aged.error().message.find("are durable, with their checkpoint"), std::string::npos);
  EXPECT_GT(read_checkpoint(checkpoint_)->tick, 0U);
}

TEST_F(Aging, AFailedSyncIsAnErrorAndMovesNoCheckpoint) {
  MemoryFileSystem file_system;
  file_system.sync_result = EIO;
  const Status aged = age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_);
  ASSERT_FALSE(aged.ok());
  EXPECT_EQ(aged.error().code, ErrorCode::kIoError);
  EXPECT_FALSE(std::filesystem::exists(checkpoint_));
}

TEST_F(Aging, DirectoriesThatCannotBeMadeStopIt) {
  MemoryFileSystem file_system;
  file_system.directories_result = Error{ErrorCode::kNoSpace, "full"};
  const Status aged = age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_);
  EXPECT_EQ(aged.error().code, ErrorCode::kNoSpace);
}

TEST_F(Aging, AnotherPlansCheckpointIsRefused) {
  MemoryFileSystem file_system;
  ASSERT_TRUE(age_as_forecast(small_forecast(1), file_system, settings(), sink_, switches_).ok());
  const Status other_seed =
      age_as_forecast(small_forecast(2), file_system, resumed_settings(), sink_, switches_);
  EXPECT_EQ(other_seed.error().code, ErrorCode::kCheckpointInvalid);
  Checkpoint forgery = *read_checkpoint(checkpoint_);
  forgery.stream_digest = std::string(64, '0');
  AgeSettings forged = settings();
  forged.resume_from = forgery;
  const Status other_stream = age_as_forecast(small_forecast(1), file_system, forged, sink_, switches_);
  EXPECT_EQ(other_stream.error().code, ErrorCode::kCheckpointInvalid);
}

TEST_F(Aging, WithoutACheckpointFileNoneIsWritten) {
  AgeSettings none = settings();
  none.checkpoint_file.clear();
  MemoryFileSystem file_system;
  ASSERT_TRUE(age_as_forecast(small_forecast(), file_system, none, sink_, switches_).ok());
  EXPECT_EQ(count_of(sink_, "checkpoint"), 0);
}

Forecast mixed_forecast() {
  ForecastRequest request = request_of(kSmallCapacityBytes);
  request.mix = {.append = 0.08, .overwrite = 0.05, .truncate = 0.05, .rename = 0.08, .punch_hole = 0.04};
  request.size_draw = SizeDraw::kLogUniform;
  return forecast_of(built_in_profile("agrawal"), request);
}

TEST_F(Aging, AMixKilledAtRandomTicksAndResumedEndsAsIfNothingHappened) {
  const Forecast forecast = mixed_forecast();
  MemoryFileSystem undisturbed;
  CollectingSink wanted;
  ASSERT_TRUE(age_as_forecast(forecast, undisturbed, settings(1), wanted, switches_).ok());
  EXPECT_EQ(wanted.events.back()["disk"]["lacking_count"], 0);
  Random random(41);
  for (int round = 0; round < 6; ++round) {
    SCOPED_TRACE(round);
    std::filesystem::remove(checkpoint_);
    MemoryFileSystem file_system;
    for (int lives = 0; lives < 4; ++lives) {
      const uint64_t death = file_system.operations() + random.below(60'000);
      file_system.fault = [death, lives](bool, uint64_t operations) {
        return lives < 3 && operations >= death ? EIO : 0;
      };
      CollectingSink sink;
      const Status aged = age_as_forecast(forecast, file_system,
                                          lives > 0 ? resumed_settings(2) : settings(2), sink, switches_);
      if (!aged && random.coin()) file_system.crash();
      if (aged) {
        EXPECT_EQ(end_digest(sink), end_digest(wanted));
      }
    }
    EXPECT_EQ(file_system.files(), undisturbed.files());
  }
}

TEST_F(Aging, AFinishedRunGoesOnToALongerHorizonAndConvergesAgain) {
  MemoryFileSystem file_system;
  ForecastRequest request = request_of(128ULL << 20U);
  request.budget = {BudgetKind::kMaxRmse, 0.01};
  const Profile profile = built_in_profile("agrawal");
  ASSERT_TRUE(age_as_forecast(forecast_of(profile, request), file_system, settings(), sink_, switches_).ok());
  EXPECT_EQ(sink_.events.back()["stop_reason"], "accuracy_reached");
  const uint64_t first = sink_.events.back()["ops_count"];

  request.budget = {};
  CollectingSink extended;
  ASSERT_TRUE(
      age_as_forecast(forecast_of(profile, request), file_system, resumed_settings(), extended, switches_)
          .ok());
  const auto& summary = extended.events.back();
  EXPECT_EQ(summary["stop_reason"], "converged");
  EXPECT_GT(summary["ops_count"], first);
  EXPECT_EQ(summary["legs"][0]["until_ops_count"], first);
  EXPECT_LT(summary["histograms"]["age"]["rmse"],
            3 * summary["histograms"]["age"]["rmse_floor"].get<double>());
  EXPECT_EQ(summary["disk"]["files_count"], file_system.files().size());

  // And once more, from a checkpoint with a leg.
  CollectingSink again;
  request.horizon_ops_count = summary["ops_count"].get<uint64_t>() + 20'000;
  ASSERT_TRUE(
      age_as_forecast(forecast_of(profile, request), file_system, resumed_settings(), again, switches_).ok());
  EXPECT_EQ(again.events.back()["ops_count"], request.horizon_ops_count);
  EXPECT_EQ(again.events.back()["stop_reason"], "completed");
  EXPECT_EQ(again.events.back()["stop_conditions"][0]["stop_reason"], "completed");
  EXPECT_EQ(again.events.back()["legs"].size(), 2U);
}

TEST_F(Aging, AKilledRunIsNotRevisedBehindItsCheckpoint) {
  MemoryFileSystem file_system;
  file_system.fault = [](bool, uint64_t operations) { return operations > 30'000 ? EIO : 0; };
  AgeSettings rarely = settings(1);
  rarely.checkpoint_interval_s = 3600;
  EXPECT_FALSE(age_as_forecast(small_forecast(), file_system, rarely, sink_, switches_).ok());
  file_system.fault = [](bool, uint64_t) { return 0; };
  ForecastRequest request = request_of(kSmallCapacityBytes);
  request.budget = {BudgetKind::kMaxRmse, 0.01};
  const Status revised = age_as_forecast(forecast_of(built_in_profile("agrawal"), request), file_system,
                                         resumed_settings(), sink_, switches_);
  ASSERT_FALSE(revised.ok());
  EXPECT_EQ(revised.error().code, ErrorCode::kCheckpointInvalid);
  EXPECT_NE(revised.error().message.find("standard input"), std::string::npos);
  EXPECT_TRUE(age_as_forecast(small_forecast(), file_system, resumed_settings(), sink_, switches_).ok());
}

TEST_F(Aging, AKilledRunIsNotRevisedBeforeItIsWhereItWasKilled) {
  MemoryFileSystem file_system;
  file_system.fault = [](bool, uint64_t operations) { return operations > 30'000 ? EIO : 0; };
  AgeSettings rarely = settings(1);
  rarely.checkpoint_interval_s = 3600;
  EXPECT_FALSE(age_as_forecast(small_forecast(), file_system, rarely, sink_, switches_).ok());

  const uint64_t before = file_system.operations();
  file_system.fault = [this, before](bool, uint64_t operations) {
    if (operations == before + 10'000) switches_.wishes.add(wish("max-rmse 0.03"));
    if (operations == before + 31'000) switches_.wishes.add(wish("max-rmse 0.02"));
    return 0;
  };
  AgeSettings resumed = resumed_settings(1);
  resumed.checkpoint_interval_s = 3600;
  const Status aged = age_as_forecast(small_forecast(), file_system, resumed, sink_, switches_);
  EXPECT_TRUE(aged.ok()) << aged.error().message;
  std::vector<bool> refused;
  for (const auto& event : sink_.events) {
    if (event["type"] == "control") refused.push_back(!event["message"].is_null());
  }
  EXPECT_EQ(refused, (std::vector<bool>{true, false}));
  EXPECT_EQ(sink_.last()["stop_reason"], "accuracy_reached");
}

TEST_F(Aging, ANewConditionOnTheWayRevisesThePlanDurably) {
  MemoryFileSystem file_system;
  file_system.fault = [this](bool, uint64_t operations) {
    if (operations == 10'000) switches_.wishes.add(wish("max-rmse 0.02"));
    if (operations == 10'001) switches_.wishes.add(wish("max-ops 1"));
    if (operations == 10'002) switches_.wishes.add(wish("nonsense"));
    if (operations == 10'003) switches_.wishes.add(wish("layout"));
    return 0;
  };
  ASSERT_TRUE(age_as_forecast(small_forecast(), file_system, settings(1), sink_, switches_).ok());
  const auto& summary = sink_.events.back();
  EXPECT_EQ(summary["stop_reason"], "accuracy_reached");
  EXPECT_LT(summary["ops_count"], small_forecast().horizon_ops_count);
  EXPECT_NEAR(summary["histograms"]["age"]["rmse"].get<double>(), 0.02, 0.004);
  ASSERT_EQ(summary["legs"].size(), 1U);
  std::vector<bool> refused;
  for (const auto& event : sink_.events) {
    if (event["type"] == "control") refused.push_back(!event["message"].is_null());
  }
  EXPECT_EQ(refused, (std::vector<bool>{false, true, true, false}));
  EXPECT_EQ(count_of(sink_, "plan"), 1);
  for (const auto& condition : summary["stop_conditions"]) {
    EXPECT_EQ(condition["has_fired"], condition["stop_reason"] == "accuracy_reached");
  }

  // Its legs give the same stream again.
  CollectingSink again;
  ASSERT_TRUE(age_as_forecast(small_forecast(), file_system, resumed_settings(), again, switches_).ok());
  EXPECT_EQ(end_digest(again), end_digest(sink_));
}

TEST_F(Aging, ATreeThatIsNotWhatWasPlannedIsAnError) {
  const auto spoilt = [this](auto spoil) {
    MemoryFileSystem file_system;
    EXPECT_TRUE(age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_).ok());
    spoil(file_system);
    const Status aged = age_as_forecast(small_forecast(), file_system, resumed_settings(), sink_, switches_);
    EXPECT_FALSE(aged.ok());
    return aged.ok() ? Error{ErrorCode::kInternal, ""} : aged.error();
  };
  const Error stray = spoilt([](MemoryFileSystem& fs) { fs.carry_out({.file = 999'999, .bytes = 1}); });
  EXPECT_EQ(stray.code, ErrorCode::kDiskDiffers);
  EXPECT_NE(stray.message.find("should not be there"), std::string::npos);
  const auto first_of = [](const MemoryFileSystem& fs) {
    const auto [place, bytes] = *fs.files().begin();
    return Operation{.file = place.second, .bytes = bytes + 1, .directory = place.first};
  };
  const Error missing = spoilt([&](MemoryFileSystem& fs) {
    Operation gone = first_of(fs);
    gone.kind = OperationKind::kDelete;
    fs.carry_out(gone);
  });
  EXPECT_EQ(missing.code, ErrorCode::kDiskDiffers);
  EXPECT_NE(missing.message.find("1 files missing"), std::string::npos);
  const Error grown = spoilt([&](MemoryFileSystem& fs) { fs.carry_out(first_of(fs)); });
  EXPECT_EQ(grown.code, ErrorCode::kDiskDiffers);
  const Error renamed = spoilt([&](MemoryFileSystem& fs) {
    Operation other = first_of(fs);
    other.kind = OperationKind::kRename;
    fs.carry_out(other);
  });
  EXPECT_EQ(renamed.code, ErrorCode::kDiskDiffers);
}

TEST_F(Aging, MaterialisingCanBeStoppedAndFails) {
  AgeSettings fills = settings();
  fills.data_mode = DataMode::kMaterialize;
  MemoryFileSystem file_system;
  const uint64_t soon = small_forecast().horizon_ops_count + 50;
  file_system.fault = [soon](bool, uint64_t operations) { return operations > soon ? EIO : 0; };
  const Status broken = age_as_forecast(small_forecast(), file_system, fills, sink_, switches_);
  ASSERT_FALSE(broken.ok());
  EXPECT_EQ(broken.error().code, ErrorCode::kIoError);
  EXPECT_NE(broken.error().message.find("cannot fill"), std::string::npos);

  file_system.fault = [](bool, uint64_t) { return 0; };
  AgeSettings resumed = resumed_settings();
  resumed.data_mode = DataMode::kMaterialize;
  CollectingSink sink;
  sink.on_event = [this](const auto& event) {
    if (event["type"] == "progress") switches_.stop = true;
    return true;
  };
  EXPECT_EQ(age_as_forecast(small_forecast(), file_system, resumed, sink, switches_).error().code,
            ErrorCode::kCanceled);
}

TEST_F(Aging, RefusedCreatesAreCountedInTheSummary) {
  MemoryFileSystem file_system;
  file_system.capacity_bytes = 69ULL << 20U;
  ASSERT_TRUE(age_as_forecast(small_forecast(), file_system, settings(), sink_, switches_).ok());
  EXPECT_GT(sink_.events.back()["no_space_count"], 0U);
}

}  // namespace
}  // namespace patina
