// Who uses a block device or file, in words: what a person needs when the device is busy.
#pragma once

#include <sys/types.h>

#include <string>

namespace patina {

// "mounted on /mnt", "used by dm-0", "in use as swap", or that another program holds it.
std::string describe_block_device_holder(dev_t device);

// The loop device that is backed by this file, such as "/dev/loop3"; empty when there is none.
std::string loop_device_over(dev_t file_system, ino_t inode);

}  // namespace patina
