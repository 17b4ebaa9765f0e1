// The space of real btrfs file systems, against what btrfs-progs read from the unmounted device.
#include "layout/btrfs_space_map.h"

#include <linux/btrfs_tree.h>
#include <linux/capability.h>
#include <sys/syscall.h>

#include <sstream>
#include <thread>

#include "executor/posix_file_system.h"
#include "layout/btrfs_search.h"
#include "layout/free_extents.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 300 << 20;
constexpr uint64_t kSuperBlockBytes = 64 << 10;

SpaceMap space_map_of(const std::string& folder) {
  const Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(::syncfs(root.get()), 0);
  Result<SpaceMap> map = read_space_map(root.get());
  EXPECT_TRUE(map.ok()) << map.error().message;
  return map.ok() ? std::move(*map) : SpaceMap{};
}

Error error_of_space_map(const std::string& folder) {
  const Descriptor root(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const Result<SpaceMap> map = read_space_map(root.get());
  EXPECT_FALSE(map.ok());
  return map.ok() ? Error{ErrorCode::kInternal, ""} : map.error();
}

uint64_t bytes_of(const std::vector<ByteRange>& ranges) {
  uint64_t bytes = 0;
  for (const ByteRange& range : ranges) bytes += range.length_bytes();
  return bytes;
}

// A block group that takes data, as the trees print it.
struct DumpedGroup {
  uint64_t length_bytes = 0;
  uint64_t used_bytes = 0;
  uint64_t free_extents_count = 0;
};

// Numbers of the lines "key (START TYPE LENGTH)" and the one that follows each.
struct DumpedItem {
  uint64_t start = 0;
  uint64_t length = 0;
  std::string next_line;
};

std::vector<DumpedItem> dumped_items(const std::string& device, const char* tree, const std::string& type) {
  std::vector<DumpedItem> items;
  std::istringstream lines(require_program({"btrfs", "inspect-internal", "dump-tree", "-t", tree, device}));
  bool follows = false;
  for (std::string line; std::getline(lines, line);) {
    if (follows) items.back().next_line = line;
    follows = false;
    const size_t at = line.find(" " + type + " ");
    if (at == std::string::npos || line.find("itemoff") == std::string::npos) continue;
    const size_t begin = line.find('(') + 1;
    items.push_back({std::strtoull(&line[begin], nullptr, 10),
                     std::strtoull(&line[at + type.size() + 2], nullptr, 10), ""});
    follows = true;
  }
  return items;
}

uint64_t number_behind(const std::string& line, const std::string& label) {
  const size_t at = line.find(label);
  EXPECT_NE(at, std::string::npos) << label << " in: " << line;
  return at == std::string::npos ? 0 : std::strtoull(&line[at + label.size()], nullptr, 10);
}

std::map<uint64_t, DumpedGroup> data_groups_of(const std::string& device) {
  std::map<uint64_t, DumpedGroup> groups;
  for (const DumpedItem& item : dumped_items(device, "2", "BLOCK_GROUP_ITEM")) {
    if (item.next_line.find("flags DATA") == std::string::npos) continue;
    groups[item.start] = {item.length, number_behind(item.next_line, "used "), 0};
  }
  for (const DumpedItem& item : dumped_items(device, "10", "FREE_SPACE_INFO")) {
    const auto group = groups.find(item.start);
    if (group == groups.end()) continue;
    group->second.free_extents_count = number_behind(item.next_line, "extent count ");
  }
  return groups;
}

void expect_judged(const SpaceMap& map, const std::map<uint64_t, DumpedGroup>& groups) {
  ASSERT_FALSE(groups.empty());
  uint64_t extents = 0;
  for (const auto& [start, group] : groups) {
    DumpedGroup mine{group.length_bytes, group.length_bytes, 0};
    for (const ByteRange& extent : map.free_extents) {
      if (extent.begin_bytes < start || extent.end_bytes > start + group.length_bytes) continue;
      mine.used_bytes -= extent.length_bytes();
      mine.free_extents_count += 1;
    }
    EXPECT_EQ(mine.used_bytes, group.used_bytes) << "of the group at " << start;
    EXPECT_EQ(mine.free_extents_count, group.free_extents_count) << "of the group at " << start;
    extents += mine.free_extents_count;
  }
  EXPECT_EQ(extents, map.free_extents.size());
}

TEST(BtrfsSpaceMap, FreeExtentsAreThoseOfTheTreesInBothOfTheirForms) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", device.path()});
  SpaceMap map;
  {
    const Mount mount(device.path(), scratch / "mount", "btrfs");
    fragment_file_system(mount.folder(), 3000, false);
    map = space_map_of(mount.folder());
  }
  EXPECT_GT(map.free_extents.size(), 500U);
  EXPECT_EQ(map.block_size_bytes, 4096U);
  EXPECT_EQ(map.device_bytes, kDeviceBytes);
  const std::string tree =
      require_program({"btrfs", "inspect-internal", "dump-tree", "-t", "10", device.path()});
  EXPECT_NE(tree.find("FREE_SPACE_BITMAP"), std::string::npos);
  EXPECT_NE(tree.find("FREE_SPACE_EXTENT"), std::string::npos);
  expect_judged(map, data_groups_of(device.path()));
}

