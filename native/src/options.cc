// Parses the command line. CLI11 costs seconds to compile; only this and options_image.cc read it.
#include "options.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <map>
#include <optional>

#include "age_request.h"
#include "block_map.h"
#include "byte_size.h"
#include "options_image.h"

namespace patina {
namespace {

constexpr const char* kFooter =
    "\nReports on standard output, one JSON object a line, `type` first: `hello` comes first; `plan`, "
    "`scan`,\n"
    "`layout`, `summary` or `error` last. Prose goes to standard error. Exit codes: 0 done; 2 usage;\n"
    "3 internal; 10 profile_invalid; 11 profile_does_not_fit; 12 mount_unusable; 13 no_space; 14 io_error;\n"
    "15 read_only; 16 quota_exceeded; 17 checkpoint_invalid; 18 disk_differs; 19 log_invalid;\n"
    "20 device_busy; 21 device_unusable; 22 device_too_small; 23 store_no_space; 24 store_io_error; 25 "
    "chunk_missing; 26 "
    "chunk_corrupt;\n"
    "27 index_invalid; 28 verify_mismatch; 29 layout_unsupported; 30 canceled; 35 tree_unreadable;\n"
    "36 trace_unavailable; 37 trace_invalid; 38 store_busy.\n"
    "SIGTERM, SIGINT and the end of standard output tell a command to stop;\n"
    "so does the death of the process that started it.";

// As the product takes them (native/contract/age_request.json).
constexpr double kLeastFullness = 0.01;
constexpr double kMostFullness = 0.95;
constexpr uint64_t kMostSeed = (uint64_t{1} << 53U) - 1;
constexpr double kMostSeconds = 1e8;
constexpr uint64_t kMostSyncOps = 1'000'000'000;

// What has no place in the options as such, because it decides between several of their fields.
struct BudgetArguments {
  std::optional<double> max_rmse;
  std::optional<double> max_overwrites;
  std::optional<uint64_t> max_ops;
  std::optional<uint64_t> horizon;

  void apply(ForecastRequest& request) const {
    if (max_rmse) request.budget = {BudgetKind::kMaxRmse, *max_rmse};
    if (max_overwrites) request.budget = {BudgetKind::kMaxOverwrites, *max_overwrites};
    if (max_ops) request.budget = {BudgetKind::kMaxOps, static_cast<double>(*max_ops)};
    if (horizon) request.horizon_ops_count = *horizon;
  }
};

// Required by all but `age`, which has workloads too.
void add_profile(CLI::App& command, ForecastOptions& options, bool required) {
  command
      .add_option("--profile", options.profile_file,
                  "The profile: a JSON file, - for JSON on standard input, or a folder of Geriatrix's texts")
      ->required(required);
  command.add_option("--fullness", options.request.fullness, "User data over capacity")
      ->check(CLI::Range(kLeastFullness, kMostFullness))
      ->required(required);
  command.add_option("--seed", options.request.seed, "Seed of every random choice")
      ->check(CLI::Range(uint64_t{0}, kMostSeed))
      ->capture_default_str();
  command
      .add_option("--curve-points", options.request.curve_points_count,
                  "Points of the cost-against-accuracy curve")
      ->capture_default_str();
}

void add_capacity(CLI::App& command, ForecastRequest& request) {
  command
      .add_option("--capacity", request.capacity_bytes, "Bytes that the empty file system offers, e.g. 1GiB")
      ->required()
      ->transform(byte_size());
  command.add_option("--block-size", request.block_size_bytes, "Bytes of a file-system block")
      ->capture_default_str()
      ->transform(byte_size());
}

void add_budget(CLI::App& command, BudgetArguments& budget) {
  CLI::App* group = command.add_option_group("budget", "How much the run may cost; one at most");
  group->add_option("--max-rmse", budget.max_rmse, "Aim at this age RMSE and no better (0.001 is 0.1 %)")
      ->check(CLI::PositiveNumber)
      ->check(CLI::Range(0.0, 1.0));
  group->add_option("--max-overwrites", budget.max_overwrites, "Write about this many capacities")
      ->check(CLI::PositiveNumber);
  group->add_option("--max-ops", budget.max_ops, "Make no more than this many operations");
  group
      ->add_option("--horizon", budget.horizon,
                   "Make exactly this many operations, also above what is needed")
      ->check(CLI::PositiveNumber);
  group->require_option(0, 1);
}

void add_files(CLI::App& command, ForecastRequest& request) {
  command
      .add_option("--sizes,--size-draw", request.size_draw,
                  "exact: the size of the bin; log-uniform: drawn between the bin before and this one")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, SizeDraw>{{"exact", SizeDraw::kExact},
                                                                  {"log-uniform", SizeDraw::kLogUniform},
                                                                  {"log_uniform", SizeDraw::kLogUniform}}));
  CLI::App* group = command.add_option_group(
      "mix", "What else happens to files, as fractions of the operations of stable aging");
  const auto add = [group](const char* names, double& fraction, const char* what) {
    group->add_option(names, fraction, what)->check(CLI::Range(0.0, kMostModifications));
  };
  add("--append,--append-fraction", request.mix.append,
      "Give back what a truncate, a hole or a short create left out");
  add("--overwrite,--overwrite-fraction", request.mix.overwrite, "Write over a part, in place");
  add("--truncate,--truncate-fraction", request.mix.truncate, "Cut the end off; an append follows");
  add("--rename,--rename-fraction", request.mix.rename, "Give another name in the same directory");
  add("--punch-hole,--punch-hole-fraction", request.mix.punch_hole, "Free a part; an append follows");
}

