// The unit in which a disk is kept or dropped, and the decision on one.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace patina {

inline constexpr uint64_t kPieceBytes = 4096;

enum class Verdict : uint8_t {
  kDrop,        // data of a file
  kKeep,        // may be metadata
  kKeepForNow,  // may be metadata by what is known now; Squash::settle() decides
};

// Reads one piece as the disk has it now. Returns false if it is not kept. Zero pieces, also those never
// written, read as zero and return true. Must not call Squash.
using PieceReader = std::function<bool(uint64_t piece, std::span<uint8_t, kPieceBytes> into)>;

}  // namespace patina
