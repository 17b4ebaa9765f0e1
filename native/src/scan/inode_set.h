// Set of the inodes with several names in a scan, so that each counts as one file.
#pragma once

#include <array>
#include <cstdint>
#include <mutex>
#include <vector>

namespace patina {

enum class InodeSeen { kFirst, kAgain, kUntracked };

// Safe from several threads. Takes 8 bytes an inode, at a load of a half, up to a bound; an inode beyond that
// is not tracked.
class InodeSet {
 public:
  explicit InodeSet(uint64_t max_inodes_count = kMaxInodesCount);

  InodeSeen insert(uint64_t device, uint64_t inode);

  // 128 MiB of keys, 256 MiB in all.
  static constexpr uint64_t kMaxInodesCount = uint64_t{1} << 24U;

 private:
  struct Shard {
    std::mutex mutex;
    std::vector<uint64_t> slots;  // open addressing; 0 is free
    uint64_t keys_count = 0;
  };
  static void grow(Shard& shard);
  static constexpr size_t kShardsCount = 16;

  const uint64_t max_keys_a_shard_;
  std::array<Shard, kShardsCount> shards_;
};

}  // namespace patina
