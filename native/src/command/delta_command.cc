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
             "What trace wrote; or files of blktrace, of all processors; or what blkparse printed")
        .required();
    words.add("--device-size", options.device_bytes, "Bytes of the device that was traced")
        .required()
        .range(uint64_t{1}, uint64_t{INT64_MAX})
        .in_bytes();
    words
        .add("--partition-start", options.partition_start_sectors,
             "Of a foreign trace: where on its disk the device begins, in sectors of 512 bytes")
        .show_default();
    words.add("--out", options.delta_file, "The delta to write").required();
    words.add_flag("--assume-complete", options.assume_complete,
                   "Of a foreign trace: you saw that nothing was dropped, up to its end");
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
