// The options of `shingle mount`.
#include "command/commands.h"
#include "command/placement_option.h"
#include "smrfs/mount.h"

namespace patina {
namespace {

class ShingleMountCommand final : public CommandWith<SmrMountOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--data", options.data, "File or block device of the shingled disk").required();
    words.add("--damage-map", options.damage_map, "File with its damaged blocks; it is made with a new disk")
        .required();
    words.add("--metadata", options.metadata, "Folder for names and extents, on another disk").required();
    words.add("--mount", options.mount_folder, "Folder where the files are seen").required();
    add_policy(words, options.policy).show_default("best");
    words.add("--buffer", options.buffer_bytes, "Most data of open files that waits to be placed")
        .in_bytes()
        .show_default("2GiB");
    words.add("--size", options.size_bytes, "Size of a new disk").in_bytes().show_default("of the file");
    words.add("--did", options.did_blocks, "Of a new disk: blocks behind a write that it may damage")
        .range(uint64_t{0}, kMostDamagedBlocks)
        .show_default();
    words.add("--dnor", options.dnor_blocks, "Of a new disk: blocks behind a write that it never damages")
        .range(uint64_t{0}, kMostDamagedBlocks)
        .show_default();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_smr_mount(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_shingle_mount() {
  return std::make_unique<ShingleMountCommand>();
}

}  // namespace patina
