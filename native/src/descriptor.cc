// Closing and moving a descriptor.
#include "descriptor.h"

#include <unistd.h>

#include <utility>

namespace patina {

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  if (this != &other) {
    if (valid()) close(fd_);
    fd_ = other.release();
  }
  return *this;
}

Descriptor::~Descriptor() {
  if (valid()) close(fd_);
}

int Descriptor::release() {
  return std::exchange(fd_, -1);
}

}  // namespace patina
