// The space of a mounted file system: the free extents, and the places of its addresses on the device.
#pragma once

#include <cstdint>
#include <vector>

#include "base/byte_range.h"
#include "base/result.h"

namespace patina {

// A stretch of the file system's addresses and where it begins on the device, once for each copy.
struct AddressMapping {
  ByteRange addresses;
  std::vector<uint64_t> device_begins_bytes;
};

struct SpaceMap {
  uint64_t block_size_bytes = 0;
  // Size of the device, as far as the file system reaches.
  uint64_t device_bytes = 0;
  // Free extents for file data, ascending, in the addresses that FIEMAP uses; no two touch where an extent
  // may cross.
  std::vector<ByteRange> free_extents;
  // btrfs: device addresses that no block group has yet, and that data or metadata can grow into.
  std::vector<ByteRange> unallocated;
  // Unused device addresses, ascending: those above, and space that is free for metadata only.
  std::vector<ByteRange> empty_on_device;
  // Of a shingled disk, ascending: unusable parts of free extents (area/data_area.h), and what may be
  // damaged, free or not. Both are of the device.
  std::vector<ByteRange> unusable;
  std::vector<ByteRange> damaged;
  // Ascending. Without any, the file system's addresses are the device's.
  std::vector<AddressMapping> mappings;
};

// Reads ext4 and xfs by FS_IOC_GETFSMAP, btrfs by its trees, and SMRfs by what it reports. `mount_fd` is any
// open directory of it. Errors: kLayoutUnsupported, kIoError.
Result<SpaceMap> read_space_map(int mount_fd);

// Appends where these addresses lie on the device, once for each copy.
void add_places_on_device(const ByteRange& addresses, const SpaceMap& map, std::vector<ByteRange>& places);

// Returns what is in both; each is ascending, and its ranges do not touch.
std::vector<ByteRange> common_of(const std::vector<ByteRange>& one, const std::vector<ByteRange>& other);

// Sorts ranges, and joins those that touch or overlap.
void normalize(std::vector<ByteRange>& ranges);

}  // namespace patina
