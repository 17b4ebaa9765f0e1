// One file of the log. The end of it is in memory until it is written out.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

class LogSegment {
 public:
  // Errors of all: kIoError, kStoreNoSpace.
  static Result<std::shared_ptr<LogSegment>> create(const std::string& folder, uint32_t number);
  static Result<std::shared_ptr<LogSegment>> open(const std::string& folder, uint32_t number);
  // Returns the number in the name of a segment file.
  static std::optional<uint32_t> number_in(const std::string& file_name);

  uint32_t number() const { return number_; }
  // Bytes of it, with those in memory.
  uint64_t size_bytes() const { return written_bytes_ + tail_.size(); }
  uint64_t live_bytes() const { return live_bytes_; }
  void add_live(uint64_t bytes) { live_bytes_ += bytes; }
  void remove_live(uint64_t bytes) { live_bytes_ -= bytes; }

  // Returns whether so many bytes can be appended without a write_out().
  bool has_room(uint64_t bytes) const { return tail_.size() + bytes <= kTailBytes; }
  void append(std::span<const uint8_t> record);
  Status write_out();
  Status sync();
  // Removes what is behind this byte, which has been written out.
  Status truncate(uint64_t size_bytes);
  Status remove();

  // Returns the bytes if they are in memory.
  std::optional<std::span<const uint8_t>> in_memory(uint64_t offset_bytes, uint64_t length_bytes) const;
  // Reads bytes that were written out. Needs no lock.
  Status read(uint64_t offset_bytes, std::span<uint8_t> out) const;

 private:
  static constexpr size_t kTailBytes = size_t{1} << 20U;

  LogSegment(std::string path, uint32_t number, Descriptor fd, uint64_t size_bytes)
      : path_(std::move(path)), number_(number), fd_(std::move(fd)), written_bytes_(size_bytes) {}
  Error failed(const char* verb) const;

  const std::string path_;
  const uint32_t number_;
  const Descriptor fd_;
  uint64_t written_bytes_;
  uint64_t live_bytes_ = 0;
  bool is_unsynced_ = false;
  std::vector<uint8_t> tail_;
};

}  // namespace patina
