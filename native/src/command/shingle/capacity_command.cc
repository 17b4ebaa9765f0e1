// The options of `shingle capacity`.
#include "command/commands.h"
#include "command/shingle/options.h"
#include "shingle/capacity.h"

namespace patina {
namespace {

class ShingleCapacityCommand final : public CommandWith<CapacityOptions> {
 public:
  void add_options(OptionList& words) override {
    add_policy(words, options.policy).required();
    add_damage(words, options.did_blocks, options.dnor_blocks, /*requires_did=*/true);
    words.add("--usable", options.usable_bytes, "Size of all files together, at most")
        .in_bytes()
        .show_default("1GiB");
    words.add("--operations", options.operations_count, "Creates and deletes").positive().show_default();
    words.add("--seed", options.seed, "Seed of sizes and deletes").show_default();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_capacity(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_capacity() {
  return std::make_unique<ShingleCapacityCommand>();
}

}  // namespace patina
