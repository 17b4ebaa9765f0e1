// The index of an image: casync's .caibx, read and written as a stream so that a large device costs no
// memory.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/digest.h"
#include "base/result.h"
#include "store/chunk_id.h"

namespace patina {

// The largest chunk that is still small beside the program's memory bound.
inline constexpr uint64_t kMaxChunkSizeBytes = uint64_t{16} << 20;

struct IndexEntry {
  uint64_t offset_bytes = 0;
  uint64_t length_bytes = 0;
  ChunkId id;
};

// Writes to a temporary file beside `path`; only publish() makes it appear there, durably and whole.
class IndexWriter {
 public:
  // Errors: kStoreNoSpace, kStoreIoError.
  static Result<std::unique_ptr<IndexWriter>> create(const std::string& path, uint64_t chunk_size_bytes);
  // Without publish() removes the temporary file and leaves `path` unchanged.
  ~IndexWriter();
  IndexWriter(const IndexWriter&) = delete;
  IndexWriter& operator=(const IndexWriter&) = delete;

  // Appends the next chunk in device order.
  Status append(uint64_t end_offset_bytes, const ChunkId& id);
  // Writes the tail, syncs, renames, syncs the folder, reopens and reads it back. Returns the file's SHA-256,
  // hex.
  Result<std::string> publish();

 private:
  IndexWriter(std::string path, std::string temporary_path, int fd);
  Status append_bytes(std::span<const uint8_t> data);
  Status flush();

  std::string path_;
  std::string temporary_path_;
  int fd_;
  std::vector<uint8_t> buffer_;
  uint64_t size_bytes_ = 0;
  Sha256 sha_;
};

// Reads any .caibx with SHA-256 digests, with chunks of any cut.
class IndexReader {
 public:
  // Checks every record before it returns, so that no device is written from half an index.
  // `expected_digest`, where it is not empty, is the SHA-256 of the whole file, hex: it detects changes that
  // no check of the entries can. Errors: kIndexInvalid.
  static Result<std::unique_ptr<IndexReader>> open(const std::string& path,
                                                   const std::string& expected_digest = "");
  ~IndexReader();
  IndexReader(const IndexReader&) = delete;
  IndexReader& operator=(const IndexReader&) = delete;

  uint64_t image_bytes() const { return image_bytes_; }
  uint64_t chunks_count() const { return chunks_count_; }
  uint64_t max_chunk_bytes() const { return max_chunk_bytes_; }

  // Returns the next entry, in device order; call `at_end()` first. Errors: kIndexInvalid.
  Result<IndexEntry> next();
  bool at_end() const { return position_ == chunks_count_; }
  void rewind();
  // Seeks to the first entry that ends behind this byte: directly where all chunks but the last are as long
  // as the longest, or else by reading forward. Errors: kIndexInvalid.
  Status seek(uint64_t offset_bytes);

 private:
  IndexReader(std::string path, int fd);
  Status read_frame();
  Status check_entries();
  Status check_digest(const std::string& expected_digest) const;
  void seek_entry(uint64_t position);
  Status fill();
  Error invalid(const std::string& reason) const;

  std::string path_;
  int fd_;
  uint64_t chunks_count_ = 0;
  uint64_t image_bytes_ = 0;
  uint64_t max_chunk_bytes_ = 0;
  uint64_t position_ = 0;
  uint64_t offset_bytes_ = 0;
  bool is_regular_ = true;  // every chunk but the last is as long as the longest
  std::vector<uint8_t> buffer_;
  size_t buffer_used_ = 0;
};

}  // namespace patina
