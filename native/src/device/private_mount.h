// A device mounted read-only, invisible to other processes, for the lifetime of an object.
#pragma once

#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

struct FileSystemKind;

// The mount is in no folder and no namespace: it ends with its descriptor, however the process ends.
class PrivateMount {
 public:
  // Recognises ext4, xfs and btrfs by their super blocks and mounts them so that not even a journal is
  // replayed: no byte of the device changes. An ext4 or xfs whose journal would have to be replayed first is
  // refused. Errors: kDeviceBusy, kDeviceUnusable, kLayoutUnsupported, kIoError.
  static Result<PrivateMount> open(const std::string& device);
  // The kind of the file system on it. Errors as above.
  static Result<const FileSystemKind*> kind_on(const std::string& device);
  // Mounts the metadata partition of SMRfs, an ext4, with its options as usual: to be written unless
  // `is_read_only`. Errors as above; kDeviceUnusable: it has no SMRfs.
  static Result<PrivateMount> open_smrfs(const std::string& device, bool is_read_only);

  // The root directory of the mounted file system.
  int root_fd() const { return root_.get(); }

 private:
  static Result<PrivateMount> mount(const std::string& device, const FileSystemKind& kind, bool is_read_only);

  PrivateMount(Descriptor mount, Descriptor root) : mount_(std::move(mount)), root_(std::move(root)) {}

  Descriptor mount_;  // declared first: the root is closed before it
  Descriptor root_;
};

}  // namespace patina
