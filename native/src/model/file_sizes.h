// The size of a file of a size bin: the bin's value, or one drawn inside the bin.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "model/profile.h"

namespace patina {

enum class SizeDraw {
  kExact,       // the bin's value, as in the published tool
  kLogUniform,  // between the value of the bin before (exclusive) and its own
};
// The name in JSON: "exact", "log_uniform".
const char* size_draw_name(SizeDraw draw);

uint64_t round_up(uint64_t bytes, uint64_t block_size_bytes);

// A pure function of the seed, the bin and the file's ordinal: no state is kept per file. Logarithms are
// drawn as one of 16 geometric steps and evenly within it: square roots are exactly rounded everywhere,
// logarithms are not.
class FileSizes {
 public:
  FileSizes(const std::vector<SizeBin>& bins, SizeDraw draw, uint64_t seed);

  uint64_t bytes(size_t bin, uint64_t ordinal) const;
  // Returns the expected size, rounded up to blocks.
  double mean_rounded_bytes(size_t bin, uint64_t block_size_bytes) const;
  // The edges that decide the sizes, for digests.
  const std::vector<uint64_t>& edges() const { return edges_; }

 private:
  static constexpr size_t kSteps = 16;

  SizeDraw draw_;
  uint64_t seed_;
  std::vector<uint64_t> edges_;  // exact: one a bin; drawn: kSteps + 1 a bin
};

}  // namespace patina
