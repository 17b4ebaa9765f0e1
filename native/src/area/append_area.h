// Data of files on a strict-append disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "area/data_area.h"
#include "shingle/banded_space.h"
#include "shingle/strict_append_disk.h"

namespace patina {

class AppendArea final : public DataArea {
 public:
  // `clean_below`: cleaning begins when fewer bands than this are empty.
  AppendArea(std::unique_ptr<StrictAppendDisk> disk, const CleaningPolicy& policy, uint64_t clean_below);

  Status adopt(const BlockExtent& extent, uint64_t inode) override;
  std::vector<BlockExtent> allocate(uint64_t count, PlacedBy by) override;
  void placed(const std::vector<BlockExtent>& extents, uint64_t inode) override;
  void release(const BlockExtent& extent, bool may_be_durable) override;
  bool is_fenced(const BlockExtent& extent) const override;
  void begin_commit() override;
  void end_commit(bool is_durable) override;
  uint64_t place_bytes(uint64_t block) const override;
  uint64_t block_at(uint64_t place_bytes) const override;
  std::vector<FreePart> free_parts(uint64_t block, size_t most) const override;
  std::vector<BlockExtent> damaged_extents(uint64_t block, size_t most) const override;
  uint64_t together_count(uint64_t block) const override;
  Status write(uint64_t first, std::span<const uint8_t> data) override;
  Status read(uint64_t first, std::span<uint8_t> data) override;
  Status flush() override;
  Status check_sound(const BlockExtent& extent) const override;
  bool has_cleaner() const override { return true; }
  std::optional<Cleaning> begin_cleaning() override;
  bool has_gained() const override;
  bool should_clean() const override;
  uint64_t free_count() const override;
  AreaSpace space() const override;

 private:
  void read_cursors();

  struct Owned {
    uint64_t count = 0;
    uint64_t inode = 0;
  };

  // The extent, divided where a band ends: in the map of a file two bands may follow each other.
  std::vector<BlockExtent> in_bands(const BlockExtent& extent) const;
  bool adopt_in_band(const BlockExtent& extent, uint64_t inode);
  // The first block of the band that is not written, or the end of the band.
  uint64_t written_end(uint64_t band) const;
  void disown(const BlockExtent& extent);

  const std::unique_ptr<StrictAppendDisk> disk_;
  const uint64_t clean_below_;
  mutable std::mutex mutex_;
  BandedSpace space_;
  std::map<uint64_t, Owned> owned_;  // by the first block
  std::vector<uint64_t> placing_;    // bands of the last placement, whose cursors may differ from the disk's
  // Of each band: a block of it was released since the begin of the last commit, or before it until its end.
  std::vector<bool> fenced_;
  std::vector<bool> committing_;
};

}  // namespace patina
