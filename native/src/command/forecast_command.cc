// The options of `forecast`.
#include "command/commands.h"
#include "command/planning_options.h"

namespace patina {
namespace {

class ForecastCommand final : public CommandWith<ForecastOptions> {
 public:
  void add_options(OptionList& words) override { add_planning(words, options, budget_); }

  Status settle(const OptionList& /*words*/) override {
    budget_.apply(options.request);
    return ok_status();
  }

  Status run(EventSink& sink, const Switches& /*switches*/) const override {
    return run_forecast(options, sink);
  }

 private:
  BudgetArguments budget_;
};

}  // namespace

std::unique_ptr<Command> make_forecast() {
  return std::make_unique<ForecastCommand>();
}

}  // namespace patina
