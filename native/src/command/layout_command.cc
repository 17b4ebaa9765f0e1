// The options of `layout`.
#include "base/workers.h"
#include "command/commands.h"
#include "layout/block_map.h"
#include "layout/layout.h"

namespace patina {
namespace {

class LayoutCommand final : public CommandWith<LayoutOptions> {
 public:
  void add_options(OptionList& words) override {
    OptionList place = words.group("place", "Source to measure; one of the two");
    place.add("--mount", options.mount, "Root of a mounted file system; it is synced first");
    place.add("--device", options.device,
              "Block device that is not mounted; it is mounted read-only for this command alone");
    place.require(1, 1);
    words.add("--threads", options.threads_count, "Threads of the walk; 0: as many as cores")
        .range(0, kMaxThreadsCount)
        .show_default();
    words.add("--map-cells", options.map_cells_count, "Cells of the block map, at most; 0: no map")
        .range(uint64_t{0}, uint64_t{kMaxMapCells})
        .show_default();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_layout(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_layout() {
  return std::make_unique<LayoutCommand>();
}

}  // namespace patina
