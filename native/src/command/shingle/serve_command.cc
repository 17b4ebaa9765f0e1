// The options of `shingle serve`.
#include "command/commands.h"
#include "command/shingle/options.h"
#include "shingle_server/serve.h"

namespace patina {
namespace {

class ShingleServeCommand final : public CommandWith<ServeOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--data", options.data, "File or block device of the shingled disk").required();
    words
        .add("--state", options.state,
             "File with its damaged sectors or cursors; if there is none, a client makes the disk")
        .required();
    words.add("--socket", options.socket, "Where clients connect").required();

    OptionList made = words.group("A new disk", "");
    add_size(made, options.disk);
    add_new_disk(made, options.disk);
    add_unshingled(made, options.disk);
    words.footer(
        "docs/shingled-disk-protocol.md has the requests. What `create` leaves out is that of these "
        "options.");
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_serve(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_serve() {
  return std::make_unique<ShingleServeCommand>();
}

}  // namespace patina
