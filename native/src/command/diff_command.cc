// The options of `diff`.
#include "command/commands.h"
#include "image/image.h"

namespace patina {
namespace {

class DiffCommand final : public CommandWith<DiffOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("index", options.index_file, "The .caibx of an image").required();
    words.add("other", options.other_index_file, "The .caibx of another").required();
    words.add("--store", options.store, "Chunk store of both, for the stored sizes");
    words.add("--cells", options.cells_count, "Cells of a map of the changed bytes; 0: no map")
        .range(uint64_t{0}, kMaxDiffCells);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_diff(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_diff() {
  return std::make_unique<DiffCommand>();
}

}  // namespace patina
