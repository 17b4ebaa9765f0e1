// The options of `models`.
#include "disk_model/models_command.h"
#include "command/commands.h"

namespace patina {
namespace {

class ModelsCommand final : public CommandWith<ModelsOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--model", options.model, "Check this one only: a built-in name, or the path of a JSON file");
  }

  Status run(EventSink& sink, const Switches& /*switches*/) const override {
    return run_models(options, sink);
  }
};

}  // namespace

std::unique_ptr<Command> make_models() {
  return std::make_unique<ModelsCommand>();
}

}  // namespace patina
