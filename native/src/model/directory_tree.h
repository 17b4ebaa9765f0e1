// The directories of the files: their shape, their paths, and the number of files in each.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace patina {

// Directory 0 is the mount root. The directories of a depth are numbered together, after those above them;
// their parents are those of the depth above, in turn, so that no parent has them all.
class DirectoryTree {
 public:
  // `subdirs_count[d]` directories at depth d; [0] is 1, the mount root.
  explicit DirectoryTree(std::vector<uint32_t> subdirs_count);
  // Makes the mount root alone, to be grown by add().
  DirectoryTree() : parent_(1, 0) {}

  // Adds the next directory below `parent` and returns its number.
  uint32_t add(uint32_t parent);

  uint32_t count() const { return static_cast<uint32_t>(parent_.size()); }
  // Of a tree that was not grown: the directories of a depth.
  uint32_t first_at(uint32_t depth) const { return first_[depth]; }
  uint32_t count_at(uint32_t depth) const { return first_[depth + 1] - first_[depth]; }
  uint32_t parent(uint32_t directory) const { return parent_[directory]; }
  // Returns its name in its parent, e.g. "d1k". Files' names never start so (file_name.h).
  std::string name(uint32_t directory) const;
  // Returns its path relative to the mount root; "." for the root itself.
  std::string path(uint32_t directory) const;

 private:
  std::vector<uint32_t> first_;   // by depth, and one past the deepest
  std::vector<uint32_t> parent_;  // by directory
};

// The number of files in each directory of one depth. Finds a least-filled one, and counts a file in or out,
// in constant time: the directories are sorted by fill, and a file moves its directory across one border.
class DirectoryFill {
 public:
  explicit DirectoryFill(uint32_t directories_count);

  // Counts a file into the least-filled directory and returns that.
  uint32_t add_to_least_filled();
  // Counts a file out of a directory.
  void remove_from(uint32_t directory);

 private:
  void swap_positions(uint32_t a, uint32_t b);

  std::vector<uint32_t> sorted_;    // position -> directory, by fill ascending
  std::vector<uint32_t> position_;  // directory -> position
  std::vector<uint32_t> fill_;      // directory -> files
  std::vector<uint32_t> end_;       // fill -> first position beyond the directories of at most that fill
};

}  // namespace patina
