// The options of `shingle expose`.
#include "command/commands.h"
#include "command/shingle/options.h"
#include "shingle_server/expose.h"

namespace patina {
namespace {

class ShingleExposeCommand final : public CommandWith<ExposeOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--data", options.data, "File or block device of the shingled disk").required();
    words.add("--state", options.state, "File with its damaged sectors; a disk is made without it")
        .required();
    words.add("--path", options.path, "File as which the disk is seen; made if it does not exist").required();

    OptionList made = words.group("A new disk", "");
    add_size(made, options.disk);
    add_damage(made, options.disk.did_blocks, options.disk.dnor_blocks);
    add_unshingled(made, options.disk);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_expose(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_expose() {
  return std::make_unique<ShingleExposeCommand>();
}

}  // namespace patina
