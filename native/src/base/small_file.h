// Reads a small file of a user whole: a profile, a checkpoint. No file can make it hang.
#pragma once

#include <cstddef>
#include <string>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// Opens a file for reading; `what` names it in errors, e.g. "the profile". Error: `code`, also when it is not
// a regular file.
Result<Descriptor> open_regular_file(const std::string& path, ErrorCode code, const char* what);

// Reads a regular file of at most `max_bytes` bytes; refuses any other with an error of `code` that names it
// as `what`.
Result<std::string> read_small_file(const std::string& path, size_t max_bytes, ErrorCode code,
                                    const char* what);

// Reads standard input, of any type, to its end; otherwise as above.
Result<std::string> read_small_input(size_t max_bytes, ErrorCode code, const char* what);

}  // namespace patina
