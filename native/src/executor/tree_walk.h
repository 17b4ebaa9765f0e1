// Visits every file of an aged tree.
#pragma once

#include <functional>

#include "base/result.h"
#include "executor/file_system.h"

namespace patina {

// Walks below the directory `root_fd`, without following links or crossing into other file systems; skips the
// root's lost+found. Error: kIoError.
Status walk_tree(int root_fd, const std::function<void(const FoundFile&)>& visit);

}  // namespace patina
