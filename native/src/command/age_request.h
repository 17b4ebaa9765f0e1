// The options of `age` as one JSON document: `age --request FILE`.
#pragma once

#include <string>
#include <vector>

#include "base/result.h"

namespace patina {

inline constexpr size_t kMaxRequestBytes = size_t{4} << 20U;

struct AgeRequest {
  std::vector<std::string> words;  // as on the command line
  std::string profile_document;    // JSON; empty: there is none
};

// Reads an object from a file, or from the first line of standard input ('-'), where control lines follow.
// Each member is the option of its name, with '_' for '-'; one that is null is left out; `profile` is a
// document, as in a profile's file. Error: kUsage.
Result<AgeRequest> read_age_request(const std::string& file);

}  // namespace patina
