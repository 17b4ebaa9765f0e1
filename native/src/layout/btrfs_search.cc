// Pages through a btrfs tree.
#include "layout/btrfs_search.h"

#include <fmt/format.h>
#include <linux/btrfs.h>
#include <sys/ioctl.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace patina {
namespace {

// The free space of a 1 GiB file system aged to 70 % comes in one or two calls.
constexpr size_t kBufferBytes = size_t{256} << 10;
constexpr uint32_t kMaxType = 255;

Error search_error(uint64_t tree_id, int error_number) {
  if (error_number == EPERM) {
    return {ErrorCode::kLayoutUnsupported,
            "the space of btrfs is read from its trees, which needs CAP_SYS_ADMIN; run as root"};
  }
  return {ErrorCode::kIoError,
          fmt::format("reading tree {} of the btrfs file system: {}", tree_id, std::strerror(error_number))};
}

// Makes the search begin right above this item; false when it was the last possible one.
bool advance_beyond(const BtrfsItem& item, btrfs_ioctl_search_key& key) {
  key.min_objectid = item.object_id;
  key.min_type = item.type;
  key.min_offset = item.offset + 1;
  if (key.min_offset != 0) return true;
  key.min_type = item.type == kMaxType ? 0 : item.type + 1;
  if (key.min_type != 0) return true;
  key.min_objectid = item.object_id + 1;
  return key.min_objectid != 0;
}

// The item whose header is at `at`, which moves behind it.
BtrfsItem item_at(std::span<const uint8_t> found, size_t& at) {
  btrfs_ioctl_search_header header = {};
  std::memcpy(&header, &found[at], sizeof header);
  at += sizeof header;
  const BtrfsItem item{header.objectid, header.type, header.offset, found.subspan(at, header.len)};
  at += header.len;
  return item;
}

}  // namespace

Result<bool> search_btrfs(int mount_fd, const BtrfsSearch& search,
                          const std::function<void(const BtrfsItem&)>& visit) {
  std::vector<uint64_t> memory((sizeof(btrfs_ioctl_search_args_v2) + kBufferBytes) / sizeof(uint64_t));
  auto* arguments = reinterpret_cast<btrfs_ioctl_search_args_v2*>(memory.data());
  const std::span<const uint8_t> found(
      reinterpret_cast<const uint8_t*>(memory.data()) + sizeof(btrfs_ioctl_search_args_v2), kBufferBytes);
  btrfs_ioctl_search_key& key = arguments->key;
  key.tree_id = search.tree_id;
  key.min_objectid = search.min_object_id;
  key.max_objectid = search.max_object_id;
  key.max_type = kMaxType;
  key.max_offset = UINT64_MAX;
  key.max_transid = UINT64_MAX;
  for (uint64_t items = 0; items <= search.max_items;) {
    key.nr_items = UINT32_MAX;
    arguments->buf_size = kBufferBytes;
    if (::ioctl(mount_fd, BTRFS_IOC_TREE_SEARCH_V2, arguments) != 0) {
      if (errno == ENOENT) return false;
      return search_error(search.tree_id, errno);
    }
    if (key.nr_items == 0) return true;
    BtrfsItem item;
    size_t at = 0;
    for (uint32_t i = 0; i < key.nr_items; ++i) {
      item = item_at(found, at);
      visit(item);
    }
    items += key.nr_items;
    if (!advance_beyond(item, key)) return true;
  }
  return Error{ErrorCode::kIoError, fmt::format("tree {} of the btrfs file system has more items than its "
                                                "device has blocks; run btrfs check on it",
                                                search.tree_id)};
}

}  // namespace patina
