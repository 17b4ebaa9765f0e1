// The options of `rollback`.
#include "command/commands.h"
#include "command/image_options.h"
#include "image/image.h"

namespace patina {
namespace {

class RollbackCommand final : public CommandWith<RollbackOptions> {
 public:
  void add_options(OptionList& words) override {
    add_image(words, options);
    words.add("--store", options.store, "Folder of the chunk store").required();
    words.add("--device", options.device, "The device that held the image; overwritten").required();
    words.add("--delta", options.delta_file,
              "Delta of a trace, made by `delta`. Without it, or when it is incomplete or the device "
              "was written to since, everything is compared");
    words.add_choice("--verify", options.verify_all,
                     "touched: read back the rewritten blocks; full: everything",
                     {{"touched", false}, {"full", true}});
    add_drops_data(words, options.drops_data);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_rollback(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_rollback() {
  return std::make_unique<RollbackCommand>();
}

}  // namespace patina
