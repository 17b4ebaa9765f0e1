// First opened, first closed.
#include "smrfs/open_files.h"

#include <utility>

#include "smrfs/node.h"

namespace patina {

void OpenFiles::opened(std::weak_ptr<const Node> node) {
  std::weak_ptr<const Node> first;
  {
    const std::lock_guard lock(mutex_);
    nodes_.push_back(std::move(node));
    if (nodes_.size() <= most_) return;
    first = std::move(nodes_.front());
    nodes_.pop_front();
  }
  if (const std::shared_ptr<const Node> closed = first.lock()) closed->close();
}

}  // namespace patina
