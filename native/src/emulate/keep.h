// The `keep` command: data of chosen paths on an emulated disk stays as written, other held data is dropped.
#pragma once

#include <atomic>
#include <string>
#include <vector>

#include "base/event.h"
#include "base/result.h"

namespace patina {

struct KeepOptions {
  std::string folder;  // of the emulated disk
  std::string mount;   // root of the file system on it
  std::vector<std::string> paths;
};

// Syncs the mount, finds the places of all files that match (FIEMAP), and names them to the emulator in one
// selection. Emits hello and a summary. What is written after the sync stays held. Files that are renamed
// meanwhile may be missed. Errors: kUsage, kMountUnusable (also: of another disk), kBackingInvalid,
// kLayoutUnsupported, kIoError, kCanceled; after each of them nothing was dropped.
Status run_keep(const KeepOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
