// The options of `simulate`.
#include "age/simulate.h"
#include "command/commands.h"
#include "command/planning_options.h"

namespace patina {
namespace {

class SimulateCommand final : public CommandWith<SimulateOptions> {
 public:
  void add_options(OptionList& words) override {
    add_planning(words, options.forecast, budget_);
    words.add("--sample-interval-ms", options.sample_interval_ms, "Milliseconds between samples")
        .range(10, 3'600'000)
        .show_default();
    words
        .add("--samples", options.samples_count,
             "Number of samples, equally far apart in operations, in place of the interval")
        .range(uint64_t{1}, uint64_t{100'000});
  }

  Status settle(const OptionList& /*words*/) override {
    budget_.apply(options.forecast.request);
    return ok_status();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_simulate(options, sink, switches.stop);
  }

 private:
  BudgetArguments budget_;
};

}  // namespace

std::unique_ptr<Command> make_simulate() {
  return std::make_unique<SimulateCommand>();
}

}  // namespace patina
