// The command line of `forecasts`, which has no options.
#include <unistd.h>
#include "age/forecasts.h"
#include "command/commands.h"

namespace patina {
namespace {

class ForecastsCommand final : public Command {
 public:
  void add_options(OptionList& words) override {
    words.footer(
        "A request is {\"profile\": {..}, \"capacity_bytes\": N, \"fullness\": F} on a line, optionally with "
        "\"max_rmse\", "
        "\"max_overwrites\" or\n\"max_ops\"; its answer is a `plan` or an `error`. Without a "
        "capacity: "
        "the `profile` and its digest.");
  }

  Status run(EventSink& sink, const Switches& /*switches*/) const override {
    return run_forecasts(STDIN_FILENO, sink);
  }
};

}  // namespace

std::unique_ptr<Command> make_forecasts() {
  return std::make_unique<ForecastsCommand>();
}

}  // namespace patina
