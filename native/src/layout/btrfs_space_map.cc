// Reads a btrfs file system's space: block groups, the free space in them, and the unallocated space.
#include "layout/btrfs_space_map.h"

#include <endian.h>
#include <fmt/format.h>
#include <linux/btrfs.h>
#include <linux/btrfs_tree.h>
#include <sys/ioctl.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstddef>
#include <cstring>

#include "layout/btrfs_search.h"

namespace patina {
namespace {

// A chunk and its block group are the same stretch of addresses.
struct BlockGroup {
  AddressMapping mapping;
  bool takes_data = false;
  std::vector<ByteRange> free;
};

struct BtrfsShape {
  uint64_t block_size_bytes = 0;
  uint64_t node_bytes = 0;
  uint64_t device_bytes = 0;
};

Result<BtrfsShape> read_shape(int mount_fd) {
  btrfs_ioctl_fs_info_args info = {};
  if (::ioctl(mount_fd, BTRFS_IOC_FS_INFO, &info) != 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot read the shape of the btrfs file system: {}", std::strerror(errno))};
  }
  if (info.num_devices != 1) {
    return Error{ErrorCode::kLayoutUnsupported,
                 fmt::format("this btrfs file system spans {} devices; the layout of one on a single device "
                             "can be measured",
                             info.num_devices)};
  }
  // The only device has the highest number, even after others were removed.
  btrfs_ioctl_dev_info_args device = {};
  device.devid = info.max_id;
  if (::ioctl(mount_fd, BTRFS_IOC_DEV_INFO, &device) != 0) {
    return Error{ErrorCode::kIoError,
                 fmt::format("cannot read the device of the btrfs file system: {}", std::strerror(errno))};
  }
  return BtrfsShape{info.sectorsize, info.nodesize, device.total_bytes};
}

// Items of the chunk tree on one device are single or duplicated: each stripe is a whole copy.
void add_chunk(const BtrfsItem& item, std::vector<BlockGroup>& groups) {
  constexpr size_t kHeadBytes = offsetof(btrfs_chunk, stripe);
  if (item.type != BTRFS_CHUNK_ITEM_KEY || item.body.size() < kHeadBytes) return;
  btrfs_chunk chunk = {};
  std::memcpy(&chunk, item.body.data(), kHeadBytes);
  BlockGroup group;
  group.mapping.addresses = {item.offset, item.offset + le64toh(chunk.length)};
  group.takes_data = (le64toh(chunk.type) & BTRFS_BLOCK_GROUP_DATA) != 0;
  const size_t stripes =
      std::min<size_t>(le16toh(chunk.num_stripes), (item.body.size() - kHeadBytes) / sizeof(btrfs_stripe));
  for (size_t i = 0; i < stripes; ++i) {
    btrfs_stripe stripe = {};
    std::memcpy(&stripe, &item.body[kHeadBytes + i * sizeof stripe], sizeof stripe);
    group.mapping.device_begins_bytes.push_back(le64toh(stripe.offset));
  }
  groups.push_back(std::move(group));
}

Result<std::vector<BlockGroup>> read_block_groups(int mount_fd, uint64_t max_items) {
  std::vector<BlockGroup> groups;
  const Result<bool> read = search_btrfs(mount_fd,
                                         {BTRFS_CHUNK_TREE_OBJECTID, BTRFS_FIRST_CHUNK_TREE_OBJECTID,
                                          BTRFS_FIRST_CHUNK_TREE_OBJECTID, max_items},
                                         [&groups](const BtrfsItem& item) { add_chunk(item, groups); });
  if (!read) return read.error();
  return groups;
}

// Finds the group of ascending addresses without a search for each.
class GroupCursor {
 public:
  explicit GroupCursor(std::vector<BlockGroup>& groups) : groups_(groups) {}

