// Readers of each kind of model: its values, and what they must be together. A problem is recorded in the
// reader's document.
#pragma once

#include "disk_model/disk_spec.h"
#include "disk_model/spec_reader.h"

namespace patina {

RotatingSpec read_rotating(SpecReader& reader, uint64_t& capacity_bytes);
FlashSpec read_flash(SpecReader& reader, uint64_t& capacity_bytes);
// All but the member.
RaidSpec read_raid(SpecReader& reader);
uint64_t raid_capacity_bytes(const RaidSpec& raid, uint64_t member_capacity_bytes);

}  // namespace patina
