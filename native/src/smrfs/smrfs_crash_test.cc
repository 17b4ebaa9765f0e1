// SMRfs after kills and power cuts at random moments: what was synced is there, and each file is as it was at
// some later moment.
#include <fcntl.h>
#include <fmt/core.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/descriptor.h"
#include "base/random.h"
#include "testing/emulator_testing.h"
#include "testing/property_testing.h"
#include "testing/smrfs_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDataBlocks = 1500;
constexpr uint64_t kDataBytes = kDataBlocks * 4096;

// A file's content, or nothing if there is no file.
using Content = std::optional<std::string>;

// Changes files from a thread of its own, and records what a crash may leave of each.
class Writer {
 public:
  Writer(std::string root, uint64_t seed) : root_(std::move(root)), random_(seed) {}

  // Carries operations out until one fails.
  void run() {
    while (step()) ++steps_count_;
  }
  uint64_t steps_count() const { return steps_count_; }
  // What each name may have: the first is what was durable last.
  const std::map<std::string, std::vector<Content>>& possible() const { return possible_; }

 private:
  std::vector<Content>& states(const std::string& name) {
    std::vector<Content>& all = possible_[name];
    if (all.empty()) all.emplace_back();
    return all;
  }
  Content current(const std::string& name) { return states(name).back(); }
  std::string drawn_name() { return fmt::format("f{}", random_.below(12)); }
  std::string drawn_bytes() {
    const size_t size = 1 + random_.below(random_.below(6) == 0 ? 200'000 : 12'000);
    std::string bytes(size, static_cast<char>('a' + random_.below(26)));
    for (size_t i = 0; i < size; i += 64) bytes[i] = static_cast<char>('a' + random_.below(26));
    return bytes;
  }

  bool step() {
    const std::string name = drawn_name();
    switch (random_.below(8)) {
      case 0:
      case 1:
        return replace(name, O_TRUNC, drawn_bytes());
      case 2:
        return change(name);
      case 3:
        return remove(name);
      case 4:
        return rename(name, drawn_name());
      case 5:
        return sync(name);
      default:
        return replace_by_rename(name);
    }
  }

