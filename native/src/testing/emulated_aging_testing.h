// A file system on an emulated disk, whose power a test can cut.
#pragma once

#include <memory>
#include <string>
#include <utility>

#include "testing/aging_testing.h"
#include "testing/emulator_testing.h"

namespace patina {

// With the options of a mount on an emulated disk (docs/emulated-disks.md, "Limits").
inline std::vector<MadeFileSystem> file_systems_of_emulated_disks() {
  std::vector<MadeFileSystem> kinds = made_file_systems();
  for (MadeFileSystem& kind : kinds) {
    if (std::string(kind.type) == "btrfs") kind.options = "nodatasum,discard=sync";
  }
  return kinds;
}

class EmulatedAgedDevice {
 public:
  explicit EmulatedAgedDevice(MadeFileSystem kind, std::vector<std::string> options = {})
      : kind_(std::move(kind)), options_(std::move(options)) {
    start();
    std::vector<std::string> command = kind_.mkfs;
    command.push_back(emulator_->path());
    require_program(command);
    mount();
  }
  ~EmulatedAgedDevice() { mount_.reset(); }
  EmulatedAgedDevice(const EmulatedAgedDevice&) = delete;
  EmulatedAgedDevice& operator=(const EmulatedAgedDevice&) = delete;

  std::string folder() const { return folder_ / "mount"; }
  std::string scratch(const std::string& name) const { return folder_ / name; }
  const std::string& device() const { return emulator_->path(); }
  Emulator& emulator() { return *emulator_; }

  void mount() { mount_ = std::make_unique<Mount>(emulator_->path(), folder(), kind_.type, kind_.options); }
  void unmount() { mount_.reset(); }

  void cut_power(const char* lost, uint64_t seed) const {
    const Emulator::Json answer =
        emulator_->make_fault({{"kind", "power_cut"}, {"lost", lost}, {"seed", seed}});
    EXPECT_EQ(answer["type"], "status") << answer;
  }
  // Starts the emulator again, also after it was killed.
  void restart() {
    unmount();
    start_again();
    mount();
  }
  void start_again() {
    emulator_.reset();
    start();
  }

 private:
  void start() {
    emulator_ = std::make_unique<Emulator>(folder_ / "disk", kAgedDeviceBytes, options_);
    emulator_->attach();
  }

  ScratchFolder folder_;
  MadeFileSystem kind_;
  std::vector<std::string> options_;
  std::unique_ptr<Emulator> emulator_;
  std::unique_ptr<Mount> mount_;
};

}  // namespace patina
