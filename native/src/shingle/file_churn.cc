// Draws sizes and victims.
#include "shingle/file_churn.h"

#include <array>

namespace patina {
namespace {

constexpr uint32_t kCreatesOfFive = 4;
// Files that were created one after the other are deleted together, as those of a directory are. Two of five
// such runs begin anywhere, the others at the oldest file.
constexpr uint32_t kVictimsOfRun = 20;
constexpr uint32_t kAnywhereOfFive = 2;

struct Size {
  uint64_t blocks_count;
  uint32_t weight;
};
constexpr std::array<Size, 3> kSizes = {{{1, 97}, {2, 900}, {1024, 3}}};
constexpr uint32_t kWeightsSum = 1000;

}  // namespace

uint64_t FileChurn::drawn_blocks() {
  uint32_t drawn = random_.below(kWeightsSum);
  for (const Size& size : kSizes) {
    if (drawn < size.weight) return size.blocks_count;
    drawn -= size.weight;
  }
  return kSizes.back().blocks_count;
}

ChurnOperation FileChurn::next() {
  const bool creates = is_filling_ ? random_.below(kCreatesOfFive + 1) < kCreatesOfFive : random_.coin();
  const uint64_t blocks_count = drawn_blocks();
  const bool fits = live_blocks_ + blocks_count <= usable_blocks_;
  if (live_count_ == 0 || (creates && fits)) return create(blocks_count);
  if (creates) is_filling_ = false;
  return remove();
}

ChurnOperation FileChurn::create(uint64_t blocks_count) {
  blocks_counts_.push_back(blocks_count);
  ++live_count_;
  live_blocks_ += blocks_count;
  return {blocks_counts_.size() - 1, blocks_count};
}

uint64_t FileChurn::first_live_from(uint64_t file) const {
  while (file < blocks_counts_.size() && blocks_counts_[file] == 0) ++file;
  return file;
}

ChurnOperation FileChurn::remove() {
  if (victims_left_ == 0) {
    victims_left_ = kVictimsOfRun;
    const auto span = static_cast<uint32_t>(blocks_counts_.size() - oldest_);
    next_victim_ = oldest_ + (random_.below(5) < kAnywhereOfFive ? random_.below(span) : 0);
  }
  uint64_t file = first_live_from(next_victim_);
  if (file == blocks_counts_.size()) file = oldest_;
  --victims_left_;
  next_victim_ = file + 1;
  live_blocks_ -= blocks_counts_[file];
  --live_count_;
  blocks_counts_[file] = 0;
  oldest_ = first_live_from(oldest_);
  return {file, 0};
}

}  // namespace patina
