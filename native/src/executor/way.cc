// The table of modes and file systems.
#include "executor/way.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

constexpr CommitBounds kUnboundedCommits{};
constexpr CommitBounds kEveryFewOps{.interval_ops = 10};
// As above, and before a large file's blocks are missing from the free space. Not on ext4, whose commits also
// write back: the number of files that get blocks at a time matters there.
constexpr CommitBounds kEveryFewOpsOrBytes{.interval_ops = 10, .reuse_lag_fraction = 0.0025};
// btrfs, faithful: by bytes alone the lag of small files grows (20 % more free extents at 1 GiB).
constexpr CommitBounds kEveryTwentyOpsOrBytes{.interval_ops = 20, .reuse_lag_fraction = 0.0025};
constexpr CommitBounds bounded(double reuse_lag_fraction) {
  return {.interval_ops = 0, .reuse_lag_fraction = reuse_lag_fraction};
}

constexpr WritebackRule kByItself{};
constexpr WritebackRule kInBatches{.interval_ops = 10};
constexpr WritebackRule kAsFlusher{.interval_ops = 10, .on_any_processor = true};
constexpr WritebackRule kAsFlusherAndCommit{
    .interval_ops = 10, .keeps_freed = true, .on_any_processor = true};
constexpr WritebackRule kAsCommit{.interval_ops = 10, .keeps_freed = true};

// ext4, faithful: without its journal no commit is needed to make freed space reusable; the files that a
// batch deletes are kept until its writeback, as by a commit. The journal stays empty. xfs: written in
// batches, because an allocated file takes freed space at once (35 % more free extents in a flat directory).
// btrfs, nossd: no clusters. ext2 and ext3 cannot allocate without writing; they are aged faithfully as the
// reference is, because no cheaper way was shown to have its layout.
constexpr std::array kWays{
    Way{"ext4", AgingMode::kFaithful, true, 1, kAsFlusherAndCommit, kUnboundedCommits, "noload"},
    Way{"ext4", AgingMode::kFast, true, 2, kAsCommit, kUnboundedCommits, "noload"},
    Way{"ext4", AgingMode::kReference, true, 1, kAsFlusher, kEveryFewOps, ""},
    Way{"ext4", AgingMode::kUnbounded, false, 0, kByItself, kUnboundedCommits, "nodelalloc,commit=3600"},
    Way{"xfs", AgingMode::kFaithful, true, 1, kInBatches, bounded(0.01), ""},
    Way{"xfs", AgingMode::kFast, false, 2, kByItself, bounded(0.02), ""},
    Way{"xfs", AgingMode::kReference, true, 1, kByItself, kEveryFewOpsOrBytes, ""},
    Way{"xfs", AgingMode::kUnbounded, false, 0, kByItself, kUnboundedCommits, "allocsize=64k"},
    Way{"btrfs", AgingMode::kFaithful, true, 1, kByItself, kEveryTwentyOpsOrBytes, "nossd,commit=3600"},
    Way{"btrfs", AgingMode::kFast, true, 2, kInBatches, bounded(0.01), "nossd,commit=3600"},
    Way{"btrfs", AgingMode::kReference, true, 1, kByItself, kEveryFewOpsOrBytes, "nossd"},
    Way{"btrfs", AgingMode::kUnbounded, false, 0, kByItself, kUnboundedCommits, "nossd,commit=3600"},
    Way{"ext3", AgingMode::kFaithful, true, 1, kAsFlusher, kEveryFewOps, ""},
    Way{"ext3", AgingMode::kFast, true, 2, kAsCommit, kUnboundedCommits, "noload"},
    Way{"ext3", AgingMode::kReference, true, 1, kAsFlusher, kEveryFewOps, ""},
    Way{"ext3", AgingMode::kUnbounded, true, 0, kByItself, kUnboundedCommits, "commit=3600"},
    Way{"ext2", AgingMode::kFaithful, true, 1, kAsFlusher, kEveryFewOps, ""},
    Way{"ext2", AgingMode::kFast, true, 2, kByItself, kUnboundedCommits, ""},
    Way{"ext2", AgingMode::kReference, true, 1, kAsFlusher, kEveryFewOps, ""},
    Way{"ext2", AgingMode::kUnbounded, true, 0, kByItself, kUnboundedCommits, ""},
    Way{"", AgingMode::kFaithful, true, 1, kInBatches, bounded(0.01), ""},
    Way{"", AgingMode::kFast, true, 2, kInBatches, bounded(0.02), ""},
    Way{"", AgingMode::kReference, true, 1, kByItself, kEveryFewOps, ""},
    Way{"", AgingMode::kUnbounded, false, 0, kByItself, kUnboundedCommits, ""},
};

}  // namespace

const char* aging_mode_name(AgingMode mode) {
  switch (mode) {
    case AgingMode::kFaithful:
      return "faithful";
    case AgingMode::kFast:
      return "fast";
    case AgingMode::kReference:
      return "reference";
    case AgingMode::kUnbounded:
      return "unbounded";
  }
  return "faithful";
}

Way changed(const Way& way, const WayChanges& changes) {
  Way out = way;
  if (changes.threads_count > 0) out.threads_count = changes.threads_count;
  out.writeback.interval_ops = changes.write_back_ops.value_or(way.writeback.interval_ops);
  out.commits.interval_ops = changes.sync_ops.value_or(way.commits.interval_ops);
  out.commits.reuse_lag_fraction = changes.reuse_lag_fraction.value_or(way.commits.reuse_lag_fraction);
  return out;
}

std::span<const Way> all_ways() {
  return kWays;
}

const Way& way_of(const std::string& file_system, AgingMode mode) {
  const auto find = [mode](const std::string& name) {
    return std::find_if(kWays.begin(), kWays.end(),
                        [&](const Way& way) { return way.mode == mode && name == way.file_system; });
  };
  const auto* found = find(file_system);
  return found != kWays.end() ? *found : *find("");
}

nlohmann::ordered_json way_json(const Way& way) {
  return {{"mode", aging_mode_name(way.mode)},        {"writes_files", way.writes_files},
          {"threads_count", way.threads_count},       {"write_back_ops", way.writeback.interval_ops},
          {"keeps_freed", way.writeback.keeps_freed}, {"on_any_processor", way.writeback.on_any_processor},
          {"sync_ops", way.commits.interval_ops},     {"reuse_lag_fraction", way.commits.reuse_lag_fraction}};
}

Status run_modes(EventSink& sink) {
  sink.emit(hello_event("modes"));
  for (const Way& way : kWays) {
    nlohmann::ordered_json event = {{"type", "way"}, {"file_system", way.file_system}};
    event["mount_options"] = way.mount_options;
    event["way"] = way_json(way);
    if (!sink.emit(event)) return Error{ErrorCode::kCanceled, "standard output is closed"};
  }
  return ok_status();
}

}  // namespace patina