  // Writes and closes; the file is one with all of `content` or as before.
  bool replace(const std::string& name, int flags, const std::string& content) {
    if (!current(name)) states(name).emplace_back("");
    if (flags != 0) states(name).emplace_back("");
    states(name).emplace_back(content);
    const Descriptor file(::open(path(name).c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0644));
    const bool is_written = file.valid() && ::write(file.get(), content.data(), content.size()) ==
                                                static_cast<ssize_t>(content.size());
    return is_written && close_now(file);
  }
  // A part in the middle, or behind the end.
  bool change(const std::string& name) {
    const Content before = current(name);
    if (!before) return true;
    std::string content = *before;
    const std::string part = drawn_bytes();
    const size_t at = random_.below(static_cast<uint32_t>(content.size() + 5000));
    if (at + part.size() > content.size()) content.resize(at + part.size(), '\0');
    content.replace(at, part.size(), part);
    states(name).emplace_back(content);
    const Descriptor file(::open(path(name).c_str(), O_WRONLY | O_CLOEXEC));
    const bool is_written =
        file.valid() && ::pwrite(file.get(), part.data(), part.size(), static_cast<off_t>(at)) ==
                            static_cast<ssize_t>(part.size());
    return is_written && close_now(file);
  }
  bool remove(const std::string& name) {
    if (!current(name)) return true;
    states(name).emplace_back();
    return ::unlink(path(name).c_str()) == 0;
  }
  bool rename(const std::string& from, const std::string& to) {
    if (from == to || !current(from)) return true;
    // Only where it takes the place of another file, its data comes first.
    if (!current(to)) {
      for (const Content& each : states(from)) states(to).push_back(each);
    }
    states(to).push_back(current(from));
    states(from).emplace_back();
    return ::rename(path(from).c_str(), path(to).c_str()) == 0;
  }
  bool replace_by_rename(const std::string& name) {
    return replace("new", O_TRUNC, drawn_bytes()) && rename("new", name);
  }
  // All that was closed is durable with it.
  bool sync(const std::string& name) {
    if (!current(name)) return true;
    const Descriptor file(::open(path(name).c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid() || ::fsync(file.get()) != 0) return false;
    for (auto& [each, all] : possible_) all.erase(all.begin(), all.end() - 1);
    return true;
  }

  static bool close_now(const Descriptor& file) {
    return ::close(::dup(file.get())) == 0;  // a close writes, also of a copy
  }
  std::string path(const std::string& name) const { return root_ + "/" + name; }

  const std::string root_;
  Random random_;
  std::atomic<uint64_t> steps_count_ = 0;
  std::map<std::string, std::vector<Content>> possible_;
};

void expect_possible(const Writer& writer, const std::string& root) {
  for (const auto& [name, all] : writer.possible()) {
    const std::string path = fmt::format("{}/{}", root, name);
    Content found;
    if (std::filesystem::exists(path)) {
      const Descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
      std::string bytes(std::filesystem::file_size(path), '\0');
      ASSERT_EQ(::read(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size())) << name;
      found = std::move(bytes);
    }
    EXPECT_TRUE(std::ranges::find(all, found) != all.end())
        << name << ": " << (found ? fmt::format("{} bytes", found->size()) : "none") << ", of " << all.size();
  }
}

// One crash: `crash` ends the file system, `again` starts it.
void crash_once(const std::string& root, uint64_t seed, uint64_t steps_count,
                const std::function<void()>& crash, const std::function<void()>& again) {
  Writer writer(root, seed);
  std::thread thread([&writer] { writer.run(); });
  wait_until("the writer has come far enough", [&] { return writer.steps_count() >= steps_count; });
  crash();
  thread.join();
  again();
  expect_possible(writer, root);
}

std::vector<std::string> options_of(uint32_t i) {
  const std::vector<std::vector<std::string>> disks = {
      {"--did", "16", "--dnor", "6", "--policy", "best"},
      {"--did", "4", "--interface", "strict-append", "--band", "512KiB"},
      {"--did", "16", "--dnor", "6", "--policy", "best-split", "--reuse", "after-commit"},
      {"--did", "4", "--interface", "strict-append", "--band", "1MiB", "--clean", "oldest"},
      {"--did", "16", "--dnor", "6", "--policy", "best-aware"}};
  std::vector<std::string> options = disks[i % disks.size()];
  options.insert(options.end(), {"--buffer", i % 3 == 0 ? "64KiB" : "1GiB"});
  return options;
}

TEST(SmrFsCrash, AKillAtAnyMomentLosesNothingThatWasSynced) {
  PATINA_REQUIRE_ROOT();
  for (uint32_t i = 0; i < crash_cases(12); ++i) {
    SCOPED_TRACE(i);
    Random random(i);
    const ScratchFolder folder;
    make_data_file(folder.path(), kDataBytes);
    SmrFs files(folder.path(), options_of(i));
    crash_once(
        files.path(), i, 20 + random.below(300), [&files] { files.kill(); }, [&files] { files.start(); });
    if (testing::Test::HasFailure()) return;
  }
}

// Names, extents, the map of damage and the data are on one emulated disk, so that one power cut is of all.
class PowerCutHost {
 public:
  PowerCutHost() {
    emulator_ = std::make_unique<Emulator>(folder_ / "disk", uint64_t{64} << 20U, kOptions);
    require_program({"mkfs.ext4", "-q", "-b", "4096", emulator_->attach()});
    mount();
  }
  const std::string& folder() const { return mount_->folder(); }
  void cut_power(const char* lost, uint64_t seed) const {
    const auto answer = emulator_->make_fault({{"kind", "power_cut"}, {"lost", lost}, {"seed", seed}});
    EXPECT_EQ(answer["type"], "status") << answer;
  }
  void unmount() { mount_.reset(); }
  void restart() {
    emulator_.reset();
    emulator_ = std::make_unique<Emulator>(folder_ / "disk", uint64_t{64} << 20U, kOptions);
    emulator_->attach();
    mount();
  }

 private:
  void mount() { mount_ = std::make_unique<Mount>(emulator_->path(), folder_ / "mount", "ext4"); }

  static inline const std::vector<std::string> kOptions = {"--keep-all"};
  const ScratchFolder folder_;
  std::unique_ptr<Emulator> emulator_;
  std::unique_ptr<Mount> mount_;
};

TEST(SmrFsCrash, APowerCutAtAnyMomentLosesNothingThatWasSynced) {
  PATINA_REQUIRE_ROOT();
  for (uint32_t i = 0; i < crash_cases(6); ++i) {
    SCOPED_TRACE(i);
    Random random(i + 1000);
    PowerCutHost host;
    make_data_file(host.folder(), kDataBytes);
    SmrFs files(host.folder(), options_of(i));
    crash_once(
        files.path(), i, 5 + random.below(200),
        [&] {
          host.cut_power(i % 2 == 0 ? "random" : "all", i);
          files.kill();
          host.unmount();
        },
        [&] {
          host.restart();
          files.start();
        });
    if (testing::Test::HasFailure()) return;
  }
}

}  // namespace
}  // namespace patina
