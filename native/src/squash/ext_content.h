// Whether a block of an ext file system may be metadata, by its content alone.
#pragma once

#include <cstdint>
#include <span>

namespace patina {

struct ExtContent {
  uint64_t blocks_count = 0;  // below 2^32
  bool is_encrypted = false;

  // `block`: 1024 bytes or more. Both look at few bytes of most data.
  bool may_be_metadata(std::span<const uint8_t> block) const;  // but for the target of a symbolic link
  bool may_be_link(std::span<const uint8_t> block) const;
};

}  // namespace patina
