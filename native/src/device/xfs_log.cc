// Finds the head of the log and the last record before it. Everything on the disk is big-endian.
#include "device/xfs_log.h"

#include <algorithm>

namespace patina {
namespace {

constexpr uint64_t kBasicBlockBytes = 512;  // the log's unit, for any block size
constexpr uint32_t kRecordMagic = 0xfeedbabe;
// 256 KiB, the longest that the kernel writes, and its headers.
constexpr uint64_t kMaxRecordBlocks = 520;

uint64_t number_at(const uint8_t* bytes, size_t size) {
  uint64_t number = 0;
  for (size_t i = 0; i < size; ++i) number = number << 8U | bytes[i];
  return number;
}

class Log {
 public:
  explicit Log(const Device& device) : device_(device), buffer_(kDeviceAlignmentBytes) {}

  // Finds the log by the super block.
  Status locate() {
    const Result<const uint8_t*> super_block = bytes_at(0);
    if (!super_block) return super_block.error();
    const uint8_t* at = *super_block;
    const uint64_t block_bytes = number_at(at + 4, 4);
    const uint64_t start = number_at(at + 48, 8);
    const uint64_t group_blocks = number_at(at + 84, 4);
    const uint64_t group_bits = std::min<uint64_t>(at[124], 63);
    const uint64_t group = start >> group_bits;
    begin_bytes_ = (group * group_blocks + (start - (group << group_bits))) * block_bytes;
    blocks_ = start == 0 ? 0 : number_at(at + 96, 4) * block_bytes / kBasicBlockBytes;
    return ok_status();
  }

  uint64_t blocks() const { return blocks_; }

  // Returns one basic block; valid until the next call.
  Result<const uint8_t*> block(uint64_t number) {
    return bytes_at(begin_bytes_ + number % blocks_ * kBasicBlockBytes);
  }

  // Returns how often the log had wrapped when this block was written; each block begins with it.
  Result<uint64_t> cycle(uint64_t number) {
    const Result<const uint8_t*> at = block(number);
    if (!at) return at.error();
    const bool is_record = number_at(*at, 4) == kRecordMagic;
    return number_at(*at + (is_record ? 4 : 0), 4);
  }

 private:
  Result<const uint8_t*> bytes_at(uint64_t offset_bytes) {
    const uint64_t aligned = offset_bytes / kDeviceAlignmentBytes * kDeviceAlignmentBytes;
    const auto read_to = buffer_.first(kDeviceAlignmentBytes);
    if (Status read = device_.read(aligned, read_to); !read) return read.error();
    return read_to.data() + (offset_bytes - aligned);
  }

  const Device& device_;
  AlignedBuffer buffer_;
  uint64_t begin_bytes_ = 0;
  uint64_t blocks_ = 0;
};

// Returns the next block to be written: the first of an earlier cycle than the log begins with.
Result<uint64_t> find_head(Log& log) {
  const Result<uint64_t> first = log.cycle(0);
  if (!first) return first.error();
  uint64_t newer = 0;
  uint64_t older = log.blocks();
  while (older - newer > 1) {
    const uint64_t middle = newer + (older - newer) / 2;
    const Result<uint64_t> cycle = log.cycle(middle);
    if (!cycle) return cycle.error();
    (*cycle == *first ? newer : older) = middle;
  }
  return older;
}

// An unmount record has one operation, with this flag.
Result<bool> is_unmount_record(Log& log, uint64_t number, uint64_t head) {
  constexpr uint8_t kUnmount = 0x20;
  const Result<const uint8_t*> header = log.block(number);
  if (!header) return header.error();
  const uint64_t length_blocks = number_at(*header + 12, 4) / kBasicBlockBytes;
  const uint64_t operations = number_at(*header + 40, 4);
  // A header has a block for each 32 KiB that its record could have had.
  const uint64_t header_blocks = std::max<uint64_t>(1, number_at(*header + 320, 4) / (32 << 10));
  const uint64_t data_begin = number + header_blocks;
  if (operations != 1 || data_begin + length_blocks != head) return false;
  const Result<const uint8_t*> data = log.block(data_begin);
  if (!data) return data.error();
  return ((*data)[9] & kUnmount) != 0;
}

}  // namespace

Result<bool> xfs_log_is_clean(const Device& device) {
  Log log(device);
  if (Status located = log.locate(); !located) return located.error();
  if (log.blocks() == 0) return true;
  const Result<uint64_t> found = find_head(log);
  if (!found) return found.error();
  // Counted from one cycle later, so that a record may wrap at the log's end.
  const uint64_t head = *found + log.blocks();
  for (uint64_t back = 1; back <= std::min(kMaxRecordBlocks, log.blocks()); ++back) {
    const Result<const uint8_t*> block = log.block(head - back);
    if (!block) return block.error();
    if (number_at(*block, 4) == kRecordMagic) return is_unmount_record(log, head - back, head);
  }
  return false;
}

}  // namespace patina
