// The command line of `modes`, which has no options.
#include "command/commands.h"
#include "executor/way.h"

namespace patina {
namespace {

class ModesCommand final : public Command {
 public:
  void add_options(OptionList& /*words*/) override {}

  Status run(EventSink& sink, const Switches& /*switches*/) const override { return run_modes(sink); }
};

}  // namespace

std::unique_ptr<Command> make_modes() {
  return std::make_unique<ModesCommand>();
}

}  // namespace patina
