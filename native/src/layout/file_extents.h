// The extents of one file (FIEMAP).
#pragma once

#include <cstdint>
#include <vector>

#include "base/result.h"

namespace patina {

// In the file system's addresses, which on btrfs are not the device's.
struct FileExtent {
  uint64_t logical_bytes = 0;
  uint64_t physical_bytes = 0;
  uint64_t length_bytes = 0;
  bool unwritten = false;   // allocated, but reads as zero
  bool compressed = false;  // it has another length on the device

  uint64_t logical_end_bytes() const { return logical_bytes + length_bytes; }
  uint64_t physical_end_bytes() const { return physical_bytes + length_bytes; }
  // Whether this one goes on where `previous` ends, in the file and on the device: file systems cut extents
  // at a largest length and where written meets unwritten, neither of which is a seek.
  bool continues(const FileExtent& previous) const {
    return logical_bytes == previous.logical_end_bytes() && physical_bytes == previous.physical_end_bytes();
  }
};

inline constexpr uint64_t kMaxExtentsPerFile = uint64_t{1} << 26;

// Reads a file's extents, many at a time. Not thread-safe.
class FileExtentReader {
 public:
  // `syncs`: each file is written out first, and its writes are waited for.
  explicit FileExtentReader(uint64_t max_extents = kMaxExtentsPerFile, bool syncs = false);

  // Appends the extents that have blocks, in the order of the file: neither data inside the inode nor holes.
  // Data without a place yet is written out first. After an error the appended extents are meaningless.
  // Errors: kLayoutUnsupported (no FIEMAP), kIoError.
  Status read(int fd, std::vector<FileExtent>& extents);

 private:
  enum class Found { kAll, kWithoutPlace };
  Result<Found> read_all(int fd, uint32_t flags, std::vector<FileExtent>& extents);

  const uint64_t max_extents_;
  const bool syncs_;
  std::vector<uint64_t> buffer_;  // the request and its answer, aligned
};

}  // namespace patina
