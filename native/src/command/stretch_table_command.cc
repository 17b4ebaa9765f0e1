// The options of `stretch-table`. Nothing is opened: the table is computed from sizes.
#include <fmt/format.h>

#include "command/commands.h"
#include "disk_model/disk_spec.h"
#include "disk_model/stretch.h"

namespace patina {
namespace {

struct StretchTableOptions {
  uint64_t size_bytes = 0;
  uint64_t large_bytes = 0;
  uint64_t pieces_count = 0;
  std::string device;
};

class StretchTableCommand final : public CommandWith<StretchTableOptions> {
 public:
  void add_options(OptionList& words) override {
    words.add("--size", options.size_bytes, "Size of the stretched device: that of the image")
        .required()
        .in_bytes();
    words.add("--over", options.large_bytes, "Size of the larger disk").required().in_bytes();
    words.add("--pieces", options.pieces_count, "Number of pieces")
        .required()
        .range(uint64_t{1}, Stretch::kMostPieces);
    words.add("--device", options.device, "Path of the larger disk").required();
    words.footer("Prints a line for each piece, as dmsetup reads them, and no JSON.");
  }

  Status settle(const OptionList& /*words*/) override {
    if (options.size_bytes == 0 || options.size_bytes % kSectorBytes != 0) {
      return Error{ErrorCode::kUsage, "--size must be a multiple of 512 bytes, and more than 0"};
    }
    if (options.device.find_first_of(" \t\n\\") != std::string::npos) {
      return Error{ErrorCode::kUsage, "--device has a space or a backslash, which a table cannot have"};
    }
    return ok_status();
  }

  Status run(EventSink& /*sink*/, const Switches& /*switches*/) const override {
    const Result<Stretch> stretch =
        Stretch::over(options.size_bytes, options.large_bytes, options.pieces_count);
    if (!stretch) return stretch.error();
    fmt::print("{}", device_mapper_table(*stretch, options.device));
    return ok_status();
  }
};

}  // namespace

std::unique_ptr<Command> make_stretch_table() {
  return std::make_unique<StretchTableCommand>();
}

}  // namespace patina
