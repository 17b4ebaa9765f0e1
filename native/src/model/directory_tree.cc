// The directory tree and its fill.
#include "model/directory_tree.h"

#include <cassert>
#include <utility>

#include "model/file_name.h"

namespace patina {

DirectoryTree::DirectoryTree(std::vector<uint32_t> subdirs_count) {
  assert(!subdirs_count.empty() && subdirs_count[0] == 1);
  for (const uint32_t count : subdirs_count) {
    assert(count > 0);
    const uint32_t start = this->count();
    for (uint32_t i = 0; i < count; ++i) {
      const bool root = first_.empty();
      parent_.push_back(root ? 0 : first_.back() + i % (start - first_.back()));
    }
    first_.push_back(start);
  }
  first_.push_back(count());
}

uint32_t DirectoryTree::add(uint32_t parent) {
  assert(parent < count());
  parent_.push_back(parent);
  return count() - 1;
}

std::string DirectoryTree::name(uint32_t directory) const {
  return std::string(FileName('d', directory).c_str());
}

std::string DirectoryTree::path(uint32_t directory) const {
  if (directory == 0) return ".";
  std::string path = name(directory);
  for (uint32_t up = parent(directory); up != 0; up = parent(up)) path.insert(0, name(up) + "/");
  return path;
}

DirectoryFill::DirectoryFill(uint32_t directories_count)
    : sorted_(directories_count),
      position_(directories_count),
      fill_(directories_count, 0),
      end_(1, directories_count) {
  for (uint32_t i = 0; i < directories_count; ++i) sorted_[i] = position_[i] = i;
}

void DirectoryFill::swap_positions(uint32_t a, uint32_t b) {
  std::swap(sorted_[a], sorted_[b]);
  position_[sorted_[a]] = a;
  position_[sorted_[b]] = b;
}

uint32_t DirectoryFill::add_to_least_filled() {
  const uint32_t directory = sorted_[0];
  const uint32_t fill = fill_[directory]++;
  if (fill + 1 == end_.size()) end_.push_back(static_cast<uint32_t>(sorted_.size()));
  swap_positions(0, --end_[fill]);
  return directory;
}

void DirectoryFill::remove_from(uint32_t directory) {
  assert(fill_[directory] > 0);
  const uint32_t fill = fill_[directory]--;
  swap_positions(position_[directory], end_[fill - 1]++);
}

}  // namespace patina