void add_workload(CLI::App& command, WorkloadRequest& workload) {
  CLI::App* group = command.add_option_group("workload", "What to do in place of a profile");
  group
      ->add_option(
          "--workload", workload.kind,
          "fsfb: small files in random directories, then rounds that replace 5 %; churn: creates and "
          "deletes of mostly 4 and 8 KiB; replay: a recorded log")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, WorkloadKind>{{"fsfb", WorkloadKind::kFsfb},
                                                                      {"churn", WorkloadKind::kChurn},
                                                                      {"replay", WorkloadKind::kReplay}}));
  group->add_option("--rounds,--rounds-count", workload.rounds_count, "Of fsfb")
      ->check(CLI::Range(uint64_t{0}, uint64_t{1'000'000}))
      ->capture_default_str();
  group->add_option("--operations,--ops-count", workload.ops_count, "Of churn, in all")
      ->check(CLI::Range(uint64_t{1}, uint64_t{1'000'000'000'000}))
      ->capture_default_str();
  group->add_option("--log", workload.log_file, "Of replay: what --record wrote");
  group->add_flag("--survivors", workload.survivors,
                  "Of replay: only make the files that are left at its end");
}

void add_age(CLI::App& command, AgeOptions& options, int& sample_ms, int& layout_ms, int& checkpoint_ms) {
  command.add_option("--mount", options.mount, "Where the fresh file system is mounted")->required();
  command
      .add_option("--fullness-of", options.fullness_of,
                  "What --fullness is of. files: their data; statfs: all that is used, with metadata")
      ->transform(CLI::CheckedTransformer(
          std::map<std::string, FullnessOf>{{"files", FullnessOf::kFiles}, {"statfs", FullnessOf::kStatfs}}))
      ->default_str("files");
  command
      .add_option(
          "--mode", options.mode,
          "faithful: to the reference's layout; fast: fewer guarantees; reference: written and synced "
          "every few operations; unbounded: as fast tools do")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, AgingMode>{{"faithful", AgingMode::kFaithful},
                                                                   {"fast", AgingMode::kFast},
                                                                   {"reference", AgingMode::kReference},
                                                                   {"unbounded", AgingMode::kUnbounded}}))
      ->default_str("faithful");
  command
      .add_option("--threads,--threads-count", options.way_changes.threads_count,
                  "Lanes; by default by the mode: 1, or as many as cores, up to 4")
      ->check(CLI::Range(1, kMaxThreadsCount));
  command
      .add_option(
          "--data,--data-mode", options.settings.data_mode,
          "fallocate: space without data; write: incompressible bytes; sparse: length only; materialize: "
          "fallocate, then write the files that are left, once, in place")
      ->transform(
          CLI::CheckedTransformer(std::map<std::string, DataMode>{{"fallocate", DataMode::kFallocate},
                                                                  {"write", DataMode::kWrite},
                                                                  {"sparse", DataMode::kSparse},
                                                                  {"materialize", DataMode::kMaterialize}}));
  command
      .add_option(
          "--compressible,--compressible-fraction", options.compressible_fraction,
          "Of each 4 KiB written into files, the fraction that is zeroes; by default 0 for write, all "
          "but 16 bytes for materialize")
      ->check(CLI::Range(0.0, 1.0));
  command
      .add_option("--max-seconds", options.settings.max_seconds, "Stop after so much active time; 0: never")
      ->check(CLI::Range(0.0, kMostSeconds));
  command.add_option("--checkpoint", options.settings.checkpoint_file,
                     "Write a checkpoint here, again and again");
  command.add_option(
      "--resume", options.resume_file,
      "Go on from this checkpoint, with the same other options; another budget or horizon revises "
      "the plan");
  command.add_option("--record", options.settings.record_file,
                     "Write the operations here, for --workload replay on another file system");
  command.add_option("--record-survivors", options.settings.survivors_file,
                     "Write the creates of the files that are left here, for --workload replay");
  command
      .add_option("--sync-ops", options.way_changes.sync_ops,
                  "Sync after each so many operations; 0: only for checkpoints; by default by the mode")
      ->check(CLI::Range(uint64_t{0}, kMostSyncOps));
  command
      .add_option("--reuse-lag", options.way_changes.reuse_lag_fraction,
                  "Sync once this share of the planned free space is freed and not reusable; 0: "
                  "unbounded; by default by the mode")
      ->check(CLI::Range(0.0, 1.0));
  command.add_option(
      "--write-back-ops", options.way_changes.write_back_ops,
      "Write files back after each so many operations; 0: as the file system does by itself; by "
      "default by the mode");
  command.add_option("--sample-interval-ms", sample_ms, "Between samples")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  command.add_option("--layout-interval-ms", layout_ms, "Between measurements of the free space")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  command.add_option("--checkpoint-interval-ms", checkpoint_ms, "Between checkpoints")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  command.add_option("--request",
                     "All of the others as one JSON object: the name of a file, or - for the first "
                     "line of standard input. Stands alone.");
  command.footer(
      "Standard input takes the lines `pause`, `resume`, `stop`, `layout` (measure it now), `max-seconds S`, "
      "and new "
      "budgets:\n`max-rmse R`, `max-overwrites N`, `max-ops N`, `converge` (none). Its end means nothing.");
}

