// The options of the commands that plan: forecast, simulate and age.
#pragma once

#include <optional>

#include "age/forecast_command.h"
#include "command/option_list.h"

namespace patina {

// Arguments that decide which fields of the options are set.
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

// Required by all commands but `age`, which also has workloads.
void add_profile(OptionList& words, ForecastOptions& options, bool required);
void add_capacity(OptionList& words, ForecastRequest& request);
void add_budget(OptionList& words, BudgetArguments& budget);
void add_files(OptionList& words, ForecastRequest& request);
// Adds profile, capacity, files and budget.
void add_planning(OptionList& words, ForecastOptions& options, BudgetArguments& budget);

}  // namespace patina
