// Operation log of an aging, to be replayed on another file system. For the format see docs/file-formats.md,
// "Operation log".
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.h"
#include "base/result.h"
#include "model/directory_tree.h"
#include "model/operation.h"

struct ZSTD_CCtx_s;
struct ZSTD_DCtx_s;

namespace patina {

// Writes beside `file` and renames at the end, so that an existing log is complete.
class OperationLogWriter {
 public:
  // `tree`: the directories before the first operation. Error: kIoError.
  static Result<std::unique_ptr<OperationLogWriter>> create(const std::string& file,
                                                            const DirectoryTree& tree);
  ~OperationLogWriter();
  OperationLogWriter(const OperationLogWriter&) = delete;
  OperationLogWriter& operator=(const OperationLogWriter&) = delete;

  // Errors of all three: kIoError, naming the file.
  Status add(std::span<const Operation> operations);
  // Completes the log durably; `stream_digest` names the recorded stream.
  Status finish(const std::string& stream_digest);

 private:
  OperationLogWriter(std::string file, int fd);
  void put(uint64_t number);
  Status write_out(bool last);

  std::string file_;
  int fd_;
  std::unique_ptr<ZSTD_CCtx_s, void (*)(ZSTD_CCtx_s*)> context_;
  std::vector<uint8_t> plain_;
  std::vector<uint8_t> packed_;
  uint64_t created_ = 0;  // the newest file
  uint64_t ops_count_ = 0;
};

class OperationLogReader {
 public:
  // Reads up to the first operation. Error of both: kLogInvalid, naming the file and the defect.
  static Result<std::unique_ptr<OperationLogReader>> open(const std::string& file);

  const DirectoryTree& tree() const { return tree_; }
  // Reads the next operation; false at the end, after a check of the recorded count.
  Result<bool> next(Operation& operation);
  uint64_t ops_count() const { return ops_count_; }  // read so far
  // Returns the digest of the recorded stream, once at the end.
  const std::string& stream_digest() const { return stream_digest_; }

 private:
  OperationLogReader(std::string file, Descriptor in);
  Error damaged(const std::string& why) const;
  Status read_head();
  Status read_end();
  bool more();  // reads and unpacks; false at the end of the file or of its undamaged part
  bool byte(uint8_t& out);
  bool number(uint64_t& out);

  std::string file_;
  Descriptor in_;
  std::unique_ptr<ZSTD_DCtx_s, void (*)(ZSTD_DCtx_s*)> context_;
  std::vector<uint8_t> packed_;
  size_t packed_at_ = 0;
  size_t packed_size_ = 0;
  std::vector<uint8_t> plain_;
  size_t plain_at_ = 0;
  size_t plain_size_ = 0;
  bool frame_ended_ = false;
  DirectoryTree tree_;
  uint32_t directories_count_ = 0;  // includes those made by operations
  uint64_t created_ = 0;
  uint64_t ops_count_ = 0;
  std::string stream_digest_;
};

}  // namespace patina
