// Builds a Profile bin by bin, from any format: the only validation of bins.
#pragma once

#include <string>

#include "model/profile.h"

namespace patina {

class ProfileBuilder {
 public:
  // `where` begins the error message: the place of the bin in its source. Errors: kProfileInvalid.
  Status add_size(const std::string& where, double bytes, double weight);
  Status add_depth(const std::string& where, double depth, double weight, double subdirs_count);
  Status add_age(const std::string& where, double age, double weight);

  // Normalises the weights and takes the digest. Each histogram must have a bin. Error: kProfileInvalid.
  Result<Profile> finish();

 private:
  Profile profile_;  // its fractions are still weights
  uint64_t directories_count_ = 0;
};

}  // namespace patina
