// The options of `delta`.
#include "trace/delta_command.h"
#include "command/commands.h"

namespace patina {
namespace {

class DeltaCommand final : public CommandWith<DeltaOptions> {
 public:
  void add_options(OptionList& words) override {
    words
        .add("--trace", options.trace_files,
             "Output of `trace`; or files of blktrace, of all processors; or output of blkparse")
        .required();
    words.add("--device-size", options.device_bytes, "Bytes of the device that was traced")
        .required()
        .range(uint64_t{1}, uint64_t{INT64_MAX})
        .in_bytes();
    words
        .add("--partition-start", options.partition_start_sectors,
             "For a foreign trace: start of the device on its disk, in sectors of 512 bytes")
        .show_default();
    words.add("--out", options.delta_file, "The delta to write").required();
    words.add_flag("--assume-complete", options.assume_complete,
                   "For a foreign trace: you vouch that it lacks no event, up to its end");
  }

  Status run(EventSink& sink, const Switches& /*switches*/) const override {
    return run_delta(options, sink);
  }
};

}  // namespace

std::unique_ptr<Command> make_delta() {
  return std::make_unique<DeltaCommand>();
}

}  // namespace patina
