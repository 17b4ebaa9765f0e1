// The options that commands for shingled disks share.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "command/option_list.h"
#include "shingle/banded_space.h"
#include "shingle/new_disk.h"
#include "shingle/shingled_space.h"
#include "smrfs/smr_device.h"

namespace patina {

// What a write damages; DID is required, or has its default.
inline void add_damage(OptionList& words, uint64_t& did_blocks, uint64_t& dnor_blocks,
                       bool requires_did = false) {
  constexpr uint64_t kMostBlocks = uint64_t{1} << 20U;
  OptionHandle did = words.add("--did", did_blocks, "Blocks behind a write that it may damage");
  did.range(uint64_t{0}, kMostBlocks).required(requires_did);
  if (!requires_did) did.show_default();
  words.add("--dnor", dnor_blocks, "Blocks behind a write that it never damages, at most DID")
      .range(uint64_t{0}, kMostBlocks)
      .show_default();
}

// A disk that is made when there is none, but for its size.
inline void add_new_disk(OptionList& words, NewDisk& disk) {
  words
      .add_choice("--interface", disk.interface, "caveat: Caveat-Scriptor; strict-append: in bands",
                  {{"caveat", DiskInterface::kCaveat}, {"strict-append", DiskInterface::kStrictAppend}})
      .show_default("caveat");
  add_damage(words, disk.did_blocks, disk.dnor_blocks);
  words.add("--band", disk.band_bytes, "Size of a band").in_bytes().show_default("64MiB");
}

inline void add_size(OptionList& words, NewDisk& disk) {
  words.add("--size", disk.size_bytes, "Its size").in_bytes().show_default("of the file or device");
}

// What only a Caveat-Scriptor disk has that is made.
inline void add_unshingled(OptionList& words, NewDisk& disk) {
  words
      .add("--unshingled", disk.unshingled_bytes,
           "Caveat-Scriptor: so much of its begin takes writes without damage")
      .in_bytes()
      .show_default("0");
  words
      .add_choice(
          "--unwritten", disk.unwritten,
          "Caveat-Scriptor: a read of a sector that was never written: error; zeroes: as if zeroes had "
          "been written to all in order",
          {{"error", Unwritten::kMaybeDamaged}, {"zeroes", Unwritten::kZeroes}})
      .show_default("error");
}

inline OptionHandle add_policy(OptionList& words, const PlacementPolicy*& policy) {
  std::vector<std::pair<std::string, const PlacementPolicy*>> policies;
  for (const PlacementPolicy& row : kPlacementPolicies) policies.emplace_back(row.name, &row);
  return words.add_choice("--policy", policy, "Caveat-Scriptor: where files are placed", policies);
}

inline OptionHandle add_cleaning(OptionList& words, const CleaningPolicy*& policy) {
  std::vector<std::pair<std::string, const CleaningPolicy*>> policies;
  for (const CleaningPolicy& row : kCleaningPolicies) policies.emplace_back(row.name, &row);
  return words.add_choice("--clean", policy, "Strict append: which band is cleaned", policies);
}

// Where an SMRfs is.
inline void add_place(OptionList& words, SmrPlace& place) {
  words.add("--device", place.device, "Block device with SMRfs, in place of the next three");
  words.add("--data", place.disk.data, "File or block device of the shingled disk");
  words.add("--state", place.disk.state, "File with its damaged blocks or cursors");
  words.add("--metadata", place.metadata, "Folder for names and extents, on another disk");
}

}  // namespace patina
