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

// Of a disk that is made.
inline void add_new_disk(OptionList& words, ShingledDiskOptions& disk) {
  words
      .add_choice(
          "--interface", disk.interface, "caveat: Caveat-Scriptor; strict-append: in bands",
          {{"caveat", ShingledInterface::kCaveat}, {"strict-append", ShingledInterface::kStrictAppend}})
      .show_default("caveat");
  add_damage(words, disk.did_blocks, disk.dnor_blocks);
  words.add("--band", disk.band_bytes, "Size of a band").in_bytes().show_default("64MiB");
}

}  // namespace patina
