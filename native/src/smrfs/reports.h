// What the file system reports of its space: reported.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "smrfs/reported.h"
#include "smrfs/volume.h"

namespace patina {

// Returns where a file lies from `from_bytes` on, `most` parts at most, ascending.
std::vector<ReportedPlace> places_from(const DataArea& area, const ExtentMap& map, uint64_t from_bytes,
                                       size_t most);
// Returns the free extents behind this place on the device, `most` at most, ascending.
std::vector<ReportedFree> free_from(const DataArea& area, uint64_t from_bytes, size_t most);
std::vector<ReportedDamaged> damaged_from(const DataArea& area, uint64_t from_bytes, size_t most);
// Size of the device, as far as the file system reaches.
uint64_t device_bytes_of(const DataArea& area);

// Whether the attribute is the file system's own: no user sets or removes it.
bool is_own_attribute(std::string_view name);
// Returns the value of an attribute of the file system's own; none if the node has none of that name. What is
// buffered of the file is placed first. Errors of SmrVolume::settle().
Result<std::optional<std::string>> report(SmrVolume& volume, const std::shared_ptr<Node>& node,
                                          std::string_view name);

}  // namespace patina