  BlockGroup* at(uint64_t address) {
    while (next_ < groups_.size() && groups_[next_].mapping.addresses.end_bytes <= address) ++next_;
    const bool inside = next_ < groups_.size() && groups_[next_].mapping.addresses.begin_bytes <= address;
    return inside ? &groups_[next_] : nullptr;
  }

 private:
  std::vector<BlockGroup>& groups_;
  size_t next_ = 0;
};

void add_bitmap(const BtrfsItem& item, uint64_t block_size_bytes, std::vector<ByteRange>& free) {
  const uint64_t bits = std::min<uint64_t>(item.offset / block_size_bytes, item.body.size() * 8);
  for (uint64_t bit = 0; bit < bits; ++bit) {
    if ((item.body[bit / 8] >> (bit % 8) & 1U) == 0) continue;
    const uint64_t begin = item.object_id + bit * block_size_bytes;
    free.push_back({begin, begin + block_size_bytes});
  }
}

// False if this file system has no free-space tree (made or mounted with the older space cache, or none).
Result<bool> read_free_space_tree(int mount_fd, const BtrfsShape& shape, uint64_t max_items,
                                  std::vector<BlockGroup>& groups) {
  GroupCursor cursor(groups);
  return search_btrfs(mount_fd, {.tree_id = BTRFS_FREE_SPACE_TREE_OBJECTID, .max_items = max_items},
                      [&](const BtrfsItem& item) {
                        BlockGroup* group = cursor.at(item.object_id);
                        if (group == nullptr) return;
                        if (item.type == BTRFS_FREE_SPACE_EXTENT_KEY) {
                          group->free.push_back({item.object_id, item.object_id + item.offset});
                        } else if (item.type == BTRFS_FREE_SPACE_BITMAP_KEY) {
                          add_bitmap(item, shape.block_size_bytes, group->free);
                        }
                      });
}

// Computes the free space of each block group from its extents.
Status read_extent_tree(int mount_fd, const BtrfsShape& shape, uint64_t max_items,
                        std::vector<BlockGroup>& groups) {
  GroupCursor cursor(groups);
  std::vector<uint64_t> used_to(groups.size());
  for (size_t i = 0; i < groups.size(); ++i) used_to[i] = groups[i].mapping.addresses.begin_bytes;
  const auto leave = [&](const BtrfsItem& item) {
    const bool is_node = item.type == BTRFS_METADATA_ITEM_KEY;
    BlockGroup* group = cursor.at(item.object_id);
    if (group == nullptr || (!is_node && item.type != BTRFS_EXTENT_ITEM_KEY)) return;
    uint64_t& used = used_to[static_cast<size_t>(group - groups.data())];
    if (item.object_id > used) group->free.push_back({used, item.object_id});
    used = std::max(used, item.object_id + (is_node ? shape.node_bytes : item.offset));
  };
  const Result<bool> read =
      search_btrfs(mount_fd, {.tree_id = BTRFS_EXTENT_TREE_OBJECTID, .max_items = max_items}, leave);
  if (!read) return read.error();
  if (!*read) return Error{ErrorCode::kLayoutUnsupported, "this btrfs file system has no extent tree"};
  for (size_t i = 0; i < groups.size(); ++i) {
    const uint64_t end = groups[i].mapping.addresses.end_bytes;
    if (used_to[i] < end) groups[i].free.push_back({used_to[i], end});
  }
  return ok_status();
}

// Takes `hole` out of ascending ranges.
void cut(const ByteRange& hole, std::vector<ByteRange>& ranges) {
  std::vector<ByteRange> left;
  left.reserve(ranges.size() + 1);
  for (const ByteRange& range : ranges) {
    const ByteRange before{range.begin_bytes, std::min(range.end_bytes, hole.begin_bytes)};
    const ByteRange behind{std::max(range.begin_bytes, hole.end_bytes), range.end_bytes};
    if (before.begin_bytes < before.end_bytes) left.push_back(before);
    if (behind.begin_bytes < behind.end_bytes) left.push_back(behind);
  }
  ranges = std::move(left);
}

constexpr uint64_t kStripeBytes = 64 << 10;
constexpr std::array<uint64_t, 3> kSuperBlocks = {64ULL << 10U, 64ULL << 20U, 256ULL << 30U};

// The trees list the places of the super block's copies as free; the kernel never allocates them.
void cut_super_blocks(BlockGroup& group) {
  const ByteRange& addresses = group.mapping.addresses;
  for (const uint64_t begin : group.mapping.device_begins_bytes) {
    for (const uint64_t super_block : kSuperBlocks) {
      if (super_block + kStripeBytes <= begin || super_block >= begin + addresses.length_bytes()) continue;
      const uint64_t address = addresses.begin_bytes + (super_block - std::min(super_block, begin));
      cut({address, address + kStripeBytes}, group.free);
    }
  }
}

std::vector<ByteRange> unallocated_of(const std::vector<BlockGroup>& groups, uint64_t device_bytes) {
  constexpr uint64_t kReservedBytes = 1 << 20;  // at the device's begin, for boot loaders
  std::vector<ByteRange> allocated = {{0, kReservedBytes}};
  for (const BlockGroup& group : groups) {
    for (const uint64_t begin : group.mapping.device_begins_bytes) {
      allocated.push_back({begin, begin + group.mapping.addresses.length_bytes()});
    }
  }
  normalize(allocated);
  std::vector<ByteRange> unallocated;
  for (size_t i = 0; i < allocated.size(); ++i) {
    const uint64_t next = i + 1 < allocated.size() ? allocated[i + 1].begin_bytes : device_bytes;
    if (allocated[i].end_bytes < next) unallocated.push_back({allocated[i].end_bytes, next});
  }
  return unallocated;
}

void add_group(BlockGroup& group, SpaceMap& map) {
  for (const ByteRange& range : group.free) {
    for (const uint64_t begin : group.mapping.device_begins_bytes) {
      const uint64_t at = begin + (range.begin_bytes - group.mapping.addresses.begin_bytes);
      map.empty_on_device.push_back({at, at + range.length_bytes()});
    }
  }
  // Not joined with the next group's: no extent lies in two.
  if (group.takes_data) {
    map.free_extents.insert(map.free_extents.end(), group.free.begin(), group.free.end());
  }
  map.mappings.push_back(std::move(group.mapping));
}

}  // namespace

Result<SpaceMap> read_btrfs_space_map(int mount_fd) {
  const Result<BtrfsShape> shape = read_shape(mount_fd);
  if (!shape) return shape.error();
  // A block has an item of its own at most, and so has each group.
  const uint64_t max_items = 2 * (shape->device_bytes / shape->block_size_bytes) + (uint64_t{1} << 20);
  Result<std::vector<BlockGroup>> groups = read_block_groups(mount_fd, max_items);
  if (!groups) return groups.error();
  const Result<bool> has_tree = read_free_space_tree(mount_fd, *shape, max_items, *groups);
  if (!has_tree) return has_tree.error();
  if (!*has_tree) {
    if (Status read = read_extent_tree(mount_fd, *shape, max_items, *groups); !read) return read.error();
  }
  SpaceMap map;
  map.block_size_bytes = shape->block_size_bytes;
  map.device_bytes = shape->device_bytes;
  map.unallocated = unallocated_of(*groups, shape->device_bytes);
  map.empty_on_device = map.unallocated;
  for (BlockGroup& group : *groups) {
    normalize(group.free);
    cut_super_blocks(group);
    add_group(group, map);
  }
  normalize(map.empty_on_device);
  // A copy of the super block may lie outside of all block groups.
  for (const uint64_t super_block : kSuperBlocks)
    cut({super_block, super_block + kStripeBytes}, map.empty_on_device);
  return map;
}

}  // namespace patina
