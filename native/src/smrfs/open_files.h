// The open files of the metadata folder: at most so many, since the kernel may know many more.
#pragma once

#include <cstddef>
#include <deque>
#include <memory>
#include <mutex>

namespace patina {

struct Node;

// Thread safe.
class OpenFiles {
 public:
  // `folder_fd`: open on the metadata folder.
  OpenFiles(int folder_fd, size_t most) : folder_fd_(folder_fd), most_(most) {}

  int folder_fd() const { return folder_fd_; }
  // A node has opened its file. Those that were opened first are closed, where they can be opened again.
  void opened(std::weak_ptr<const Node> node);

 private:
  const int folder_fd_;
  const size_t most_;
  std::mutex mutex_;
  std::deque<std::weak_ptr<const Node>> nodes_;  // in the order of their opening
};

}  // namespace patina
