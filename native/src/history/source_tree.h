// A tree of text files that is edited at random, reproducibly.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/random.h"

namespace patina {

// A file is a list of lines, each made from its number alone.
struct SourceFile {
  std::string path;
  std::vector<uint64_t> lines;
};

class SourceTree {
 public:
  // Half of the files have at most 96 lines, one of 512 has 12 288 or more; lines have about 40 bytes. A
  // directory has about 12 files.
  SourceTree(uint64_t seed, uint64_t files_count);

  const std::vector<std::unique_ptr<SourceFile>>& files() const { return files_; }

  struct Change {
    std::string path;
    const SourceFile* file;  // null: it was removed
  };
  // Changes one file with probability 1/2, two with 1/4, and so on up to 64, each at one to four places. One
  // change in 16 adds a file, one in 32 removes one. Valid until the next call.
  const std::vector<Change>& change();

 private:
  const SourceFile& add_file();
  std::string drawn_directory();
  void edit(SourceFile& file);
  uint64_t doublings(uint64_t most);

  Random random_;
  std::vector<std::string> directories_{""};
  std::vector<std::unique_ptr<SourceFile>> files_;
  uint64_t named_count_ = 0;
  uint64_t lines_count_ = 0;
  std::vector<std::unique_ptr<SourceFile>>
      removed_;  // by the change that is being made: no address is used again
  std::vector<Change> changes_;
};

// Appends the text of the file.
void append_text(const SourceFile& file, std::string& text);

}  // namespace patina
