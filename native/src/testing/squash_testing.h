// Disks that drop what Squash lets them drop, and file systems for them.
#pragma once

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "base/all_zero.h"
#include "base/descriptor.h"
#include "base/random.h"
#include "squash/bytes.h"
#include "squash/squash.h"
#include "testing/device_testing.h"
#include "testing/filled_tree.h"

namespace patina {

// Reads a file without its holes.
inline std::vector<uint8_t> bytes_of_file(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  EXPECT_GE(fd, 0) << path;
  std::vector<uint8_t> bytes(static_cast<size_t>(::lseek(fd, 0, SEEK_END)));
  for (off_t at = ::lseek(fd, 0, SEEK_DATA); at >= 0; at = ::lseek(fd, at, SEEK_DATA)) {
    const off_t end = ::lseek(fd, at, SEEK_HOLE);
    while (at < end) {
      const ssize_t n = ::pread(fd, &bytes[static_cast<size_t>(at)], static_cast<size_t>(end - at), at);
      if (n <= 0) break;
      at += n;
    }
  }
  ::close(fd);
  return bytes;
}

inline bool is_zero_piece(std::span<const uint8_t> bytes, uint64_t piece) {
  return is_all_zero(bytes.subspan(piece * kPieceBytes, kPieceBytes));
}

// A disk in memory that keeps what Squash says, and reads random bytes for the rest.
class SquashedDisk {
 public:
  explicit SquashedDisk(uint64_t size_bytes)
      : bytes_(size_bytes),
        is_kept_(size_bytes / kPieceBytes, true),
        squash_(size_bytes, [this](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
          std::memcpy(into.data(), &bytes_[piece * kPieceBytes], kPieceBytes);
          return static_cast<bool>(is_kept_[piece]);
        }) {
    squash_.reload();
  }
  explicit SquashedDisk(const std::vector<uint8_t>& content) : SquashedDisk(content.size()) {
    bytes_ = content;
    squash_.reload();
  }

  Squash& squash() { return squash_; }
  uint64_t pieces_count() const { return is_kept_.size(); }
  bool is_kept(uint64_t piece) const { return is_kept_[piece]; }
  std::span<uint8_t> piece(uint64_t number) {
    return std::span(bytes_).subspan(number * kPieceBytes, kPieceBytes);
  }
  const std::vector<uint8_t>& bytes() const { return bytes_; }

  std::vector<Verdict> write(uint64_t first_piece, std::span<const uint8_t> data) {
    std::vector<Verdict> verdicts(data.size() / kPieceBytes);
    squash_.classify(first_piece, data, verdicts);
    std::memmove(&bytes_[first_piece * kPieceBytes], data.data(), data.size());
    for (size_t i = 0; i < verdicts.size(); ++i) {
      is_kept_[first_piece + i] = true;
      if (verdicts[i] == Verdict::kDrop) drop(first_piece + i);
    }
    squash_.stored(first_piece, verdicts.size(), verdicts);
    return verdicts;
  }

  // Brings the pieces that differ from `next`, as requests of 1 to 256 pieces in any order. What is behind
  // the end of `next` stays.
  void become(const std::vector<uint8_t>& next, Random& random) {
    struct Request {
      uint64_t first;
      uint64_t count;
    };
    std::vector<Request> requests;
    uint64_t limit = 0;
    for (uint64_t at = 0; at < next.size() / kPieceBytes; ++at) {
      if (std::memcmp(&bytes_[at * kPieceBytes], &next[at * kPieceBytes], kPieceBytes) == 0) continue;
      if (limit == 0 || requests.back().first + requests.back().count != at) {
        requests.push_back({at, 0});
        limit = uint64_t{1} << random.below(9);
      }
      ++requests.back().count;
      --limit;
    }
    for (size_t i = requests.size(); i > 1; --i) {
      std::swap(requests[i - 1], requests[random.below(static_cast<uint32_t>(i))]);
    }
    for (const Request& request : requests) {
      write(request.first, std::span(next).subspan(request.first * kPieceBytes, request.count * kPieceBytes));
    }
  }

  // Writes all that it has once more, in requests of 1 to 256 pieces, and settles.
  void rewrite_all(Random& random) {
    for (uint64_t at = 0; at < pieces_count();) {
      const uint64_t count = std::min(uint64_t{1} << random.below(9), pieces_count() - at);
      const std::vector<uint8_t> data(bytes_.begin() + static_cast<ptrdiff_t>(at * kPieceBytes),
                                      bytes_.begin() + static_cast<ptrdiff_t>((at + count) * kPieceBytes));
      write(at, data);
      at += count;
    }
    settle();
  }

  // As after two flushes and enough time. Returns what was lost, or "".
  std::string settle() {
    for (uint64_t i = 0; i < Squash::kSettleFlushes; ++i) squash_.flushed();
    const auto later = std::chrono::steady_clock::now() + Squash::kSettleAfter + std::chrono::seconds(1);
    const Squash::Settlement settlement = squash_.settle(later);
    for (const uint64_t piece : settlement.dropped) drop(piece);
    return settlement.lost;
  }

