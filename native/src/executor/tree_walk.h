// Visits every file of an aged tree.
#pragma once

#include <functional>

#include "base/result.h"
#include "executor/file_system.h"

namespace patina {

// Below the directory `root_fd`, without following links or crossing into other file systems; lost+found of
// the root is not ours. Error: kIoError.
Status walk_tree(int root_fd, const std::function<void(const FoundFile&)>& visit);

}  // namespace patina
