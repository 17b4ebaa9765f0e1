// One buffer; unread bytes move to its front before each read.
#include "base/buffered_input.h"

#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstring>

namespace patina {

BufferedInput::BufferedInput(int fd)
    : fd_(fd), buffer_(std::make_unique_for_overwrite<uint8_t[]>(kCapacityBytes)) {}

bool BufferedInput::read_more() {
  if (ended_) return false;
  std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
  end_ -= begin_;
  begin_ = 0;
  ssize_t n = 0;
  do {
    n = ::read(fd_, buffer_.get() + end_, kCapacityBytes - end_);
  } while (n < 0 && errno == EINTR);
  if (n < 0) error_number_ = errno;
  ended_ = n <= 0;
  if (n > 0) end_ += static_cast<size_t>(n);
  return n > 0;
}

std::span<const uint8_t> BufferedInput::peek(size_t size_bytes) {
  assert(size_bytes <= kCapacityBytes);
  while (end_ - begin_ < size_bytes && read_more()) {
  }
  return {buffer_.get() + begin_, std::min(size_bytes, end_ - begin_)};
}

std::optional<std::string_view> BufferedInput::line(size_t max_bytes) {
  assert(max_bytes < kCapacityBytes);
  size_t looked_at = 0;
  for (;;) {
    const size_t ahead = end_ - begin_;
    const uint8_t* const from = buffer_.get() + begin_;
    const void* const found =
        ahead == looked_at ? nullptr : std::memchr(from + looked_at, '\n', ahead - looked_at);
    if (found != nullptr) {
      const auto length = static_cast<size_t>(static_cast<const uint8_t*>(found) - from);
      if (length > max_bytes) return std::nullopt;
      begin_ += length + 1;
      return std::string_view(reinterpret_cast<const char*>(from), length);
    }
    looked_at = ahead;
    if (ahead > max_bytes || !read_more()) return std::nullopt;
  }
}

}  // namespace patina
