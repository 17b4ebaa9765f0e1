// The options of `shingle clean`.
#include "smrfs/clean.h"

#include "command/commands.h"

namespace patina {
namespace {

class ShingleCleanCommand final : public CommandWith<SmrCleanOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--mount", options.mount_folder, "Folder where the SMRfs is mounted").required();
    words.add("--bands", options.most_bands, "Clean so many bands at most; 0: until none gives anything back")
        .show_default();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_smr_clean(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_clean() {
  return std::make_unique<ShingleCleanCommand>();
}

}  // namespace patina
