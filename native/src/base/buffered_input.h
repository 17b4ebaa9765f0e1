// Reads a file forwards, in records or in lines, with as little memory as the longest of them needs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>

namespace patina {

class BufferedInput {
 public:
  static constexpr size_t kCapacityBytes = size_t{256} << 10U;

  // The caller keeps ownership of the descriptor.
  explicit BufferedInput(int fd);

  // Returns the next `size_bytes` bytes without consuming them, or all that remain; at most kCapacityBytes.
  // Valid until the next call.
  std::span<const uint8_t> peek(size_t size_bytes);
  // Consumes bytes that were peeked.
  void skip(size_t size_bytes) { begin_ += size_bytes; }
  // Consumes a line and returns it without its end; nothing when no line ends within `max_bytes`.
  std::optional<std::string_view> line(size_t max_bytes);
  bool at_end() { return peek(1).empty(); }
  // errno of the read that failed, which otherwise looks like the end; 0 if none failed.
  int error_number() const { return error_number_; }

 private:
  bool read_more();

  int fd_;
  std::unique_ptr<uint8_t[]> buffer_;  // not zeroed: a short file touches little of it
  size_t begin_ = 0;
  size_t end_ = 0;
  bool ended_ = false;
  int error_number_ = 0;
};

}  // namespace patina
