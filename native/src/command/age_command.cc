// The options of `age`.
#include <optional>

#include "age/age.h"
#include "command/commands.h"
#include "command/planning_options.h"

namespace patina {
namespace {

constexpr double kMostSeconds = 1e8;
constexpr uint64_t kMostSyncOps = 1'000'000'000;

void add_workload(OptionList& words, WorkloadRequest& workload) {
  OptionList group = words.group("workload", "Workload in place of a profile");
  group.add_choice(
      "--workload", workload.kind,
      "fsfb: small files in random directories, then rounds that replace 5 %; churn: creates and "
      "deletes of mostly 4 and 8 KiB; replay: a recorded log; fresh: no operations",
      {{"fsfb", WorkloadKind::kFsfb},
       {"churn", WorkloadKind::kChurn},
       {"replay", WorkloadKind::kReplay},
       {"fresh", WorkloadKind::kFresh}});
  group.add("--rounds,--rounds-count", workload.rounds_count, "Rounds of fsfb")
      .range(uint64_t{0}, uint64_t{1'000'000})
      .show_default();
  group.add("--operations,--ops-count", workload.ops_count, "Operations of churn, in total")
      .range(uint64_t{1}, uint64_t{1'000'000'000'000})
      .show_default();
  group.add("--log", workload.log_file, "Operation log to replay, written by --record");
  group.add_flag("--survivors", workload.survivors,
                 "Replay only the survivors: the files left at the log's end");
}

// Checks that a profile has a fullness, and a workload only its own options.
Status check(const OptionList& words, const AgeOptions& options) {
  const auto usage = [](const char* message) { return Error{ErrorCode::kUsage, message}; };
  const bool planned = options.workload.kind == WorkloadKind::kNone;
  const bool replays = options.workload.kind == WorkloadKind::kReplay;
  const bool is_fresh = options.workload.kind == WorkloadKind::kFresh;
  const auto given = [&words](const char* name) { return words.given(name); };
  if (planned != given("--profile")) return usage("give --profile or --workload, and not both");
  if ((replays || is_fresh) == given("--fullness")) {
    return usage(replays    ? "--fullness: a replay takes it from its log"
                 : is_fresh ? "--fullness: a fresh file system has no files"
                            : "--fullness is required");
  }
  if (options.forecast.profile_file == "-") {
    return usage("--profile -: standard input takes control lines here; give the profile as a file");
  }
  if (replays != given("--log")) return usage("--log and --workload replay belong together");
  if (options.workload.survivors && !replays) return usage("--survivors requires --workload replay");
  if (given("--rounds") && options.workload.kind != WorkloadKind::kFsfb)
    return usage("--rounds requires fsfb");
  if (given("--operations") && options.workload.kind != WorkloadKind::kChurn) {
    return usage("--operations requires churn; with a profile use --max-ops");
  }
  const bool budgeted =
      given("--max-rmse") || given("--max-overwrites") || given("--max-ops") || given("--horizon");
  const ForecastRequest& request = options.forecast.request;
  const bool shaped = request.size_draw != SizeDraw::kExact || request.mix.sum() > 0 ||
                      options.fullness_of != FullnessOf::kFiles;
  if (!planned && (budgeted || shaped)) {
    return usage(
        "a budget, a horizon, --sizes, --fullness-of and a mix of operations require a profile, not a "
        "workload");
  }
  return ok_status();
}

class AgeCommand final : public CommandWith<AgeOptions> {
 public:
  void add_options(OptionList& words) override {
    add_profile(words, options.forecast, /*required=*/false);
    add_workload(words, options.workload);
    add_files(words, options.forecast.request);
    add_budget(words, budget_);
    add_aging(words);
  }

  Status settle(const OptionList& words) override {
    if (Status checked = check(words, options); !checked) return checked;
    budget_.apply(options.forecast.request);
    options.workload.fullness = options.forecast.request.fullness;
    options.workload.seed = options.forecast.request.seed;
    options.settings.sample_interval_s = sample_ms_ / 1000.0;
    options.settings.layout_interval_s = layout_ms_ / 1000.0;
    options.settings.checkpoint_interval_s = checkpoint_ms_ / 1000.0;
    return ok_status();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_age(options, sink, switches);
  }

