// The requests of the kernel, as libfuse's low-level interface passes them on.
#pragma once

#include "smrfs/volume.h"

struct fuse_lowlevel_ops;

namespace patina {

// Each adds its part to the operations of a session, whose user data is the SmrVolume.
void add_name_requests(fuse_lowlevel_ops& ops);       // names and directories
void add_directory_requests(fuse_lowlevel_ops& ops);  // lists of them
void add_attribute_requests(fuse_lowlevel_ops& ops);  // what stat(2), chmod(2) and getxattr(2) need
void add_data_requests(fuse_lowlevel_ops& ops);       // data of open files

}  // namespace patina
