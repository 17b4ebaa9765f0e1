// The options of `shingle format`.
#include "command/commands.h"
#include "command/shingle/options.h"

namespace patina {
namespace {

class ShingleFormatCommand final : public CommandWith<SmrFormatOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--device", options.device, "Block device; all that it has is lost").required();
    words.add("--uuid", options.uuid, "Identity of the file system").show_default("random");
    words.add("--partition", options.partition_bytes, "Size of the metadata partition")
        .in_bytes()
        .show_default("a 32nd of the device, at least 16MiB");
    add_new_disk(words, options.disk);
  }

  Status run(EventSink& sink, const Switches& /*switches*/) const override {
    return run_smr_format(options, sink);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_format() {
  return std::make_unique<ShingleFormatCommand>();
}

}  // namespace patina
