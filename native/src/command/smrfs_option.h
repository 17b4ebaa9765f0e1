// The options that commands for SMRfs share.
#pragma once

#include "command/option_list.h"
#include "command/placement_option.h"
#include "smrfs/smr_device.h"

namespace patina {

inline void add_place(OptionList& words, SmrPlace& place) {
  words.add("--device", place.device, "Block device with SMRfs, in place of the next three");
  words.add("--data", place.disk.data, "File or block device of the shingled disk");
  words.add("--state", place.disk.state, "File with its damaged blocks or cursors");
  words.add("--metadata", place.metadata, "Folder for names and extents, on another disk");
}

}  // namespace patina
