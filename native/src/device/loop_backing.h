// The backing file of a loop device, as this process can reach it.
#pragma once

#include <sys/types.h>

#include <string>

namespace patina {

// Returns a path of the file with this file system and inode: `shown`, the name that the kernel shows, or the
// mount point of a file system that consists of this file alone (an emulated disk), which may be mounted in
// another mount namespace only. Empty if this process cannot reach the file.
std::string reach_loop_backing(const std::string& shown, dev_t file_system, ino_t inode);

}  // namespace patina
