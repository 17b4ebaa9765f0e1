// The options of `trace`.
#include "command/commands.h"
#include "trace/trace.h"

namespace patina {
namespace {

class TraceCommand final : public CommandWith<TraceOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--device", options.device, "Block device, not yet in use").required();
    words.add("--out", options.trace_file, "The trace to write; not on that device").required();
    words.add("--generation", options.generation,
              "Expected generation of the device; with another one the trace is incomplete");
    words
        .add_choice("--source", options.source, "auto: the first that works",
                    {{"auto", "auto"}, {"blktrace", "blktrace"}, {"tracefs", "tracefs"}})
        .show_default("auto");
    words.add("--buffer-kb", options.buffer_kb, "Kernel buffer of each processor; 0: a default")
        .range(uint64_t{0}, uint64_t{1} << 18U)
        .show_default();
    words.footer("The line `stop` on standard input ends it, once the device is unmounted.");
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_trace(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_trace() {
  return std::make_unique<TraceCommand>();
}

}  // namespace patina
