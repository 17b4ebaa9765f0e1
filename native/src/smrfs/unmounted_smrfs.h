// An SMRfs on a device that is not mounted, read without a change.
#pragma once

#include <memory>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"
#include "smrfs/extent_map.h"
#include "smrfs/smr_device.h"

namespace patina {

class UnmountedSmrFs {
 public:
  // kDeviceUnusable: it was not unmounted cleanly; kBackingInvalid: its extents are damaged. Errors of
  // SmrDevice::open().
  static Result<std::unique_ptr<UnmountedSmrFs>> open(const std::string& device);

  // The root of its files in the metadata partition, and the root of that.
  int files_fd() const { return files_.get(); }
  int partition_fd() const { return device_.root_fd(); }
  // With what the files have.
  const DataArea& area() const { return *area_; }
  // Returns the extents of a file that is open below files_fd(). kBackingInvalid; kIoError.
  static Result<ExtentMap> map_of(int fd);

 private:
  UnmountedSmrFs(SmrDevice device, Descriptor files, std::unique_ptr<DataArea> area)
      : device_(std::move(device)), files_(std::move(files)), area_(std::move(area)) {}

  SmrDevice device_;  // declared first: what is open in it is closed before it
  Descriptor files_;
  std::unique_ptr<DataArea> area_;
};

}  // namespace patina
