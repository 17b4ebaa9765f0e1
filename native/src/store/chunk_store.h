// The content-addressed chunk store, in casync's layout: abcd/<64 hex>.cacnk, zstd-compressed.
#pragma once

#include <zstd.h>

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "store/chunk_id.h"

namespace patina {

// One thread's compressor, decompressor and buffer, each made when it is first needed.
class ChunkCodec {
 public:
  // Valid until the next call.
  std::span<const uint8_t> compress(std::span<const uint8_t> data);
  // Fills all of `data`; false when `compressed` is anything but a zstd stream of exactly that length.
  bool decompress(std::span<const uint8_t> compressed, std::span<uint8_t> data);
  std::vector<uint8_t>& buffer() { return buffer_; }

 private:
  struct Free {
    void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
    void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
  };
  std::unique_ptr<ZSTD_CCtx, Free> compressor_;
  std::unique_ptr<ZSTD_DCtx, Free> decompressor_;
  std::vector<uint8_t> buffer_;
};

// A store that exists; safe to read from several threads.
class ChunkStore {
 public:
  // Errors: kStoreIoError.
  static Result<std::unique_ptr<ChunkStore>> open(const std::string& path);
  // As open(), but makes the folder. Errors: kStoreIoError, kStoreNoSpace.
  static Result<std::unique_ptr<ChunkStore>> open_or_make(const std::string& path);
  ~ChunkStore();
  ChunkStore(const ChunkStore&) = delete;
  ChunkStore& operator=(const ChunkStore&) = delete;

  // Whether there is a non-empty file of that name; does not check its content.
  bool contains(const ChunkId& id) const;
  // Returns the compressed size of a stored chunk; 0 for any other.
  uint64_t stored_bytes(const ChunkId& id) const;
  // Fills `data`, whose size is the chunk's, and checks it against the digest. Returns the compressed size.
  // Errors: kChunkMissing, kChunkCorrupt, kStoreIoError.
  Result<uint64_t> read(const ChunkId& id, std::span<uint8_t> data, ChunkCodec& codec) const;

  int folder_fd() const { return folder_fd_; }
  const std::string& path() const { return path_; }
  static std::string relative_path(const ChunkId& id);
  // ENOSPC and EDQUOT become kStoreNoSpace, anything else kStoreIoError.
  Error io_error(const std::string& what, int error_number) const;

 private:
  ChunkStore(std::string path, int folder_fd) : path_(std::move(path)), folder_fd_(folder_fd) {}

  std::string path_;
  int folder_fd_;
};

}  // namespace patina
