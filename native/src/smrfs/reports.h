// What the file system reports of its space: layout/reported_space.h.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "smrfs/volume.h"

namespace patina {

// Whether the attribute is the file system's own: nobody else sets or removes it.
bool is_own_attribute(std::string_view name);
// Returns the value of an attribute of the file system's own; none if the node has none of that name. What is
// buffered of the file is placed first. Errors of SmrVolume::settle().
Result<std::optional<std::string>> report(SmrVolume& volume, const std::shared_ptr<Node>& node,
                                          std::string_view name);

}  // namespace patina
