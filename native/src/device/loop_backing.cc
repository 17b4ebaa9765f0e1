// Searches the mount tables of all namespaces, one process of each.
#include "device/loop_backing.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>

namespace patina {
namespace {

bool is_file(const std::string& path, dev_t file_system, ino_t inode) {
  struct stat file = {};
  return ::stat(path.c_str(), &file) == 0 && file.st_dev == file_system && file.st_ino == inode;
}

// Decodes \040 and the like (Documentation/filesystems/proc.rst, 3.5).
std::string unescaped(const std::string& text) {
  constexpr size_t kEscapeChars = 4;
  constexpr int kOctal = 8;
  std::string plain;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + kEscapeChars <= text.size()) {
      plain.push_back(static_cast<char>(std::stoi(text.substr(i + 1, kEscapeChars - 1), nullptr, kOctal)));
      i += kEscapeChars - 1;
    } else {
      plain.push_back(text[i]);
    }
  }
  return plain;
}

// Returns the mount point of the file system's root in this mount table; empty if it is not mounted there.
std::string mount_point_in(const std::filesystem::path& mountinfo, const std::string& number) {
  std::ifstream in(mountinfo);
  for (std::string line; std::getline(in, line);) {
    std::istringstream fields(line);
    std::string id;
    std::string parent;
    std::string device;
    std::string root;
    std::string mount_point;
    fields >> id >> parent >> device >> root >> mount_point;
    if (device == number && root == "/") return unescaped(mount_point);
  }
  return "";
}

}  // namespace

std::string reach_loop_backing(const std::string& shown, dev_t file_system, ino_t inode) {
  if (is_file(shown, file_system, inode)) return shown;
  const std::string number = fmt::format("{}:{}", major(file_system), minor(file_system));
  std::set<std::filesystem::path> seen;
  std::error_code error;
  for (const auto& process : std::filesystem::directory_iterator("/proc", error)) {
    const std::string name = process.path().filename();
    if (!std::all_of(name.begin(), name.end(), [](unsigned char c) { return std::isdigit(c) != 0; }))
      continue;
    const auto space = std::filesystem::read_symlink(process.path() / "ns/mnt", error);
    if (error || !seen.insert(space).second) continue;
    const std::string mount_point = mount_point_in(process.path() / "mountinfo", number);
    if (mount_point.empty()) continue;
    const std::string path = process.path().string() + "/root" + mount_point;
    if (is_file(path, file_system, inode)) return path;
  }
  return "";
}

}  // namespace patina
