// Directories that walkers of one tree share.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <optional>
#include <vector>

#include "base/descriptor.h"

namespace patina {

// An open directory whose entries are still unread.
struct UnreadDirectory {
  Descriptor handle;
  uint32_t depth = 0;
};

// Walkers keep the directories they find, and share one only while another walker waits: the pool never holds
// more directories than there are walkers, however large the tree.
class DirectoryPool {
 public:
  explicit DirectoryPool(int walkers_count) : walkers_count_(walkers_count) {}

  // Reports whether a waiting walker has no directory yet. Cheap enough to call at every directory.
  bool is_hungry() const { return hungry_.load(std::memory_order_relaxed) > 0; }
  void put(UnreadDirectory directory);
  // Waits for a directory. None when every walker waits, which is the end of the tree, or after close().
  std::optional<UnreadDirectory> take();
  void close();

 private:
  void count_hungry();  // with mutex_ held

  const int walkers_count_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<UnreadDirectory> directories_;
  int waiting_count_ = 0;
  bool closed_ = false;
  std::atomic<int> hungry_{0};
};

}  // namespace patina
