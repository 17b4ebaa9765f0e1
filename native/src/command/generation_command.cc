// The options of `generation`.
#include "device/generation_command.h"
#include "command/commands.h"

namespace patina {
namespace {

class GenerationCommand final : public CommandWith<GenerationOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--device", options.devices, "Block devices, or regular files").required();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_generation(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_generation() {
  return std::make_unique<GenerationCommand>();
}

}  // namespace patina