TEST(BtrfsSpaceMap, WithoutAFreeSpaceTreeTheExtentTreeSaysTheSame) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", device.path()});
  const auto mapped = [&](const char* options) {
    const Mount mount(device.path(), scratch / "mount", "btrfs", options);
    return space_map_of(mount.folder());
  };
  {
    const Mount mount(device.path(), scratch / "mount", "btrfs");
    fragment_file_system(mount.folder(), 1000, false);
  }
  const SpaceMap by_free_space_tree = mapped("");
  require_program({"btrfs", "check", "--clear-space-cache", "v2", device.path()});
  const SpaceMap by_extent_tree = mapped("nospace_cache");
  EXPECT_GT(by_extent_tree.free_extents.size(), 100U);
  ASSERT_EQ(by_extent_tree.free_extents.size(), by_free_space_tree.free_extents.size());
  for (size_t i = 0; i < by_extent_tree.free_extents.size(); ++i) {
    EXPECT_EQ(by_extent_tree.free_extents[i].begin_bytes, by_free_space_tree.free_extents[i].begin_bytes);
    EXPECT_EQ(by_extent_tree.free_extents[i].end_bytes, by_free_space_tree.free_extents[i].end_bytes);
  }
}

TEST(BtrfsSpaceMap, AFreshFileSystemIsNearlyAllFree) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", device.path()});
  const Mount mount(device.path(), scratch / "mount", "btrfs");
  const SpaceMap map = space_map_of(mount.folder());
  const std::string usage = require_program({"btrfs", "filesystem", "usage", "-b", mount.folder()});
  // It counts the first MiB, which no block group may have.
  const std::string label = "Device unallocated:";
  const size_t at = usage.find(label);
  ASSERT_NE(at, std::string::npos) << usage;
  EXPECT_EQ(bytes_of(map.unallocated) + (1 << 20), std::strtoull(&usage[at + label.size()], nullptr, 10));
  const FreeExtents free_extents = histogram_of_free_extents(map);
  EXPECT_GT(free_extents.free_blocks_count * 4096, kDeviceBytes / 2);
}

TEST(BtrfsSpaceMap, TheSuperBlocksCopyIsNotFree) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", uint64_t{200} << 20);
  // Data and metadata in one kind of block group, from the first MiB to the end: one lies over byte 64 Mi.
  require_program({"mkfs.btrfs", "-q", "-K", "--mixed", device.path()});
  SpaceMap map;
  {
    const Mount mount(device.path(), scratch / "mount", "btrfs");
    fragment_file_system(mount.folder(), 2500, false);
    map = space_map_of(mount.folder());
  }
  const ByteRange copy{uint64_t{64} << 20, (uint64_t{64} << 20) + kSuperBlockBytes};
  for (const ByteRange& range : map.empty_on_device) {
    EXPECT_TRUE(range.end_bytes <= copy.begin_bytes || range.begin_bytes >= copy.end_bytes);
  }
  uint64_t free_bytes = 0;
  bool lies_in_a_group = false;
  for (const AddressMapping& mapping : map.mappings) {
    const uint64_t begin = mapping.device_begins_bytes.front();
    lies_in_a_group |=
        begin <= copy.begin_bytes && copy.end_bytes <= begin + mapping.addresses.length_bytes();
  }
  for (const DumpedItem& item : dumped_items(device.path(), "2", "BLOCK_GROUP_ITEM")) {
    if (item.next_line.find("DATA") == std::string::npos) continue;
    free_bytes += item.length - number_behind(item.next_line, "used ");
  }
  ASSERT_TRUE(lies_in_a_group);
  EXPECT_EQ(bytes_of(map.free_extents) + kSuperBlockBytes, free_bytes);
}

