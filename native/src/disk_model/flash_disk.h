// A flash disk: channels, dies, pages and erase blocks, behind a controller with a write buffer.
#pragma once

#include <deque>
#include <vector>

#include "disk_model/disk_model.h"
#include "disk_model/disk_spec.h"
#include "disk_model/flash_map.h"

namespace patina {

// The most units that the mapping of a disk keeps: some 20 MB.
inline constexpr uint64_t kMaxSampledUnits = 1ULL << 21U;

// Memory is bounded: of a disk of more units than it may keep, the mapping keeps one of each group of
// neighbours, chosen by the seed. This sample is a smaller disk with the same over-provisioning, written in
// the same way, so it has the same write amplification; what it collects counts for the group.
class FlashDisk final : public DiskModel {
 public:
  FlashDisk(const FlashSpec& spec, uint64_t capacity_bytes, uint64_t seed,
            uint64_t max_sampled_units = kMaxSampledUnits);

  uint64_t end_ns(const DiskRequest& request, uint64_t arrival_ns) override;
  nlohmann::ordered_json report() const override;
  // Of writes: bytes programmed over bytes written by the host; 1 before the first.
  double write_amplification() const;
  const FlashMap& map() const { return map_; }

 private:
  struct UnitRange {
    uint64_t first = 0;
    uint64_t end = 0;
  };
  UnitRange units_of(const DiskRequest& request) const;
  uint64_t read(const DiskRequest& request, uint64_t start_ns);
  uint64_t read_page(uint64_t page, uint64_t bytes, uint64_t start_ns);
  uint64_t write(const DiskRequest& request, uint64_t start_ns);
  uint64_t program_page(uint64_t start_ns);
  uint64_t flush(uint64_t start_ns);
  uint64_t over_bus(uint64_t bytes, uint64_t start_ns);
  // Passes the units of the range that are in the sample.
  template <typename Action>
  void for_sampled(UnitRange units, const Action& action);
  void add_collection_debt();
  void use_idle_time(uint64_t now_ns);

  FlashSpec spec_;
  uint64_t seed_;
  uint64_t group_units_;  // units that one of the sample stands for
  FlashMap map_;
  uint64_t page_units_;
  uint64_t dies_count_;
  uint64_t buffer_pages_;
  uint64_t page_transfer_ns_;
  std::vector<uint64_t> die_free_ns_;       // of programs
  std::vector<uint64_t> die_read_ns_;       // of reads, which go before programs that have not begun
  std::vector<uint64_t> channel_free_ns_;   // of reads
  std::vector<uint64_t> channel_write_ns_;  // of programs
  std::deque<uint64_t> programs_;           // ends of those in the buffer, in order
  uint64_t programmed_ns_ = 0;              // end of the last
  uint64_t next_die_ = 0;
  uint64_t waiting_units_ = 0;  // in the buffer, less than a page
  double debt_ns_ = 0;          // of all dies together: collection that is not carried out yet
  uint64_t counted_moves_ = 0;
  uint64_t counted_erases_ = 0;
  uint64_t controller_free_ns_ = 0;
  uint64_t bus_free_ns_ = 0;
  uint64_t busy_until_ns_ = 0;
  uint64_t reads_count_ = 0;
  uint64_t writes_count_ = 0;
  uint64_t flushes_count_ = 0;
  uint64_t discards_count_ = 0;
  uint64_t host_units_ = 0;
  uint64_t padded_units_ = 0;
};

}  // namespace patina
