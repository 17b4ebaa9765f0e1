// Partitions of loop devices.
#pragma once

#include <linux/blkpg.h>
#include <linux/loop.h>
#include <sys/ioctl.h>

#include <string>

#include "device_testing.h"

namespace patina {

// The first partition of a loop device, made without a partition table, which not every kernel reads. It goes
// with the device.
class LoopPartition {
 public:
  LoopPartition(const LoopDevice& disk, uint64_t begin_bytes, uint64_t length_bytes)
      : path_(disk.path() + "p1") {
    const int fd = ::open(disk.path().c_str(), O_RDWR | O_CLOEXEC);
    loop_info64 info = {};
    EXPECT_EQ(::ioctl(fd, LOOP_GET_STATUS64, &info), 0);
    info.lo_flags |= LO_FLAGS_PARTSCAN;
    EXPECT_EQ(::ioctl(fd, LOOP_SET_STATUS64, &info), 0);
    blkpg_partition partition{};
    partition.start = static_cast<long long>(begin_bytes);
    partition.length = static_cast<long long>(length_bytes);
    partition.pno = 1;
    blkpg_ioctl_arg add{
        .op = BLKPG_ADD_PARTITION, .flags = 0, .datalen = sizeof partition, .data = &partition};
    EXPECT_EQ(::ioctl(fd, BLKPG, &add), 0) << "errno " << errno;
    ::close(fd);
    for (int i = 0; i < 200 && ::access(path_.c_str(), F_OK) != 0; ++i) ::usleep(10'000);
    EXPECT_EQ(::access(path_.c_str(), F_OK), 0) << path_ << " does not appear";
  }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace patina
