// The options of `shingle cleaning`.
#include "command/commands.h"
#include "command/shingle/options.h"
#include "shingle/cleaning.h"

namespace patina {
namespace {

class ShingleCleaningCommand final : public CommandWith<CleaningOptions> {
 public:
  void add_options(OptionList& words) override {
    add_policy(words, options.policy);
    add_cleaning(words, options.cleaning);
    words.add("--size", options.size_bytes, "Size of the disk").in_bytes().show_default("1GiB");
    words.add("--band", options.band_bytes, "Strict append: size of a band").in_bytes().show_default("16MiB");
    add_damage(words, options.did_blocks, options.dnor_blocks);
    words.add("--fullness", options.fullness, "Most that all files have together, of the size")
        .range(0.01, 1.0)
        .show_default();
    words.add("--times", options.times, "How much is written at most, of the size")
        .range(0.0, 1000.0)
        .show_default();
    words.add("--seed", options.seed, "Seed of sizes and deletes").show_default();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_cleaning(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_cleaning() {
  return std::make_unique<ShingleCleaningCommand>();
}

}  // namespace patina
