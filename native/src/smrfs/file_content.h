// The data of one file: what is on the disk, and what is not there yet.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "area/data_area.h"
#include "base/result.h"
#include "smrfs/extent_map.h"

namespace patina {

// What the metadata folder stores of a file's data.
struct FileExtents {
  uint64_t size_bytes = 0;
  ExtentMap map;

  std::string encoded() const;
  static std::optional<FileExtents> decoded(std::string_view bytes);
};

// What the files of a file system share.
struct DataBuffer {
  DataArea& area;
  const uint64_t limit_bytes;  // of data that is not on the disk yet
  // A footer behind a placement is free until the placement is written: one at a time.
  std::mutex placing;
  std::atomic<uint64_t> blocks_count = 0;  // not on the disk yet

  bool is_full() const { return blocks_count * DataArea::kBlockBytes > limit_bytes; }
};

// Whether a settle writes all of a file or what is not on the disk yet.
enum class Placement : uint8_t { kWhole, kChanged };

// Not thread safe; the buffer is.
class FileContent {
 public:
  FileContent(DataBuffer& buffer, FileExtents settled);
  ~FileContent();
  FileContent(const FileContent&) = delete;
  FileContent& operator=(const FileContent&) = delete;

  uint64_t size_bytes() const { return size_bytes_; }
  uint64_t blocks_count() const;  // with data
  // Whether there is anything to settle.
  bool is_changed() const { return is_changed_; }
  bool has_buffered() const { return !buffered_.empty(); }
  // What is on the disk since the last settle.
  const FileExtents& settled() const { return settled_; }

  // Reads up to the end of the file; returns the number of bytes. Those of `into` after them may change.
  // kIoError; kMaybeDamaged.
  Result<uint64_t> read(uint64_t offset, std::span<uint8_t> into);
  // kNoSpace: more than the disk has; nothing is changed then. Errors of read().
  Status write(uint64_t offset, std::span<const uint8_t> data);
  Status resize(uint64_t size_bytes);
  // Zeroes a range within the file, as a hole or (`allocates`) with blocks. kNoSpace; errors of read().
  Status zero(uint64_t offset, uint64_t length, bool allocates);
  // Gives holes in the range blocks of zeroes. kNoSpace.
  Status allocate(uint64_t offset, uint64_t length);
  // Returns the first byte of data (or of a hole) from `offset` on, at most the size.
  uint64_t next(uint64_t offset, bool is_data) const;

  // Writes what is buffered to a new place, and returns what was settled before: the caller stores settled()
  // and releases what is not in it any more. `before_write` is called if the place is fenced. kNoSpace;
  // errors of read() and of `before_write`. After an error the content is still buffered.
  Result<FileExtents> settle(Placement placement, const std::function<Status()>& before_write);
  // Writes what is settled in this part of the disk to another place. Returns and errors as settle().
  Result<FileExtents> move_from(const BlockExtent& part, const std::function<Status()>& before_write);
  // Forgets what has no place: the file is as settled again.
  void revert();

 private:
  using Block = std::array<uint8_t, DataArea::kBlockBytes>;
  // Blocks of the file: the first one, and the one behind the last.
  struct Run {
    uint64_t first = 0;
    uint64_t end = 0;
  };

  Status check_space(uint64_t offset, uint64_t length) const;
  // Returns the buffered block, to be changed. It is read if it is on the disk.
  Result<Block*> loaded(uint64_t block);
  Block& blank(uint64_t block);
  // Blocks are holes: neither buffered nor on the disk.
  void drop(uint64_t block, uint64_t end);
  Status zero_part(uint64_t block, uint64_t begin, uint64_t end);
  Status read_block(uint64_t block, std::span<uint8_t> into, uint64_t from);

  static uint64_t count_of(const std::vector<Run>& runs);
  std::vector<Run> runs_of(Placement placement) const;
  Result<std::vector<BlockExtent>> allocate(std::vector<Run>& runs, Placement placement);
  Status write_to(const std::vector<Run>& runs, const std::vector<BlockExtent>& places,
                  const std::function<Status()>& before_write);
  Status write_runs(const std::vector<Run>& runs, const std::vector<BlockExtent>& places);
  // Fills it with consecutive blocks from `block` on.
  Status fill(uint64_t block, std::span<uint8_t> into);
  void forget_buffered();

  DataBuffer& buffer_;
  uint64_t size_bytes_;
  ExtentMap map_;
  std::map<uint64_t, std::unique_ptr<Block>> buffered_;  // by the block of the file; null: zeroes
  bool is_changed_ = false;
  FileExtents settled_;
};

}  // namespace patina
