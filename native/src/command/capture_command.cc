// The options of `capture`.
#include "command/commands.h"
#include "command/image_options.h"
#include "image/image.h"

namespace patina {
namespace {

class CaptureCommand final : public CommandWith<CaptureOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--device", options.device, "Block device, or a regular file").required();
    words.add("--store", options.store, "Folder of the chunk store; made when missing").required();
    words.add("--index", options.index_file, "The .caibx to write").required();
    words.add_choice(
        "--mode", options.mode,
        "exact: every byte; allocated: what the file system uses, the rest reads as zero; metadata: "
        "the same, and the content of files reads as zero; of an emulated disk that drops data, what it "
        "keeps. "
        "Else the last two need an ext2, ext3, ext4, xfs, btrfs or SMRfs that was unmounted cleanly",
        {{"exact", CaptureMode::kExact},
         {"allocated", CaptureMode::kAllocated},
         {"metadata", CaptureMode::kMetadata}});
    words.add("--chunk-size", options.chunk_size_bytes, "Bytes of a chunk").in_bytes().show_default();
    add_threads(words, options.threads);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_capture(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_capture() {
  return std::make_unique<CaptureCommand>();
}

}  // namespace patina
