// A file descriptor that closes itself.
#pragma once

#include <cstddef>

namespace patina {

class Descriptor {
 public:
  explicit Descriptor(int fd = -1) : fd_(fd) {}
  Descriptor(Descriptor&& other) noexcept : fd_(other.release()) {}
  Descriptor& operator=(Descriptor&& other) noexcept;
  ~Descriptor();
  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  int release();

 private:
  int fd_;
};

// Raises the soft limit on open files to the hard one and returns it, at most 2^20.
size_t raise_file_limit();

}  // namespace patina
