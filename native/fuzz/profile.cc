// Fuzzes profiles in JSON.
#include "model/profile.h"

#include "profile_fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  patina::require_sense(patina::parse_profile(patina::text_of(data, size)));
  return 0;
}