void add_layout(CLI::App& command, LayoutOptions& options) {
  CLI::App* place = command.add_option_group("place", "What to measure; one of the two");
  place->add_option("--mount", options.mount, "Root of a mounted file system; it is synced first");
  place->add_option("--device", options.device,
                    "Block device that is not mounted; it is mounted read-only for this command alone");
  place->require_option(1);
  command.add_option("--threads", options.threads_count, "Of the walk; 0: as many as cores")
      ->check(CLI::Range(0, kMaxThreadsCount))
      ->capture_default_str();
  command.add_option("--map-cells", options.map_cells_count, "Cells of the block map, at most; 0: no map")
      ->check(CLI::Range(uint32_t{0}, kMaxMapCells))
      ->capture_default_str();
}

void add_scan(CLI::App& command, ScanOptions& options) {
  command.add_option("directory", options.directory, "The tree's root; other mounts in it are left out")
      ->required();
  command.add_option("--threads", options.threads, "0: as many as cores")
      ->check(CLI::Range(0, kMaxThreadsCount));
  command.add_option("--progress-interval-ms", options.progress_interval_ms, "Between reports of progress")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  command.footer("The `profile` of the last line is what --profile reads. No name is reported.");
}

// Everything that a command line can fill, before it is known which command it is.
struct Parsed {
  BudgetArguments budget;
  ForecastOptions forecast;
  ForecastsOptions forecasts;
  SimulateOptions simulate;
  AgeOptions age;
  ModesOptions modes;
  LayoutOptions layout;
  ScanOptions scan;
  ImageOptions image;
  int sample_ms = 400;
  int layout_ms = 2000;
  int checkpoint_ms = 5000;
};

