// The user of a block device or file, described for the error that the device is busy.
#pragma once

#include <sys/types.h>

#include <string>

namespace patina {

// Returns a text like "it is mounted on /mnt; unmount it first", or that another program has it open.
std::string describe_block_device_holder(dev_t device);

// Returns the loop device that is backed by this file, such as "/dev/loop3"; empty when there is none.
std::string loop_device_over(dev_t file_system, ino_t inode);

}  // namespace patina
