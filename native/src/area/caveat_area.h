// Data of files on a Caveat-Scriptor disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "area/data_area.h"
#include "shingle/caveat_disk.h"
#include "shingle/shingled_space.h"

namespace patina {

// When blocks that a durable map may name are given to another file.
enum class Reuse : uint8_t {
  kAtOnce,       // a write to such blocks needs a commit first; places are those of the simulation
  kAfterCommit,  // places depend on the moments of commits
};

class CaveatArea final : public DataArea {
 public:
  CaveatArea(std::unique_ptr<CaveatDisk> disk, const PlacementPolicy& policy, Reuse reuse);

  Status adopt(const BlockExtent& extent, uint64_t inode) override;
  std::vector<BlockExtent> allocate(uint64_t count, PlacedBy by) override;
  void release(const BlockExtent& extent, bool may_be_durable) override;
  bool is_fenced(const BlockExtent& extent) const override;
  void begin_commit() override;
  void end_commit(bool is_durable) override;
  bool has_waiting() const override;
  uint64_t place_bytes(uint64_t block) const override;
  uint64_t block_at(uint64_t place_bytes) const override;
  std::vector<FreePart> free_parts(uint64_t block, size_t most) const override;
  std::vector<BlockExtent> damaged_extents(uint64_t block, size_t most) const override;
  uint64_t together_count(uint64_t block) const override;
  Status write(uint64_t first, std::span<const uint8_t> data) override;
  Status read(uint64_t first, std::span<uint8_t> data) override;
  Status flush() override;
  Status check_sound(const BlockExtent& extent) const override;
  uint64_t free_count() const override;
  AreaSpace space() const override;

 private:
  using Fence = std::map<uint64_t, uint64_t>;  // ends of extents by their first blocks

  static bool contains_any(const Fence& fence, uint64_t first, uint64_t end);
  static uint64_t count_of(const Fence& fence);
  // Blocks that are free once a commit has ended.
  uint64_t waiting_count() const;

  const std::unique_ptr<CaveatDisk> disk_;
  const Reuse reuse_;
  mutable std::mutex mutex_;
  ShingledSpace space_;
  Fence fenced_;      // since the begin of the last commit
  Fence committing_;  // before it, until its end
};

}  // namespace patina
