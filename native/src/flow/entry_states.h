// Which entries of a file set exist, and which are being made or removed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace patina {

class EntryStates {
 public:
  explicit EntryStates(size_t count)
      : count_(count), existing_((count + 63) / 64), busy_((count + 63) / 64) {}

  size_t count() const { return count_; }
  bool exists(size_t entry) const { return bit(existing_, entry); }
  bool is_busy(size_t entry) const { return bit(busy_, entry); }
  size_t busy_count() const { return busy_count_; }

  void set_exists(size_t entry, bool exists) { set(existing_, entry, exists); }
  void set_busy(size_t entry, bool busy) {
    if (busy && !is_busy(entry)) ++busy_count_;
    if (!busy && is_busy(entry)) --busy_count_;
    set(busy_, entry, busy);
  }

  // Returns the first entry from `from` on, and from 0 on behind the last, that exists as asked and is not
  // busy.
  std::optional<size_t> find(bool existing, size_t from) const;

 private:
  using Bits = std::vector<uint64_t>;

  static bool bit(const Bits& bits, size_t entry) { return ((bits[entry / 64] >> (entry % 64)) & 1U) != 0; }
  static void set(Bits& bits, size_t entry, bool value) {
    const uint64_t mask = uint64_t{1} << (entry % 64);
    bits[entry / 64] = value ? bits[entry / 64] | mask : bits[entry / 64] & ~mask;
  }
  // Returns the first suitable entry in [from, to).
  std::optional<size_t> find_between(bool existing, size_t from, size_t to) const;

  size_t count_;
  Bits existing_;
  Bits busy_;
  size_t busy_count_ = 0;
};

}  // namespace patina
