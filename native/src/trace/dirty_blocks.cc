// A bitmap in pages: made when one of their blocks is touched, dropped when all are.
#include "trace/dirty_blocks.h"

#include <algorithm>
#include <bit>

#include "image/delta.h"

namespace patina {
namespace {

constexpr uint64_t kMaxBlocks = uint64_t{1} << 28U;
constexpr uint64_t kWordBits = 64;
constexpr uint64_t kAllBits = UINT64_MAX;

uint64_t divide_up(uint64_t value, uint64_t by) {
  return value / by + (value % by == 0 ? 0 : 1);
}

// Returns a mask of the bits [begin, end), end up to 64.
uint64_t mask_of(uint64_t begin, uint64_t end) {
  const uint64_t below_end = end == kWordBits ? kAllBits : (uint64_t{1} << end) - 1;
  return below_end & (kAllBits << begin);
}

// Calls `visit` for every run of ones.
template <typename Visit>
void for_each_run_of_bits(uint64_t bits, const Visit& visit) {
  uint64_t at = 0;
  while (bits != 0) {
    const auto zeroes = static_cast<uint64_t>(std::countr_zero(bits));
    bits >>= zeroes;
    at += zeroes;
    const auto ones = static_cast<uint64_t>(std::countr_one(bits));
    visit(at, at + ones);
    bits = ones == kWordBits ? 0 : bits >> ones;
    at += ones;
  }
}

}  // namespace

// Joins adjacent runs of blocks, which arrive in ascending order.
class DirtyBlocks::Runs {
 public:
  Runs(const DirtyBlocks& blocks, const Visit& visit) : blocks_(blocks), visit_(visit) {}
  ~Runs() { flush(); }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  void add(uint64_t begin, uint64_t end) {
    if (begin == end_ && begin_ < end_) {
      end_ = end;
      return;
    }
    flush();
    begin_ = begin;
    end_ = end;
  }

 private:
  void flush() const {
    if (begin_ < end_ && visit_) visit_(blocks_.bytes_of(begin_, end_));
  }

  const DirtyBlocks& blocks_;
  const Visit& visit_;
  uint64_t begin_ = 0;
  uint64_t end_ = 0;
};

DirtyBlocks::DirtyBlocks(uint64_t device_bytes)
    : device_bytes_(device_bytes), block_bytes_(kDeltaBlockBytes) {
  while (divide_up(device_bytes, block_bytes_) > kMaxBlocks) block_bytes_ *= 2;
  blocks_count_ = divide_up(device_bytes, block_bytes_);
  pages_.resize(divide_up(blocks_count_, kBlocksPerPage));
}

ByteRange DirtyBlocks::bytes_of(uint64_t begin_block, uint64_t end_block) const {
  return {begin_block * block_bytes_, end_block == blocks_count_ ? device_bytes_ : end_block * block_bytes_};
}

void DirtyBlocks::add(ByteRange range, const Visit& fresh) {
  const uint64_t end_bytes = std::min(range.end_bytes, device_bytes_);
  if (range.begin_bytes >= end_bytes) return;
  const uint64_t begin = range.begin_bytes / block_bytes_;
  const uint64_t end = divide_up(end_bytes, block_bytes_);
  if (end == blocks_count_) last_block_touched_ = true;
  Runs runs(*this, fresh);
  for (uint64_t at = begin; at < end;) {
    const uint64_t page = at / kBlocksPerPage;
    const uint64_t page_end = std::min(end, (page + 1) * kBlocksPerPage);
    add_to_page(page, at, page_end, runs);
    at = page_end;
  }
}

void DirtyBlocks::add_to_page(uint64_t page_index, uint64_t begin, uint64_t end, Runs& fresh) {
  Page& page = pages_[page_index];
  if (page.full) return;
  if (!page.words) page.words = std::make_unique<Words>();
  const uint64_t page_begin = page_index * kBlocksPerPage;
  for (uint64_t at = begin; at < end;) {
    const uint64_t word_begin = at / kWordBits * kWordBits;
    const uint64_t word_end = std::min(end, word_begin + kWordBits);
    uint64_t& word = (*page.words)[(word_begin - page_begin) / kWordBits];
    const uint64_t added = mask_of(at - word_begin, word_end - word_begin) & ~word;
    word |= added;
    const auto added_count = static_cast<uint32_t>(std::popcount(added));
    page.blocks_count += added_count;
    touched_blocks_count_ += added_count;
    for_each_run_of_bits(
        added, [&](uint64_t first, uint64_t last) { fresh.add(word_begin + first, word_begin + last); });
    at = word_end;
  }
  if (page.blocks_count == kBlocksPerPage) {
    page.full = true;
    page.words.reset();
  }
}

uint64_t DirtyBlocks::touched_bytes() const {
  const uint64_t beyond_end = blocks_count_ * block_bytes_ - device_bytes_;
  return touched_blocks_count_ * block_bytes_ - (last_block_touched_ ? beyond_end : 0);
}

void DirtyBlocks::for_each_run(const Visit& visit) const {
  Runs runs(*this, visit);
  for (uint64_t i = 0; i < pages_.size(); ++i) {
    const uint64_t page_begin = i * kBlocksPerPage;
    if (pages_[i].full) runs.add(page_begin, page_begin + kBlocksPerPage);
    if (!pages_[i].words) continue;
    for (uint64_t word = 0; word < kWordsPerPage; ++word) {
      const uint64_t word_begin = page_begin + word * kWordBits;
      for_each_run_of_bits((*pages_[i].words)[word], [&](uint64_t first, uint64_t last) {
        runs.add(word_begin + first, word_begin + last);
      });
    }
  }
}

std::vector<ByteRange> DirtyBlocks::extents(uint64_t max_count) const {
  uint64_t count = 0;
  uint64_t previous_end = 0;
  std::array<uint64_t, kWordBits + 1> gaps_by_width{};
  for_each_run([&](ByteRange run) {
    if (count++ > 0) ++gaps_by_width[static_cast<size_t>(std::bit_width(run.begin_bytes - previous_end))];
    previous_end = run.end_bytes;
  });
  // Gaps narrower than this count as touched.
  size_t width = 0;
  while (count > max_count && width < kWordBits) count -= gaps_by_width[++width];
  std::vector<ByteRange> extents;
  extents.reserve(count);
  for_each_run([&](ByteRange run) {
    const bool near =
        !extents.empty() &&
        static_cast<size_t>(std::bit_width(run.begin_bytes - extents.back().end_bytes)) <= width;
    if (near) {
      extents.back().end_bytes = run.end_bytes;
    } else {
      extents.push_back(run);
    }
  });
  return extents;
}

}  // namespace patina
