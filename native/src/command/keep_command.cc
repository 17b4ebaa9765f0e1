// The options of `keep`.
#include "command/commands.h"
#include "emulate/keep.h"

namespace patina {
namespace {

class KeepCommand final : public CommandWith<KeepOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--backing", options.folder, "Folder of the emulated disk, which was started with --hold")
        .required();
    words.add("--mount", options.mount, "Root of the mounted file system on it").required();
    words
        .add("--path", options.paths,
             "Files whose data stays as written, from the root of the file system: database/**, etc/*.conf. "
             "All of them: other data is dropped")
        .required();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_keep(options, sink, switches.stop);
  }
};

}  // namespace

std::unique_ptr<Command> make_keep() {
  return std::make_unique<KeepCommand>();
}

}  // namespace patina
