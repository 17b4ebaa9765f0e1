// What a mounted SMRfs reports of its space, in attributes that only root reads.
#pragma once

#include <cstddef>
#include <cstdint>

namespace patina {

// The attributes. A name that ends with a dot is followed by the byte, in decimal digits, from which on to
// report; the values are arrays of these structs, ascending, and end when an answer is empty.
inline constexpr const char* kReportedSpace = "trusted.patina.space";       // of the root: ReportedSpace
inline constexpr const char* kReportedFree = "trusted.patina.free.";        // of the root: ReportedFree
inline constexpr const char* kReportedDamaged = "trusted.patina.damaged.";  // of the root: ReportedDamaged
inline constexpr const char* kReportedPlaces = "trusted.patina.places.";    // of a file: ReportedPlace
inline constexpr const char* kReportedCleaned = "trusted.patina.cleaned";   // of the root: ReportedCleaned

// Set on the root to anything, it cleans one band. EOPNOTSUPP: the disk has no cleaner; ENODATA: no band
// gives anything back.
inline constexpr const char* kCleanNow = "trusted.patina.clean";

struct ReportedSpace {
  uint64_t block_size_bytes = 0;
  uint64_t device_bytes = 0;
};
// A free extent, or the part of one that is unusable or is not.
struct ReportedFree {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
  uint64_t is_unusable = 0;  // 0 or 1
};
// Maybe damaged, free or not.
struct ReportedDamaged {
  uint64_t begin_bytes = 0;
  uint64_t end_bytes = 0;
};
struct ReportedPlace {
  uint64_t logical_bytes = 0;
  uint64_t physical_bytes = 0;
  uint64_t length_bytes = 0;
};
// Since the mount.
struct ReportedCleaned {
  uint64_t cleanings_count = 0;
  uint64_t moved_blocks_count = 0;
  uint64_t took_ns = 0;
};
// In one answer, at most: the kernel passes 64 KiB.
inline constexpr size_t kMostReported = 2048;

}  // namespace patina
