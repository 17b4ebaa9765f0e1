// The options of `scan`.
#include "base/workers.h"
#include "command/commands.h"
#include "scan/scan.h"

namespace patina {
namespace {

class ScanCommand final : public CommandWith<ScanOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("directory", options.directory, "The tree's root; other mounts in it are left out").required();
    words.add("--threads", options.threads, "0: as many as cores").range(0, kMaxThreadsCount);
    words
        .add("--progress-interval-ms", options.progress_interval_ms,
             "Milliseconds between reports of progress")
        .range(10, 3'600'000)
        .show_default();
    words.footer("--profile reads the `profile` of the last line. No name is reported.");
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_scan(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_scan() {
  return std::make_unique<ScanCommand>();
}

}  // namespace patina
