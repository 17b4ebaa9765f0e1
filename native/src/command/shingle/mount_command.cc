// The options of `shingle mount`.
#include "base/stop_with_parent.h"
#include "command/commands.h"
#include "command/shingle/options.h"
#include "smrfs/mount.h"

namespace patina {
namespace {

class ShingleMountCommand final : public CommandWith<SmrMountOptions> {
 public:
  void add_options(OptionList& words) override {
    ShingledDiskOptions& disk = options.place.disk;
    add_place(words, options.place);
    words.add("--mount", options.mount_folder, "Folder where the files are seen").required();
    words.add("--buffer", options.buffer_bytes, "Most data of open files that waits to be placed")
        .in_bytes()
        .show_default("2GiB");
    add_policy(words, disk.policy).show_default("best");
    words
        .add_choice("--reuse", disk.reuse,
                    "Caveat-Scriptor: when another file may have the blocks of a deleted one: at-once, with "
                    "a commit before a write to them; after-commit",
                    {{"at-once", Reuse::kAtOnce}, {"after-commit", Reuse::kAfterCommit}})
        .show_default("at-once");
    add_cleaning(words, disk.cleaning).show_default("greedy");
    words.add("--clean-below", disk.clean_below, "Strict append: clean while fewer bands than this are empty")
        .show_default();

    words.add("--options", options.kernel_options, "Options of the kernel, as of mount(8): noatime,nosuid");
    words.add_flag("--with-parent", with_parent_, "Unmount when the program that started this ends");

    OptionList made = words.group("A new disk", "Where there is no --state yet");
    add_size(made, disk.made);
    add_new_disk(made, disk.made);
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    if (with_parent_) stop_with_parent();
    return run_smr_mount(options, sink, switches.stop);
  }

 private:
  bool with_parent_ = false;
};

}  // namespace

std::unique_ptr<Command> make_shingle_mount() {
  return std::make_unique<ShingleMountCommand>();
}

}  // namespace patina
