// The options of `restore`.
#include "command/commands.h"
#include "command/image_options.h"
#include "image/image.h"

namespace patina {
namespace {

class RestoreCommand final : public CommandWith<RestoreOptions> {
 public:
  void add_options(OptionList& words) override {
    add_image(words, options);
    words.add("--store", options.store, "Folder of the chunk store").required();
    words.add("--device", options.device, "Block device, or a regular file; overwritten").required();
    words.add("--assume", options.assume,
              "Known content of the device: the .caibx of another image, or `zero`. Only what "
              "differs is written; all is verified");
    add_drops_data(words, options.drops_data);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_restore(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_restore() {
  return std::make_unique<RestoreCommand>();
}

}  // namespace patina
