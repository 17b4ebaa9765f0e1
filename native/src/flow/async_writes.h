// Asynchronous writes of a thread, by the kernel's own interface (io_submit).
#pragma once

#include <linux/aio_abi.h>

#include <cstdint>
#include <memory>
#include <vector>

namespace patina {

class AsyncWrites {
 public:
  AsyncWrites() = default;
  ~AsyncWrites();
  AsyncWrites(const AsyncWrites&) = delete;
  AsyncWrites& operator=(const AsyncWrites&) = delete;

  size_t outstanding_count() const { return outstanding_count_; }
  // Starts a write; waits for others first when kMost are outstanding. Returns 0 or an errno.
  int start(int fd, const char* data, uint64_t bytes, int64_t offset);
  // Waits until at least `count` writes have ended. Returns 0, or the errno of one that failed.
  int wait(size_t count);

 private:
  static constexpr unsigned kMost = 256;

  aio_context_t context_ = 0;
  size_t outstanding_count_ = 0;
  std::vector<io_event> events_;
};

}  // namespace patina
