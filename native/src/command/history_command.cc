// The options of `history`.
#include "command/commands.h"
#include "history/history.h"

namespace patina {
namespace {

class HistoryCommand final : public CommandWith<HistoryOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--out", options.out, "The stream for git fast-import").required();
    words.add("--seed", options.seed, "Seed of the tree and its changes").show_default();
    words.add("--commits", options.commits_count, "Commits after the first")
        .range(uint64_t{0}, uint64_t{1'000'000})
        .show_default();
    words.add("--files", options.files_count, "Files of the first commit, of about 12 KB each")
        .range(uint64_t{1}, uint64_t{50'000})
        .show_default();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_history(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_history() {
  return std::make_unique<HistoryCommand>();
}

}  // namespace patina
