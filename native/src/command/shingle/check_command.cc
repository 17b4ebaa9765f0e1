// The options of `shingle check`.
#include "command/commands.h"
#include "command/shingle/options.h"
#include "smrfs/check.h"

namespace patina {
namespace {

class ShingleCheckCommand final : public CommandWith<SmrCheckOptions> {
 public:
  void add_options(OptionList& words) override { add_place(words, options.place); }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_smr_check(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_check() {
  return std::make_unique<ShingleCheckCommand>();
}

}  // namespace patina
