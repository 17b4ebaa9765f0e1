// The options of `emulate`.
#include "command/commands.h"
#include "emulate/emulate.h"

namespace patina {
namespace {

class EmulateCommand final : public CommandWith<EmulatedDiskOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--backing", options.folder, "Folder of the disk; made if it does not exist").required();
    words.add("--size", options.size_bytes, "Size of the disk").required().in_bytes();
    words.add("--available", options.available_bytes, "Most bytes stored in the folder; 0: no limit")
        .in_bytes();
    words.add("--model", options.model, "Modelled disk: a built-in name, or a JSON file; default: no model");
    words
        .add_choice("--data", options.content.kind, "Content of dropped data",
                    {{"zeroes", ContentKind::kZeroes},
                     {"random", ContentKind::kRandom},
                     {"text", ContentKind::kText}})
        .show_default("zeroes");
    words.add("--seed", options.content.seed, "Seed of the content and of the model").show_default();
    words.add("--compressible", options.content.compressible_fraction, "Compressible fraction of the content")
        .range(0.0, 1.0)
        .show_default();
    words.add_flag("--keep-all", keeps_all_, "Keep file data too");
    words.add_flag("--keep-nothing", keeps_nothing_,
                   "Drop everything: for a raw device without a file system");
    words
        .add("--hold", options.hold_bytes,
             "Most data held, until `keep` decides which of it stays as written; default: data is dropped at "
             "once")
        .in_bytes();
    words
        .add_choice("--time", options.time,
                    "accurate: each request takes its modelled time; fast: it ends at once",
                    {{"accurate", TimeKind::kAccurate}, {"fast", TimeKind::kFast}})
        .show_default("fast");
    words
        .add_choice("--raid", options.raid_level, "Level of a RAID of equal disks, each the modelled one",
                    {{"0", 0}, {"1", 1}, {"5", 5}})
        .show_default("no RAID");
    words.add("--disks", options.raid_disks_count, "Number of its disks").range(2, 64);
    words
        .add("--stretch-pieces", options.stretch_pieces_count,
             "Lay the disk over the modelled one in so many pieces, so that seeks are as long as there")
        .range(uint64_t{1}, Stretch::kMostPieces)
        .show_default("the first part of it");
    words.add("--stretch", options.stretch_bytes, "Over so much of the modelled disk")
        .in_bytes()
        .show_default("all of it");
    words.footer(
        "The socket `control` in the folder answers {\"type\":\"status\"} and {\"type\":\"fault\",...}.");
  }

  Status settle(const OptionList& words) override {
    if (keeps_all_ && keeps_nothing_) {
      return Error{ErrorCode::kUsage, "--keep-all and --keep-nothing exclude each other"};
    }
    if (options.hold_bytes > 0 && (keeps_all_ || keeps_nothing_)) {
      return Error{ErrorCode::kUsage, "--hold excludes --keep-all and --keep-nothing"};
    }
    if (options.available_bytes > 0 && options.hold_bytes > options.available_bytes) {
      return Error{ErrorCode::kUsage, "--hold must be at most --available"};
    }
    if (options.size_bytes == 0 || options.size_bytes % kPieceBytes != 0 || options.size_bytes > kMostBytes) {
      return Error{ErrorCode::kUsage, "--size must be a multiple of 4096 bytes, and at most 1 PiB"};
    }
    if (Status status = settle_modelled(words); !status) return status;
    options.keep = keeps_all_ ? KeepKind::kAll : keeps_nothing_ ? KeepKind::kNothing : KeepKind::kMetadata;
    return ok_status();
  }

  Status run(EventSink& sink, const Switches& switches) const override {
    return run_emulate(options, sink, switches.stop);
  }

 private:
  // What only a modelled disk has.
  Status settle_modelled(const OptionList& words) const {
    const bool has_model = !options.model.empty();
    if (!has_model && words.given("--time") && options.time == TimeKind::kAccurate) {
      return Error{ErrorCode::kUsage, "--time accurate needs --model"};
    }
    if (words.given("--raid") != words.given("--disks") || (words.given("--raid") && !has_model)) {
      return Error{ErrorCode::kUsage, "--raid needs --disks and --model, and --disks needs --raid"};
    }
    if (words.given("--stretch-pieces") && !has_model) {
      return Error{ErrorCode::kUsage, "--stretch-pieces needs --model"};
    }
    if (words.given("--stretch") &&
        (!words.given("--stretch-pieces") || options.stretch_bytes < options.size_bytes)) {
      return Error{ErrorCode::kUsage, "--stretch needs --stretch-pieces, and a size of at least --size"};
    }
    return ok_status();
  }

  static constexpr uint64_t kMostBytes = uint64_t{1} << 50U;
  bool keeps_all_ = false;
  bool keeps_nothing_ = false;
};

}  // namespace

std::unique_ptr<Command> make_emulate() {
  return std::make_unique<EmulateCommand>();
}

}  // namespace patina