void add_forecast(CLI::App& command, Parsed& parsed) {
  add_profile(command, parsed.forecast, /*required=*/true);
  add_capacity(command, parsed.forecast.request);
  add_files(command, parsed.forecast.request);
  add_budget(command, parsed.budget);
}

void add_forecasts(CLI::App& command, ForecastsOptions& /*options*/) {
  command.footer(
      "A request is {\"profile\": {..}, \"capacity_bytes\": N, \"fullness\": F} on a line, with "
      "\"max_rmse\", "
      "\"max_overwrites\" or\n\"max_ops\" if it likes; its answer is a `plan` or an `error`. Without a "
      "capacity: "
      "the `profile` and its digest.");
}

void add_modes(CLI::App& /*command*/, ModesOptions& /*options*/) {}

void add_simulate(CLI::App& command, Parsed& parsed) {
  add_profile(command, parsed.simulate.forecast, /*required=*/true);
  add_capacity(command, parsed.simulate.forecast.request);
  add_files(command, parsed.simulate.forecast.request);
  add_budget(command, parsed.budget);
  command.add_option("--sample-interval-ms", parsed.simulate.sample_interval_ms, "Between samples")
      ->check(CLI::Range(10, 3'600'000))
      ->capture_default_str();
  command
      .add_option("--samples", parsed.simulate.samples_count,
                  "So many samples, equally far apart in operations, in place of the interval")
      ->check(CLI::Range(uint64_t{1}, uint64_t{100'000}));
}

void add_aging(CLI::App& command, Parsed& parsed) {
  add_profile(command, parsed.age.forecast, /*required=*/false);
  add_workload(command, parsed.age.workload);
  add_files(command, parsed.age.forecast.request);
  add_budget(command, parsed.budget);
  add_age(command, parsed.age, parsed.sample_ms, parsed.layout_ms, parsed.checkpoint_ms);
}

void add_commands(CLI::App& app, std::string_view named, Parsed& parsed) {
  const auto add = [&](const char* name, const char* description, auto fill, auto& its_options) {
    CLI::App* command = app.add_subcommand(name, description);
    if (named == name) fill(*command, its_options);
  };
  add("forecast", "What a profile needs at a capacity and fullness", add_forecast, parsed);
  add("forecasts", "Answer requests for forecasts, a line of standard input each, until its end",
      add_forecasts, parsed.forecasts);
  add("simulate", "Age in the model alone: no file system is touched", add_simulate, parsed);
  add("age", "Age a mounted, empty file system, by a profile or a workload", add_aging, parsed);
  add("modes", "List the modes of aging, and what each does on each file system", add_modes, parsed.modes);
  add("layout", "Measure where a file system put files and free space", add_layout, parsed.layout);
  add("scan", "Make a profile of a directory tree", add_scan, parsed.scan);
  add_image_commands(app, named, parsed.image);
}

// A profile with a fullness, or a workload with what belongs to it.
std::optional<Error> check_age(const CLI::App& age, const AgeOptions& options) {
  const auto usage = [](const char* message) { return Error{ErrorCode::kUsage, message}; };
  const bool planned = options.workload.kind == WorkloadKind::kNone;
  const bool replays = options.workload.kind == WorkloadKind::kReplay;
  const auto given = [&age](const char* name) { return age.get_option(name)->count() > 0; };
  if (planned != given("--profile")) return usage("give --profile or --workload, and not both");
  if (replays == given("--fullness")) {
    return usage(replays ? "--fullness: a replay has that of its log" : "--fullness is required");
  }
  if (options.forecast.profile_file == "-") {
    return usage("--profile -: standard input takes control lines here; give the profile as a file");
  }
  if (replays != given("--log")) return usage("--log and --workload replay belong together");
  if (options.workload.survivors && !replays) return usage("--survivors is of --workload replay");
  if (given("--rounds") && options.workload.kind != WorkloadKind::kFsfb) return usage("--rounds is of fsfb");
  if (given("--operations") && options.workload.kind != WorkloadKind::kChurn) {
    return usage("--operations is of churn; for a profile it is --max-ops");
  }
  const bool budgeted =
      given("--max-rmse") || given("--max-overwrites") || given("--max-ops") || given("--horizon");
  const ForecastRequest& request = options.forecast.request;
  const bool shaped = request.size_draw != SizeDraw::kExact || request.mix.sum() > 0 ||
                      options.fullness_of != FullnessOf::kFiles;
  if (!planned && (budgeted || shaped)) {
    return usage(
        "a budget, a horizon, --sizes, --fullness-of and a mix of operations are of a profile, not of a "
        "workload");
  }
  return std::nullopt;
}

Result<Options> chosen(const CLI::App& app, Parsed& parsed) {
  if (app.got_subcommand("forecast")) {
    parsed.budget.apply(parsed.forecast.request);
    return Options{parsed.forecast};
  }
  if (app.got_subcommand("forecasts")) return Options{parsed.forecasts};
  if (app.got_subcommand("simulate")) {
    parsed.budget.apply(parsed.simulate.forecast.request);
    return Options{parsed.simulate};
  }
  if (app.got_subcommand("age")) {
    if (std::optional<Error> error = check_age(*app.get_subcommand("age"), parsed.age)) return *error;
    parsed.age.workload.fullness = parsed.age.forecast.request.fullness;
    parsed.age.workload.seed = parsed.age.forecast.request.seed;
    parsed.budget.apply(parsed.age.forecast.request);
    parsed.age.settings.sample_interval_s = parsed.sample_ms / 1000.0;
    parsed.age.settings.layout_interval_s = parsed.layout_ms / 1000.0;
    parsed.age.settings.checkpoint_interval_s = parsed.checkpoint_ms / 1000.0;
    return Options{parsed.age};
  }
  if (app.got_subcommand("modes")) return Options{parsed.modes};
  if (app.got_subcommand("layout")) return Options{parsed.layout};
  if (std::optional<Result<Options>> command = chosen_image_command(app, parsed.image)) return *command;
  return Options{parsed.scan};
}

Result<Options> parse_words(int argc, const char* const* argv, const std::string& profile_document) {
  CLI::App app("Ages file systems, measures them, and keeps their images.", "patina-core");
  app.set_version_flag("--version", std::string("patina-core ") + PATINA_VERSION);
  app.footer(kFooter);
  app.require_subcommand(1);
  Parsed parsed;
  parsed.age.forecast.profile_document = profile_document;
  add_commands(app, argc > 1 ? argv[1] : "", parsed);
  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    // The help of the command that was named, if one was.
    const auto named = app.get_subcommands();
    return Options{ShowText{named.empty() ? app.help() : named.front()->help()}};
  } catch (const CLI::CallForVersion&) {
    return Options{ShowText{app.version() + "\n"}};
  } catch (const CLI::ParseError& error) {
    return Error{ErrorCode::kUsage, error.what()};
  }
  return chosen(app, parsed);
}

// Once more, by the words of the document.
Result<Options> parse_request(const char* program, const char* file) {
  const Result<AgeRequest> request = read_age_request(file);
  if (!request) return request.error();
  std::vector<const char*> argv = {program, "age"};
  for (const std::string& word : request->words) argv.push_back(word.c_str());
  return parse_words(static_cast<int>(argv.size()), argv.data(), request->profile_document);
}

}  // namespace

Result<Options> parse_options(int argc, const char* const* argv) {
  // CLI11 2.1 takes an empty word for the name of an option group, which has none, and never ends.
  for (int i = 1; i < argc; ++i) {
    if (*argv[i] == '\0') return Error{ErrorCode::kUsage, fmt::format("argument {} is empty", i)};
  }
  if (argc == 4 && argv[1] == std::string_view("age") && argv[2] == std::string_view("--request")) {
    return parse_request(argv[0], argv[3]);
  }
  return parse_words(argc, argv, "");
}

}  // namespace patina
