// The fsfb workload: replaces files in rounds, in new directories.
#include <fmt/format.h>

#include <cmath>

#include "age/workload_kinds.h"
#include "base/random.h"

namespace patina {
namespace {

constexpr uint32_t kDirectoriesCount = 1000;
constexpr uint32_t kSmallestKiB = 1;
constexpr uint32_t kLargestKiB = 150;
constexpr double kReplacedFraction = 0.05;

DirectoryTree random_tree(uint64_t seed) {
  // A generator apart from that of the files: the tree depends on the seed alone.
  Random random(~seed);
  DirectoryTree tree;
  for (uint32_t i = 0; i < kDirectoriesCount; ++i) tree.add(random.below(tree.count()));
  return tree;
}

class Fsfb final : public Workload {
 public:
  explicit Fsfb(const WorkloadRequest& request)
      : Workload(request, random_tree(request.seed)), random_(request.seed) {}

  uint64_t horizon() const override {
    const double mean =
        (kSmallestKiB + kLargestKiB) * 512.0 + static_cast<double>(request().block_size_bytes) / 2;
    const double files = static_cast<double>(target_bytes()) / mean;
    const double replaced = 2 * kReplacedFraction * files + 1;
    return static_cast<uint64_t>(
        std::llround(files + replaced * static_cast<double>(request().rounds_count)));
  }
  std::optional<Rounds> rounds() const override {
    if (begun_rounds_count_ == 0 && live_bytes() < target_bytes()) return std::nullopt;
    const bool is_between = to_delete_ == 0 && to_create_ == 0;
    return Rounds{begun_rounds_count_ - (is_between ? 0 : 1), request().rounds_count, is_between};
  }

 protected:
  Result<bool> step(Operation& operation) override {
    if (filling_) filling_ = live_bytes() < target_bytes();
    if (filling_) {
      operation = make_file(1 + random_.below(tree().count() - 1), drawn_bytes());
      return true;
    }
    if (to_delete_ == 0 && to_create_ == 0) {
      if (begun_rounds_count_ == request().rounds_count) return false;
      ++begun_rounds_count_;
      to_delete_ =
          std::max<uint64_t>(1, static_cast<uint64_t>(kReplacedFraction * static_cast<double>(bytes_)));
      directory_ = 0;
    }
    if (to_delete_ > 0) {
      operation = delete_file();
      return true;
    }
    if (directory_ == 0) {
      operation = make_directory();
      return true;
    }
    // The last file takes the remaining bytes, so that the total never changes.
    const uint64_t bytes = std::min(to_create_, drawn_bytes());
    to_create_ -= bytes;
    operation = make_file(directory_, bytes);
    return true;
  }
  const char* phase() const override { return filling_ ? "rapid" : "stable"; }
  std::string identity() const override { return fmt::format("fsfb, {} rounds", request().rounds_count); }
  bool reaches_fullness() const override { return !filling_; }

 private:
  struct File {
    uint64_t ordinal;
    uint64_t bytes;
  };

  uint64_t drawn_bytes() {
    return kSmallestKiB * 1024 + random_.below((kLargestKiB - kSmallestKiB) * 1024 + 1);
  }

  Operation make_file(uint32_t directory, uint64_t bytes) {
    const Operation operation = create(directory, bytes);
    files_.push_back({operation.file, bytes});
    bytes_ += bytes;
    return operation;
  }

  Operation delete_file() {
    const uint32_t at = random_.below(static_cast<uint32_t>(files_.size()));
    const File file = files_[at];
    files_[at] = files_.back();
    files_.pop_back();
    bytes_ -= file.bytes;
    to_create_ += file.bytes;
    to_delete_ -= std::min(to_delete_, file.bytes);
    if (files_.empty()) to_delete_ = 0;
    return remove(file.ordinal);
  }

  Operation make_directory() {
    Operation operation;
    operation.kind = OperationKind::kMakeDirectory;
    operation.file = random_.below(tree().count());
    operation.directory = directory_ = tree().count();
    return operation;
  }

  Random random_;
  std::vector<File> files_;
  uint64_t bytes_ = 0;  // of the files, not rounded
  bool filling_ = true;
  uint64_t begun_rounds_count_ = 0;
  uint64_t to_delete_ = 0;
  uint64_t to_create_ = 0;
  uint32_t directory_ = 0;  // of this round; 0: not made yet
};

}  // namespace

std::unique_ptr<Course> make_fsfb(const WorkloadRequest& request) {
  return std::make_unique<Fsfb>(request);
}

}  // namespace patina
