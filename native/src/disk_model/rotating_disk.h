// A rotating disk after Ruemmler and Wilkes, "An introduction to disk drive modeling", IEEE Computer 27(3),
// 1994.
#pragma once

#include <optional>

#include "disk_model/arm.h"
#include "disk_model/dirty_sectors.h"
#include "disk_model/disk_model.h"
#include "disk_model/disk_spec.h"
#include "disk_model/request_queue.h"
#include "disk_model/segment_cache.h"

namespace patina {

class RotatingDisk final : public DiskModel {
 public:
  // `phase_ns`: how far the disk is turned at time 0.
  RotatingDisk(const RotatingSpec& spec, uint64_t phase_ns);

  uint64_t end_ns(const DiskRequest& request, uint64_t arrival_ns) override;
  nlohmann::ordered_json report() const override;

 private:
  uint64_t serve(const DiskRequest& request, uint64_t arrival_ns, bool is_merged);
  uint64_t read(SectorRange range, uint64_t start_ns);
  uint64_t read_media(SectorRange range, uint64_t start_ns);
  uint64_t read_missed(SectorRange range, uint64_t start_ns);
  uint64_t write(SectorRange range, uint64_t start_ns, uint64_t data_ns);
  uint64_t write_cached(SectorRange range, uint64_t start_ns);
  uint64_t flush(uint64_t start_ns);
  uint64_t bus_ns(uint64_t sectors) const;
  // Carries out what the disk did on its own until now: it reads ahead, or writes its cache.
  void work_until(uint64_t now_ns);
  void stop_reading_ahead(uint64_t now_ns);
  void drain_one(uint64_t start_ns);
  uint64_t ahead_limit(uint64_t end) const;

  // The arm reads on into a segment until `limit`.
  struct Ahead {
    bool is_active = false;
    size_t segment = 0;
    Arm::Passed front;
    uint64_t limit = 0;
  };

  RotatingSpec spec_;
  Arm arm_;
  SegmentCache segments_;
  std::optional<RequestQueue> queue_;
  Ahead ahead_;
  DirtySectors dirty_;
  uint64_t interface_free_ns_ = 0;  // one command at a time
  uint64_t arm_free_ns_ = 0;
  uint64_t drained_ns_ = 0;  // end of the last write from the cache
  uint64_t arm_busy_ns_ = 0;
  uint64_t reads_count_ = 0;
  uint64_t writes_count_ = 0;
  uint64_t flushes_count_ = 0;
  uint64_t discards_count_ = 0;
  uint64_t read_hits_count_ = 0;
  uint64_t cached_writes_count_ = 0;
};

}  // namespace patina
