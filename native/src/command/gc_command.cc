// The options of `gc`.
#include "command/commands.h"
#include "image/image.h"

namespace patina {
namespace {

class GcCommand final : public CommandWith<CollectOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--store", options.store, "Folder of the chunk store").required();
    words.add("--keep", options.keep_file, "A list of .caibx files, one a line, whose chunks are kept")
        .required();
    words.add("--grace-seconds", options.grace_seconds, "Also keep chunks added or reused within this time")
        .show_default();
    words.add_flag("--dry-run", options.dry_run, "Only count");
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_collect(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_gc() {
  return std::make_unique<GcCommand>();
}

}  // namespace patina
