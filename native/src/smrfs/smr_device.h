// A device with all of an SMRfs: its metadata partition, an ext4, and behind it the shingled disk.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "area/shingled_disk.h"
#include "base/event.h"
#include "base/result.h"
#include "device/private_mount.h"

namespace patina {

struct SmrFormatOptions {
  std::string device;
  std::string uuid;              // of the metadata partition; empty: random
  uint64_t partition_bytes = 0;  // its size; 0: a 32nd of the device, at least 16 MiB
  NewDisk disk;                  // interface, DID, DNOR and band
};

// `shingle format`: makes an empty SMRfs on the device by mke2fs(8), in place of all that it has. Emits hello
// and a summary. kDeviceBusy; kDeviceUnusable: mke2fs fails; kDeviceTooSmall; kUsage: the geometry; kIoError.
Status run_smr_format(const SmrFormatOptions& options, EventSink& sink);

// The metadata partition while it is mounted, for this process alone.
class SmrDevice {
 public:
  // Errors of PrivateMount::open_smrfs(); read-only, kDeviceUnusable: it was not unmounted cleanly.
  static Result<SmrDevice> open(const std::string& device, bool is_read_only);

  // The metadata folder, and the file of the state of the shingled disk, for system calls of this process.
  std::string metadata() const;
  std::string state() const;
  int root_fd() const { return mount_.root_fd(); }

 private:
  explicit SmrDevice(PrivateMount mount) : mount_(std::move(mount)) {}

  PrivateMount mount_;
};

// Where an SMRfs is: on a device, or on a shingled disk and in a folder of another file system.
struct SmrPlace {
  std::string device;
  ShingledDiskOptions disk;
  std::string metadata;
};

// Opens the device, if there is one, and sets the other fields to what it has; the mount lasts as long as
// what is returned. kUsage: a part of the place is missing, or too much is given. Errors of
// SmrDevice::open().
Result<std::optional<SmrDevice>> open_place(SmrPlace& place, bool is_read_only);

}  // namespace patina
