// What all requests share. Only files that implement requests include this.
#pragma once

#define FUSE_USE_VERSION 312
#include <fuse3/fuse_lowlevel.h>

#include <memory>
#include <string>

#include "smrfs/volume.h"

namespace patina {

SmrVolume& volume_of(fuse_req_t request);
std::shared_ptr<Node> node_of(fuse_req_t request, fuse_ino_t number);

// The errno of an error. What is not a user's to know is printed on standard error.
int errno_of(const Error& error);
void reply_status(fuse_req_t request, const Status& status);
// Replies with errno if `result` is negative, and with success otherwise.
void reply_result(fuse_req_t request, int result);

// An entry that the kernel may keep.
fuse_entry_param new_entry();
// Looks a name up: an entry for the reply, or an errno.
int look_up(SmrVolume& volume, const Node& parent, const char* name, fuse_entry_param& entry);
void reply_entry(fuse_req_t request, const Node& parent, const char* name);
void reply_attributes(fuse_req_t request, Node& node);

// The time of a change, as the kernel stamps files.
timespec time_now();
// A change of the inode, but not of the data, has happened.
void touch(Node& node);

}  // namespace patina