 private:
  void add_aging(OptionList& words) {
    words.add("--mount", options.mount, "Where the fresh file system is mounted").required();
    words
        .add_choice("--fullness-of", options.fullness_of,
                    "Meaning of --fullness. files: their data; statfs: all used space, with metadata",
                    {{"files", FullnessOf::kFiles}, {"statfs", FullnessOf::kStatfs}})
        .show_default("files");
    words
        .add_choice(
            "--mode", options.mode,
            "faithful: to the reference's layout; fast: fewer guarantees; reference: written and synced "
            "every few operations; unbounded: as fast tools do",
            {{"faithful", AgingMode::kFaithful},
             {"fast", AgingMode::kFast},
             {"reference", AgingMode::kReference},
             {"unbounded", AgingMode::kUnbounded}})
        .show_default("faithful");
    words
        .add("--threads,--threads-count", options.way_changes.threads_count,
             "Lanes; the mode sets the default: 1, or as many as cores, up to 4")
        .range(1, kMaxThreadsCount);
    words.add_choice(
        "--data,--data-mode", options.settings.data_mode,
        "fallocate: space without data; write: incompressible bytes; sparse: length only; materialize: "
        "fallocate, then write the files that are left, once, in place",
        {{"fallocate", DataMode::kFallocate},
         {"write", DataMode::kWrite},
         {"sparse", DataMode::kSparse},
         {"materialize", DataMode::kMaterialize}});
    words
        .add("--compressible,--compressible-fraction", options.compressible_fraction,
             "Fraction of zeroes in each 4 KiB written into files; by default 0 for write, all "
             "but 16 bytes for materialize")
        .range(0.0, 1.0);
    words.add("--max-seconds", options.settings.max_seconds, "Stop after this much active time; 0: never")
        .range(0.0, kMostSeconds);
    words.add("--checkpoint", options.settings.checkpoint_file,
              "File of the checkpoint, rewritten periodically");
    words.add("--resume", options.resume_file,
              "Resume from this checkpoint, with the same other options; another budget or horizon revises "
              "the plan");
    words.add("--record", options.settings.record_file,
              "Write the operations here, for --workload replay on another file system");
    words.add("--record-survivors", options.settings.survivors_file,
              "Write the creates of the survivors here, for --workload replay");
    words
        .add("--sync-ops", options.way_changes.sync_ops,
             "Sync after each so many operations; 0: only for checkpoints; by default by the mode")
        .range(uint64_t{0}, kMostSyncOps);
    words
        .add("--reuse-lag", options.way_changes.reuse_lag_fraction,
             "Sync once this share of the planned free space is freed and not reusable; 0: "
             "unbounded; by default by the mode")
        .range(0.0, 1.0);
    words.add("--write-back-ops", options.way_changes.write_back_ops,
              "Write files back after each so many operations; 0: as the file system does by itself; by "
              "default by the mode");
    words.add("--sample-interval-ms", sample_ms_, "Milliseconds between samples")
        .range(10, 3'600'000)
        .show_default();
    words.add("--layout-interval-ms", layout_ms_, "Milliseconds between measurements of the free space")
        .range(10, 3'600'000)
        .show_default();
    words.add("--checkpoint-interval-ms", checkpoint_ms_, "Milliseconds between checkpoints")
        .range(10, 3'600'000)
        .show_default();
    words.add_note("--request",
                   "All other options as one JSON object, in a file, or - for the first "
                   "line of standard input. Excludes other options.");
    words.footer(
        "Standard input takes the lines `pause`, `resume`, `stop`, `layout` (measure it now), `max-seconds "
        "S`, "
        "and new "
        "budgets:\n`max-rmse R`, `max-overwrites N`, `max-ops N`, `converge` (none). Its end is ignored.");
  }

  BudgetArguments budget_;
  int sample_ms_ = 400;
  int layout_ms_ = 2000;
  int checkpoint_ms_ = 5000;
};

}  // namespace

std::unique_ptr<Command> make_age() {
  return std::make_unique<AgeCommand>();
}

}  // namespace patina
