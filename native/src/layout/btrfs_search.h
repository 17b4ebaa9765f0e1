// Reads items of a btrfs file system's trees (BTRFS_IOC_TREE_SEARCH_V2).
#pragma once

#include <cstdint>
#include <functional>
#include <span>

#include "base/result.h"

namespace patina {

struct BtrfsItem {
  uint64_t object_id = 0;
  uint32_t type = 0;
  uint64_t offset = 0;
  std::span<const uint8_t> body;  // valid during the visit only
};

struct BtrfsSearch {
  uint64_t tree_id = 0;
  uint64_t min_object_id = 0;
  uint64_t max_object_id = UINT64_MAX;
  uint64_t max_items = 0;
};

// Visits the items of those objects in the order of their keys. More than `max_items` of them are an error.
// False if there is no such tree. Errors: kLayoutUnsupported (needs CAP_SYS_ADMIN), kIoError.
Result<bool> search_btrfs(int mount_fd, const BtrfsSearch& search,
                          const std::function<void(const BtrfsItem&)>& visit);

}  // namespace patina
