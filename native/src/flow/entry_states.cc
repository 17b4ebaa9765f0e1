// Searches the bits of entries, 64 at a time.
#include "flow/entry_states.h"

#include <bit>

namespace patina {

std::optional<size_t> EntryStates::find(bool existing, size_t from) const {
  if (from >= count_) from = 0;
  if (const std::optional<size_t> found = find_between(existing, from, count_)) return found;
  return find_between(existing, 0, from);
}

std::optional<size_t> EntryStates::find_between(bool existing, size_t from, size_t to) const {
  for (size_t word = from / 64; word * 64 < to; ++word) {
    uint64_t suitable = (existing ? existing_[word] : ~existing_[word]) & ~busy_[word];
    if (word == from / 64) suitable &= ~uint64_t{0} << (from % 64);
    if (suitable == 0) continue;
    const size_t entry = word * 64 + static_cast<size_t>(std::countr_zero(suitable));
    if (entry >= to) return std::nullopt;
    return entry;
  }
  return std::nullopt;
}

}  // namespace patina
