// Sizes by bin and ordinal.
#include "model/file_sizes.h"

#include <algorithm>
#include <cmath>

namespace patina {
namespace {

// SplitMix64's finaliser.
uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

// Halves (first, last) geometrically until every step has its edges.
void fill_between(std::vector<double>& edges, size_t first, size_t last) {
  if (last - first < 2) return;
  const size_t middle = first + (last - first) / 2;
  edges[middle] = std::sqrt(edges[first] * edges[last]);
  fill_between(edges, first, middle);
  fill_between(edges, middle, last);
}

// Sum of x rounded up to blocks, over x from 1 to n, in blocks.
double rounded_sum(uint64_t n, uint64_t block) {
  const uint64_t blocks_count = n / block;
  const auto whole = static_cast<double>(blocks_count);
  const auto rest = static_cast<double>(n % block);
  return static_cast<double>(block) * whole * (whole + 1) / 2 + rest * (whole + 1);
}

}  // namespace

const char* size_draw_name(SizeDraw draw) {
  return draw == SizeDraw::kExact ? "exact" : "log_uniform";
}

uint64_t round_up(uint64_t bytes, uint64_t block_size_bytes) {
  return (bytes + block_size_bytes - 1) / block_size_bytes * block_size_bytes;
}

FileSizes::FileSizes(const std::vector<SizeBin>& bins, SizeDraw draw, uint64_t seed)
    : draw_(draw), seed_(mixed(seed + 0x9e3779b97f4a7c15ULL)) {
  for (const SizeBin& bin : bins) {
    if (draw == SizeDraw::kExact) {
      edges_.push_back(bin.bytes);
      continue;
    }
    if (bin.bytes == 0) {
      edges_.insert(edges_.end(), kSteps + 1, 0);
      continue;
    }
    std::vector<double> steps(kSteps + 1);
    // Zero has no logarithm.
    steps.front() = std::max(1.0, static_cast<double>(bin.above_bytes));
    steps.back() = static_cast<double>(bin.bytes);
    fill_between(steps, 0, kSteps);
    for (const double edge : steps) edges_.push_back(static_cast<uint64_t>(std::ceil(edge)));
    edges_[edges_.size() - kSteps - 1] = bin.above_bytes;
    edges_.back() = bin.bytes;
  }
}

uint64_t FileSizes::bytes(size_t bin, uint64_t ordinal) const {
  if (draw_ == SizeDraw::kExact) return edges_[bin];
  const uint64_t random = mixed(seed_ + ordinal * 0x9e3779b97f4a7c15ULL);
  const uint64_t* step = &edges_[bin * (kSteps + 1) + (random & (kSteps - 1))];
  // The upper 60 bits, evenly over the step; the bias is below 2^-14 even for a step of 2^46 bytes.
  const auto within =
      static_cast<uint64_t>((static_cast<unsigned __int128>(random >> 4U) * (step[1] - step[0])) >> 60U);
  return std::min(step[0] + 1 + within, std::max(step[1], step[0]));
}

double FileSizes::mean_rounded_bytes(size_t bin, uint64_t block_size_bytes) const {
  if (draw_ == SizeDraw::kExact) return static_cast<double>(round_up(edges_[bin], block_size_bytes));
  double mean = 0;
  for (size_t i = 0; i < kSteps; ++i) {
    const uint64_t* step = &edges_[bin * (kSteps + 1) + i];
    const auto block = static_cast<double>(block_size_bytes);
    if (step[1] <= step[0]) {
      mean += static_cast<double>(round_up(step[1], block_size_bytes));
    } else {
      mean += (rounded_sum(step[1], block_size_bytes) - rounded_sum(step[0], block_size_bytes)) * block /
              static_cast<double>(step[1] - step[0]);
    }
  }
  return mean / kSteps;
}

}  // namespace patina
