// The churn workload: creates and deletes small files.
#include <fmt/format.h>

#include <array>

#include "age/workload_kinds.h"
#include "base/random.h"

namespace patina {
namespace {

constexpr uint32_t kDirectoriesCount = 100;
constexpr uint32_t kCreatesOfFive = 4;

struct Size {
  uint64_t bytes;
  uint32_t weight;
};
// The study gives the range of the sizes and the most frequent ones; the weights are Patina's.
constexpr std::array<Size, 11> kSizes = {{{4ULL << 10U, 320},
                                          {8ULL << 10U, 320},
                                          {16ULL << 10U, 120},
                                          {32ULL << 10U, 80},
                                          {64ULL << 10U, 60},
                                          {128ULL << 10U, 40},
                                          {256ULL << 10U, 25},
                                          {512ULL << 10U, 15},
                                          {1ULL << 20U, 10},
                                          {2ULL << 20U, 6},
                                          {4ULL << 20U, 4}}};

uint32_t weights_sum() {
  uint32_t sum = 0;
  for (const Size& size : kSizes) sum += size.weight;
  return sum;
}

DirectoryTree flat_tree() {
  DirectoryTree tree;
  for (uint32_t i = 0; i < kDirectoriesCount; ++i) tree.add(0);
  return tree;
}

class Churn final : public Workload {
 public:
  explicit Churn(const WorkloadRequest& request) : Workload(request, flat_tree()), random_(request.seed) {}

  uint64_t horizon() const override { return request().ops_count; }

 protected:
  Result<bool> step(Operation& operation) override {
    if (tick() == request().ops_count) return false;
    if (filling_) filling_ = live_bytes() < target_bytes();
    if (creates()) {
      operation = create(1 + random_.below(kDirectoriesCount), drawn_bytes());
      files_.push_back(operation.file);
      return true;
    }
    const uint32_t at = random_.below(static_cast<uint32_t>(files_.size()));
    operation = remove(files_[at]);
    files_[at] = files_.back();
    files_.pop_back();
    return true;
  }
  const char* phase() const override { return filling_ ? "rapid" : "stable"; }
  std::string identity() const override { return fmt::format("churn, {} operations", request().ops_count); }
  bool reaches_fullness() const override { return !filling_; }

 private:
  // Returns whether to create. When steady it draws a fair coin, but stays within the fullness band: the
  // largest file or a 400th of the capacity.
  bool creates() {
    if (filling_) return random_.below(kCreatesOfFive + 1) < kCreatesOfFive || files_.empty();
    const uint64_t band = std::max(kSizes.back().bytes, request().capacity_bytes / 400);
    if (files_.empty() || live_bytes() + band < target_bytes()) return true;
    if (live_bytes() > target_bytes() + band) return false;
    return random_.coin();
  }

  uint64_t drawn_bytes() {
    uint32_t drawn = random_.below(weights_sum_);
    for (const Size& size : kSizes) {
      if (drawn < size.weight) return size.bytes;
      drawn -= size.weight;
    }
    return kSizes.back().bytes;
  }

  const uint32_t weights_sum_ = weights_sum();
  Random random_;
  std::vector<uint64_t> files_;
  bool filling_ = true;
};

}  // namespace

std::unique_ptr<Course> make_churn(const WorkloadRequest& request) {
  return std::make_unique<Churn>(request);
}

}  // namespace patina
