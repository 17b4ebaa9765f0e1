// Makes a directory tree for scan.sh: FILES sparse files of many sizes, 100 to a directory, the directories
// 20 to a directory, below FOLDER.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/random.h"
#include "executor/posix_file_system.h"

namespace patina {
namespace {

constexpr uint64_t kFilesADirectory = 100;
constexpr uint64_t kDirectoriesADirectory = 20;

// Directory 0 is the folder; the directories below n are 20*n+1 to 20*n+20.
std::string path_of(const std::string& folder, uint64_t directory) {
  if (directory == 0) return folder;
  return path_of(folder, (directory - 1) / kDirectoriesADirectory) + fmt::format("/directory-{}", directory);
}

bool make_file(int directory_fd, const std::string& name, uint64_t bytes) {
  const Descriptor file(openat(directory_fd, name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644));
  return file.valid() && ftruncate(file.get(), static_cast<off_t>(bytes)) == 0;
}

bool make_tree(const std::string& folder, uint64_t files_count) {
  Random random(1);
  for (uint64_t made = 0, directory = 0; made < files_count; ++directory) {
    const std::string path = path_of(folder, directory);
    if (mkdir(path.c_str(), 0755) != 0 && errno != EEXIST) return false;
    const Descriptor handle(open(path.c_str(), O_PATH | O_DIRECTORY | O_CLOEXEC));
    if (!handle.valid()) return false;
    for (uint64_t i = 0; i < kFilesADirectory && made < files_count; ++i, ++made) {
      const uint64_t bytes = random.next() >> (40 + random.below(24));
      if (!make_file(handle.get(), fmt::format("some-file-{}.dat", made), bytes)) return false;
    }
  }
  return true;
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  if (argc == 3 && patina::make_tree(argv[1], std::strtoull(argv[2], nullptr, 10))) return 0;
  std::perror(argc == 3 ? "make-tree" : "usage: make-tree FOLDER FILES");
  return 1;
}
