// RAID-0, RAID-1 and RAID-5 over modelled disks. The data exist once: only the times of the members are
// modelled.
#pragma once

#include <memory>
#include <vector>

#include "disk_model/disk_model.h"
#include "disk_model/disk_spec.h"

namespace patina {

class Raid final : public DiskModel {
 public:
  Raid(const RaidSpec& spec, std::vector<std::unique_ptr<DiskModel>> members);

  uint64_t end_ns(const DiskRequest& request, uint64_t arrival_ns) override;
  nlohmann::ordered_json report() const override;

 private:
  struct Member {
    std::unique_ptr<DiskModel> disk;
    uint64_t last_arrival_ns = 0;
    uint64_t busy_until_ns = 0;
    uint64_t next_offset_bytes = 0;  // behind its last request
    // What a request touches of the member; begin == end: nothing.
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
  };
  struct Part {
    size_t member = 0;
    uint64_t begin_bytes = 0;
    uint64_t end_bytes = 0;
  };
  uint64_t send(size_t member, DiskRequest request, uint64_t arrival_ns);
  uint64_t send_to_all(const DiskRequest& request, uint64_t arrival_ns);
  uint64_t read_mirror(const DiskRequest& request, uint64_t arrival_ns);
  // Sends each member the range that the request has of it: a request is contiguous on each member.
  uint64_t send_striped(const DiskRequest& request, uint64_t arrival_ns);
  uint64_t write_parity(const DiskRequest& request, uint64_t arrival_ns);
  uint64_t write_part_of_stripe(uint64_t begin_bytes, uint64_t end_bytes, uint64_t arrival_ns);
  Part chunk_place(uint64_t begin_bytes, uint64_t end_bytes) const;
  size_t parity_member(uint64_t stripe) const { return members_.size() - 1 - stripe % members_.size(); }

  uint32_t level_;
  uint64_t chunk_bytes_;
  uint64_t data_members_;  // of a stripe
  std::vector<Member> members_;
};

}  // namespace patina
