// Trees of names, links, attributes and data, to fill a file system with, and their description.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <set>
#include <string>

#include "base/descriptor.h"
#include "base/random.h"
#include "testing/device_testing.h"

namespace patina {

// What dropping must not change: one line for each name.
inline std::set<std::string> described_tree(const std::string& folder) {
  std::set<std::string> lines;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    struct stat shape{};
    EXPECT_EQ(::lstat(path.c_str(), &shape), 0);
    std::string line = fmt::format("{} ino {} mode {:o} links {}", path.substr(folder.size()), shape.st_ino,
                                   shape.st_mode, shape.st_nlink);
    if (!S_ISDIR(shape.st_mode)) line += fmt::format(" size {}", shape.st_size);
    if (S_ISLNK(shape.st_mode)) line += " to " + std::filesystem::read_symlink(entry.path()).string();
    std::array<char, 65536> names{};
    const ssize_t length = ::llistxattr(path.c_str(), names.data(), names.size());
    for (ssize_t at = 0; at < length;
         at += static_cast<ssize_t>(std::strlen(&names[static_cast<size_t>(at)])) + 1) {
      std::array<char, 65536> value{};
      const char* name = &names[static_cast<size_t>(at)];
      const ssize_t size = ::lgetxattr(path.c_str(), name, value.data(), value.size());
      line +=
          fmt::format(" {}={}", name, size < 0 ? "?" : std::string(value.data(), static_cast<size_t>(size)));
    }
    lines.insert(line);
  }
  return lines;
}

// How much of each kind of metadata, and of data.
struct TreeShape {
  uint64_t data_bytes = uint64_t{170} << 20U;
  size_t names_count = 1200;
  size_t link_bytes = 900;        // of targets of symbolic links
  size_t attribute_bytes = 2500;  // 0: none
  int fragments_count = 1500;     // of each of three files
  uint64_t seed = 1;
};

// Fills a mounted file system.
class TreeFiller {
 public:
  explicit TreeFiller(const TreeShape& shape) : shape_(shape), random_(shape.seed) {}

  void fill(const std::string& folder) {
    names(folder + "/names");
    fragments(folder + "/fragments");
    data(folder + "/data");
  }

  static std::string text(size_t bytes, Random& random) {
    static constexpr std::array kWords = {"disk ", "of ", "a ", "piece ", "that ", "tree\n", "is ", "old "};
    std::string words;
    while (words.size() < bytes) words += kWords[random.below(kWords.size())];
    words.resize(bytes);
    return words;
  }

 private:
  static void write_file(const std::string& path, const std::string& bytes) {
    const Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
    ASSERT_TRUE(file.valid()) << path << " errno " << errno;
    ASSERT_EQ(::write(file.get(), bytes.data(), bytes.size()), static_cast<ssize_t>(bytes.size())) << path;
  }

  void names(const std::string& folder) {
    std::filesystem::create_directory(folder);
    const auto name = [&](size_t i) { return fmt::format("{}/{:0>{}}", folder, i, 20 + i * 7 % 180); };
    write_file(folder + "/first", "first");
    for (size_t i = 0; i < shape_.names_count; ++i) {
      switch (i % 4) {
        case 0:
          write_file(name(i), text(i % 300, random_));
          attribute(name(i), i);
          break;
        case 1:
          ASSERT_EQ(::link((folder + "/first").c_str(), name(i).c_str()), 0) << errno;
          break;
        case 2:
          // Targets that begin with text, with bytes above 127, and of any length.
          ASSERT_EQ(
              ::symlink(
                  (text(40, random_) + std::string(1 + i * 31 % (shape_.link_bytes - 40), '\xe4')).c_str(),
                  name(i).c_str()),
              0);
          break;
        default:
          std::filesystem::create_directory(name(i));
      }
    }
    for (size_t i = 0; i < shape_.names_count; i += 3) std::filesystem::remove(name(i));
    for (size_t i = 0; i < shape_.names_count; i += 6) write_file(name(i), "again");
  }

  void attribute(const std::string& path, size_t i) const {
    if (shape_.attribute_bytes == 0) return;
    const std::string value(1 + i * 97 % shape_.attribute_bytes, static_cast<char>('a' + i % 26));
    ASSERT_EQ(::setxattr(path.c_str(), "user.note", value.data(), value.size(), 0), 0) << errno;
  }

  // Files of many extents: every second block is written.
  void fragments(const std::string& folder) {
    std::filesystem::create_directory(folder);
    for (int file = 0; file < 3; ++file) {
      const std::string path = folder + "/" + std::to_string(file);
      const Descriptor written(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0640));
      ASSERT_TRUE(written.valid()) << path << " errno " << errno;
      const std::string block = random_bytes(4096, static_cast<uint32_t>(file));
      for (off_t at = 0; at < shape_.fragments_count; ++at) {
        ASSERT_EQ(::pwrite(written.get(), block.data(), block.size(), at * 8192), 4096) << errno;
      }
      ASSERT_EQ(::fsync(written.get()), 0);
    }
  }

  void data(const std::string& folder) {
    std::filesystem::create_directory(folder);
    uint64_t left = shape_.data_bytes;
    for (uint32_t i = 0; left > 0; ++i) {
      const uint64_t bytes = std::min<uint64_t>(left, uint64_t{1} << (14 + random_.below(9)));
      const std::string path = folder + "/" + std::to_string(i);
      write_file(path, i % 3 == 0 ? text(bytes, random_) : random_bytes(bytes, i));
      if (i % 7 == 6) {
        std::filesystem::remove(path);
      } else {
        left -= bytes;
      }
    }
  }

  TreeShape shape_;
  Random random_;
};

}  // namespace patina
