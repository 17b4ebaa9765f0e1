// Geriatrix's profiles: a folder of three texts, each a count and that many rows.
#pragma once

#include <string>
#include <string_view>

#include "model/profile.h"

namespace patina {

// The three texts of a profile.
struct GeriatrixTexts {
  std::string_view size;
  std::string_view depth;
  std::string_view age;
};

// Rows are `bytes weight`, `depth weight subdirs` and `age weight`, numbers between blanks, a row a line. An
// age is the upper edge of its bin, in any unit: only its ratio to the last one counts, as in Patina's own
// profiles. Text after the rows is ignored. `folder` is used in error messages only. Error: kProfileInvalid,
// naming the file and the line.
Result<Profile> parse_geriatrix_profile(const std::string& folder, const GeriatrixTexts& texts);

// Reads size_distribution.txt, dir_distribution.txt and age_distribution.txt. Error: kProfileInvalid.
Result<Profile> load_geriatrix_profile(const std::string& folder);

}  // namespace patina
