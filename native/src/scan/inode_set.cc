// A hash set in shards, of mixed inode numbers.
#include "scan/inode_set.h"

#include <algorithm>

namespace patina {
namespace {

constexpr size_t kFirstSlots = 64;

// A bijection of 64 bits (splitmix64's): on one device no two inodes share a key. On several (subvolumes of
// one btrfs), a collision among millions of inodes is one in millions.
uint64_t key_of(uint64_t device, uint64_t inode) {
  uint64_t key = inode ^ (device * 0x9e3779b97f4a7c15ULL);
  key = (key ^ (key >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  key = (key ^ (key >> 27U)) * 0x94d049bb133111ebULL;
  key ^= key >> 31U;
  return key == 0 ? 1 : key;
}

// Returns the slot of the key, or the free slot for it. One is always free: the load is a half.
uint64_t& slot_of(std::vector<uint64_t>& slots, uint64_t key) {
  size_t at = key & (slots.size() - 1);
  while (slots[at] != 0 && slots[at] != key) at = (at + 1) & (slots.size() - 1);
  return slots[at];
}

}  // namespace

InodeSet::InodeSet(uint64_t max_inodes_count)
    : max_keys_a_shard_(std::max<uint64_t>(max_inodes_count / kShardsCount, 1)) {}

InodeSeen InodeSet::insert(uint64_t device, uint64_t inode) {
  const uint64_t key = key_of(device, inode);
  Shard& shard = shards_[key >> 60U];  // not the bits that choose the slot
  const std::lock_guard<std::mutex> lock(shard.mutex);
  if (shard.slots.empty()) shard.slots.resize(kFirstSlots);
  if (slot_of(shard.slots, key) == key) return InodeSeen::kAgain;
  if (shard.keys_count == max_keys_a_shard_) return InodeSeen::kUntracked;
  if (2 * (shard.keys_count + 1) > shard.slots.size()) grow(shard);
  slot_of(shard.slots, key) = key;
  ++shard.keys_count;
  return InodeSeen::kFirst;
}

void InodeSet::grow(Shard& shard) {
  std::vector<uint64_t> larger(2 * shard.slots.size());
  for (const uint64_t key : shard.slots) {
    if (key != 0) slot_of(larger, key) = key;
  }
  shard.slots = std::move(larger);
}

}  // namespace patina
