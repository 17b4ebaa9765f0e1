// The options of `verify`.
#include "command/commands.h"
#include "command/image_options.h"
#include "image/image.h"

namespace patina {
namespace {

class VerifyCommand final : public CommandWith<VerifyOptions> {
 public:
  void add_options(OptionList& words) override {
    add_image(words, options);
    OptionList group = words.group("where", "Target to compare with the image; one or both");
    group.add("--store", options.store, "Chunk store: check that it holds every chunk intact");
    group.add("--device", options.device, "Block device, or a regular file: check that it holds the image");
    group.require(1, 2);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_verify(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_verify() {
  return std::make_unique<VerifyCommand>();
}

}  // namespace patina
