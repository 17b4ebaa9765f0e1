// Reads what the files of a metadata folder have on the shingled disk.
#pragma once

#include <functional>
#include <string>

#include "base/result.h"
#include "smrfs/file_content.h"
#include "smrfs/file_identity.h"

namespace patina {

struct ScannedFile {
  std::string path;  // with that of the folder
  FileIdentity identity;
  FileExtents extents;
};

// Whether a size that a crash left behind is set right.
enum class SizeRepair : uint8_t { kNone, kAll };

// Calls `each` for every regular file of the folder, once for all its names, and ends with its first error.
// kBackingInvalid: an attribute is damaged; kIoError.
Status scan_extents(const std::string& folder, SizeRepair repair,
                    const std::function<Status(const ScannedFile&)>& each);

}  // namespace patina
