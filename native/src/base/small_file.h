// Reads a small file of a user's whole: a profile, a checkpoint. Nothing that is handed in can make it hang.
#pragma once

#include <cstddef>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// For reading; `what` is what errors call the file, e.g. "the profile". Error: `code`; also of what is not a
// regular file.
Result<Descriptor> open_regular_file(const std::string& path, ErrorCode code, const char* what);

// Refuses what is not a regular file, and what is larger than `max_bytes`, with an error of `code` that calls
// the file `what`, e.g. "the profile".
Result<std::string> read_small_file(const std::string& path, size_t max_bytes, ErrorCode code,
                                    const char* what);

// The same of standard input, to its end, whatever it is.
Result<std::string> read_small_input(size_t max_bytes, ErrorCode code, const char* what);

}  // namespace patina