  void save(const std::string& path) const {
    const int fd = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    ASSERT_EQ(::ftruncate(fd, static_cast<off_t>(bytes_.size())), 0) << path;
    for (uint64_t piece = 0; piece < pieces_count(); ++piece) {
      if (is_zero_piece(bytes_, piece)) continue;
      const uint64_t at = piece * kPieceBytes;
      ASSERT_EQ(::pwrite(fd, &bytes_[at], kPieceBytes, static_cast<off_t>(at)),
                static_cast<ssize_t>(kPieceBytes));
    }
    ::close(fd);
  }

 private:
  void drop(uint64_t piece) {
    is_kept_[piece] = false;
    for (size_t at = 0; at < kPieceBytes; at += sizeof(uint64_t)) {
      const uint64_t word = garbage_.next();
      std::memcpy(&bytes_[piece * kPieceBytes + at], &word, sizeof word);
    }
  }

  std::vector<uint8_t> bytes_;
  std::vector<bool> is_kept_;
  Random garbage_{99};
  Squash squash_;
};

struct ImageRecipe {
  const char* name;
  const char* type;  // to mount
  std::vector<std::string> mkfs;
  uint64_t size_bytes = uint64_t{256} << 20U;
  TreeShape tree;
  const char* mount_options = "";
  std::vector<std::string> check;

  friend void PrintTo(const ImageRecipe& recipe, std::ostream* out) { *out << recipe.name; }
};

inline void make_image(const std::vector<std::string>& mkfs, uint64_t size_bytes, const std::string& path) {
  write_at(path, size_bytes - 1, std::string(1, '\0'));
  std::vector<std::string> command = mkfs;
  command.push_back(path);
  require_program(command);
}

inline std::vector<uint8_t> made_image(const std::vector<std::string>& mkfs, uint64_t size_bytes) {
  ScratchFolder folder;
  make_image(mkfs, size_bytes, folder / "image");
  return bytes_of_file(folder / "image");
}

// A file system in an image, filled, and what of it must stay.
struct FilledImage {
  std::vector<uint8_t> empty;
  std::vector<uint8_t> bytes;
  std::set<std::string> tree;
};

inline FilledImage fill_image(const ImageRecipe& recipe) {
  ScratchFolder folder;
  const std::string path = folder / "image";
  make_image(recipe.mkfs, recipe.size_bytes, path);
  FilledImage image;
  image.empty = bytes_of_file(path);
  {
    const LoopDevice loop(path, recipe.size_bytes);
    const Mount mount(loop.path(), folder / "mount", recipe.type, recipe.mount_options);
    TreeFiller(recipe.tree).fill(mount.folder());
    image.tree = described_tree(mount.folder());
  }
  image.bytes = bytes_of_file(path);
  return image;
}

inline void expect_clean(const ImageRecipe& recipe, const std::string& path) {
  std::vector<std::string> check = recipe.check;
  check.push_back(path);
  const ProgramResult checked = run_program(check);
  EXPECT_EQ(checked.exit_code, 0) << checked.output;
}

inline std::set<std::string> mounted_tree(const ImageRecipe& recipe, const std::string& path) {
  const ScratchFolder folder;
  const LoopDevice loop(path, recipe.size_bytes);
  const Mount mount(loop.path(), folder / "mount", recipe.type, recipe.mount_options);
  return described_tree(mount.folder());
}

// The check finds nothing, and the tree is the same.
inline void expect_nothing_lost(const ImageRecipe& recipe, const SquashedDisk& disk,
                                const std::set<std::string>& tree) {
  const ScratchFolder folder;
  const std::string path = folder / "image";
  disk.save(path);
  expect_clean(recipe, path);
  const std::set<std::string> now = mounted_tree(recipe, path);
  EXPECT_EQ(now.size(), tree.size());
  EXPECT_TRUE(now == tree);
}

// The image as it is while the file system is mounted and has changes in its journal only.
inline FilledImage fill_image_until_power_cut(const ImageRecipe& recipe) {
  const ScratchFolder folder;
  const std::string path = folder / "image";
  make_image(recipe.mkfs, recipe.size_bytes, path);
  FilledImage image;
  image.empty = bytes_of_file(path);
  const LoopDevice loop(path, recipe.size_bytes);
  const Mount mount(loop.path(), folder / "mount", recipe.type, recipe.mount_options);
  TreeFiller(recipe.tree).fill(mount.folder());
  ::sync();
  std::filesystem::remove_all(folder / "mount/fragments");
  const Descriptor last(::open((folder / "mount/last").c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0600));
  EXPECT_EQ(::fsync(last.get()), 0);
  // Unchanged while it was read: as of one moment.
  do {
    image.bytes = bytes_of_file(path);
  } while (bytes_of_file(path) != image.bytes);
  return image;
}

// Of the pieces that are not zeroes.
inline double dropped_fraction(const SquashedDisk& disk, const std::vector<uint8_t>& original) {
  uint64_t used_count = 0;
  uint64_t dropped_count = 0;
  for (uint64_t piece = 0; piece < disk.pieces_count(); ++piece) {
    if (is_zero_piece(original, piece)) continue;
    ++used_count;
    if (!disk.is_kept(piece)) ++dropped_count;
  }
  return static_cast<double>(dropped_count) / static_cast<double>(used_count);
}

}  // namespace patina