TEST(BtrfsSpaceMap, DuplicatedGroupsLieTwiceOnTheDevice) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", "-d", "dup", "-m", "dup", device.path()});
  const Mount mount(device.path(), scratch / "mount", "btrfs");
  const SpaceMap map = space_map_of(mount.folder());
  ASSERT_FALSE(map.mappings.empty());
  uint64_t twice_bytes = 0;
  for (const AddressMapping& mapping : map.mappings) {
    EXPECT_EQ(mapping.device_begins_bytes.size(), 2U);
    twice_bytes += 2 * mapping.addresses.length_bytes();
  }
  EXPECT_EQ(twice_bytes + bytes_of(map.unallocated) + (1 << 20), kDeviceBytes);
}

TEST(BtrfsSpaceMap, SeveralDevicesAreRefusedByName) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice first(scratch / "first", kDeviceBytes);
  const LoopDevice second(scratch / "second", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", first.path(), second.path()});
  require_program({"btrfs", "device", "scan", first.path(), second.path()});
  {
    const Mount mount(first.path(), scratch / "mount", "btrfs");
    const Error error = error_of_space_map(mount.folder());
    EXPECT_EQ(error.code, ErrorCode::kLayoutUnsupported);
    EXPECT_NE(error.message.find("2 devices"), std::string::npos);
  }
  require_program({"btrfs", "device", "scan", "--forget"});
}

TEST(BtrfsSpaceMap, WithoutPrivilegeItSaysWhatItNeeds) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", device.path()});
  const Mount mount(device.path(), scratch / "mount", "btrfs");
  // Capabilities belong to a thread: only this one loses them.
  std::thread([&mount] {
    __user_cap_header_struct header = {_LINUX_CAPABILITY_VERSION_3, 0};
    std::array<__user_cap_data_struct, 2> none{};
    ASSERT_EQ(::syscall(SYS_capset, &header, none.data()), 0);
    const Error error = error_of_space_map(mount.folder());
    EXPECT_EQ(error.code, ErrorCode::kLayoutUnsupported);
    EXPECT_NE(error.message.find("CAP_SYS_ADMIN"), std::string::npos);
  }).join();
}

TEST(BtrfsSearch, KnowsAnEndAndMissingTreesAndOtherFileSystems) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder scratch;
  const LoopDevice device(scratch / "disk", kDeviceBytes);
  require_program({"mkfs.btrfs", "-q", "-K", device.path()});
  const Mount mount(device.path(), scratch / "mount", "btrfs");
  fragment_file_system(mount.folder(), 100, true);
  const Descriptor root(::open(mount.folder().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const auto ignore = [](const BtrfsItem&) {};
  BtrfsSearch search{.tree_id = BTRFS_FS_TREE_OBJECTID, .max_items = 1 << 20};
  EXPECT_TRUE(*search_btrfs(root.get(), search, ignore));
  search.max_items = 3;
  const Result<bool> too_many = search_btrfs(root.get(), search, ignore);
  ASSERT_FALSE(too_many.ok());
  EXPECT_EQ(too_many.error().code, ErrorCode::kIoError);
  search.tree_id = 12345;
  EXPECT_FALSE(*search_btrfs(root.get(), search, ignore));
  const Descriptor elsewhere(::open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  EXPECT_EQ(search_btrfs(elsewhere.get(), search, ignore).error().code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace patina
