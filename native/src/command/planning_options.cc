// Adds the options of the commands that plan.
#include "command/planning_options.h"

namespace patina {
namespace {

// Ranges as in native/contract/age_request.json.
constexpr double kLeastFullness = 0.01;
constexpr double kMostFullness = 0.95;
constexpr uint64_t kMostSeed = (uint64_t{1} << 53U) - 1;

}  // namespace

void add_profile(OptionList& words, ForecastOptions& options, bool required) {
  words
      .add("--profile", options.profile_file,
           "The profile: a JSON file, - for JSON on standard input, or a folder of Geriatrix's texts")
      .required(required);
  words.add("--fullness", options.request.fullness, "User data over capacity")
      .range(kLeastFullness, kMostFullness)
      .required(required);
  words.add("--seed", options.request.seed, "Seed of every random choice")
      .range(uint64_t{0}, kMostSeed)
      .show_default();
  words.add("--curve-points", options.request.curve_points_count, "Points of the cost-against-accuracy curve")
      .show_default();
}

void add_capacity(OptionList& words, ForecastRequest& request) {
  words.add("--capacity", request.capacity_bytes, "Bytes that the empty file system offers, e.g. 1GiB")
      .required()
      .in_bytes();
  words.add("--block-size", request.block_size_bytes, "Bytes of a file-system block")
      .show_default()
      .in_bytes();
}

void add_budget(OptionList& words, BudgetArguments& budget) {
  OptionList group = words.group("budget", "Limit on the cost of the run; one at most");
  group.add("--max-rmse", budget.max_rmse, "Aim at this age RMSE and no better (0.001 is 0.1 %)")
      .positive()
      .range(0.0, 1.0);
  group.add("--max-overwrites", budget.max_overwrites, "Write about this many capacities").positive();
  group.add("--max-ops", budget.max_ops, "Make no more than this many operations");
  group
      .add("--horizon,--exact-ops-count", budget.horizon,
           "Make exactly this many operations, even more than needed")
      .range(uint64_t{1}, uint64_t{1'000'000'000'000});
  group.require(0, 1);
}

void add_files(OptionList& words, ForecastRequest& request) {
  words.add_choice("--sizes,--size-draw", request.size_draw,
                   "exact: the size of the bin; log-uniform: drawn between the previous bin and this one",
                   {{"exact", SizeDraw::kExact},
                    {"log-uniform", SizeDraw::kLogUniform},
                    {"log_uniform", SizeDraw::kLogUniform}});
  OptionList group =
      words.group("mix", "Modifications of files, as fractions of the operations of stable aging");
  const auto add = [&group](const char* names, double& fraction, const char* what) {
    group.add(names, fraction, what).range(0.0, kMostModifications);
  };
  add("--append,--append-fraction", request.mix.append,
      "Restore the part that a truncate, a hole or a short create left out");
  add("--overwrite,--overwrite-fraction", request.mix.overwrite, "Overwrite a part, in place");
  add("--truncate,--truncate-fraction", request.mix.truncate, "Cut the end off; an append follows");
  add("--rename,--rename-fraction", request.mix.rename, "Rename within the same directory");
  add("--punch-hole,--punch-hole-fraction", request.mix.punch_hole, "Free a part; an append follows");
}

void add_planning(OptionList& words, ForecastOptions& options, BudgetArguments& budget) {
  add_profile(words, options, /*required=*/true);
  add_capacity(words, options.request);
  add_files(words, options.request);
  add_budget(words, budget);
}

}  // namespace patina
