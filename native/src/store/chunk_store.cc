// Reads chunks and checks the digest of each before it is used.
#include "store/chunk_store.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>

namespace patina {
namespace {

// Level 1 is within 10 % of level 3's size on aged file systems, at a third of its time.
constexpr int kCompressionLevel = 1;
// The allowed excess of a chunk file over zstd's own bound: other writers add frames or checksums.
constexpr uint64_t kForeignFrameBytes = uint64_t{64} << 10;

}  // namespace

std::span<const uint8_t> ChunkCodec::compress(std::span<const uint8_t> data) {
  if (!compressor_) compressor_.reset(ZSTD_createCCtx());
  if (!compressor_) std::abort();  // no memory for a context: cannot continue
  buffer_.resize(ZSTD_compressBound(data.size()));
  const size_t size = ZSTD_compressCCtx(compressor_.get(), buffer_.data(), buffer_.size(), data.data(),
                                        data.size(), kCompressionLevel);
  // Into a buffer of compressBound bytes zstd fails only for lack of memory.
  if (ZSTD_isError(size) != 0) std::abort();
  return {buffer_.data(), size};
}

bool ChunkCodec::decompress(std::span<const uint8_t> compressed, std::span<uint8_t> data) {
  if (!decompressor_) decompressor_.reset(ZSTD_createDCtx());
  if (!decompressor_) std::abort();
  const size_t size = ZSTD_decompressDCtx(decompressor_.get(), data.data(), data.size(), compressed.data(),
                                          compressed.size());
  return ZSTD_isError(size) == 0 && size == data.size();
}

Result<std::unique_ptr<ChunkStore>> ChunkStore::open(const std::string& path) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) {
    return Error{ErrorCode::kStoreIoError,
                 fmt::format("cannot open the chunk store {}: {}", path, std::strerror(errno))};
  }
  return std::unique_ptr<ChunkStore>(new ChunkStore(path, fd));
}

Result<std::unique_ptr<ChunkStore>> ChunkStore::open_or_make(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) {
    const bool full = error.value() == ENOSPC || error.value() == EDQUOT;
    return Error{full ? ErrorCode::kStoreNoSpace : ErrorCode::kStoreIoError,
                 fmt::format("cannot make the chunk store {}: {}", path, error.message())};
  }
  return open(path);
}

ChunkStore::~ChunkStore() {
  ::close(folder_fd_);
}

std::string ChunkStore::relative_path(const ChunkId& id) {
  const std::string hex = id.hex();
  return hex.substr(0, 4) + "/" + hex + ".cacnk";
}

Error ChunkStore::io_error(const std::string& what, int error_number) const {
  if (error_number == ENOSPC || error_number == EDQUOT) {
    return {
        ErrorCode::kStoreNoSpace,
        fmt::format("the chunk store {} is full ({}): free some space there and capture again", path_, what)};
  }
  return {ErrorCode::kStoreIoError,
          fmt::format("the chunk store {}: {}: {}", path_, what, std::strerror(error_number))};
}

bool ChunkStore::contains(const ChunkId& id) const {
  struct stat file = {};
  return ::fstatat(folder_fd_, relative_path(id).c_str(), &file, 0) == 0 && S_ISREG(file.st_mode) &&
         file.st_size > 0;
}

uint64_t ChunkStore::stored_bytes(const ChunkId& id) const {
  struct stat file = {};
  if (::fstatat(folder_fd_, relative_path(id).c_str(), &file, 0) != 0) return 0;
  return static_cast<uint64_t>(file.st_size);
}

Result<uint64_t> ChunkStore::read(const ChunkId& id, std::span<uint8_t> data, ChunkCodec& codec) const {
  const std::string name = relative_path(id);
  // Without O_NONBLOCK a FIFO would make it wait for a writer; so it reads as an empty file.
  const int fd = ::openat(folder_fd_, name.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) {
    return Error{ErrorCode::kChunkMissing, fmt::format("chunk {} is not in the store {}", id.hex(), path_)};
  }
  if (fd < 0) return io_error("opening " + name, errno);
  struct stat file = {};
  // One byte more than its size, to detect growth; and no more than a chunk of this length can have: a longer
  // file is damaged.
  const uint64_t limit = ::fstat(fd, &file) != 0
                             ? 0
                             : std::min<uint64_t>(static_cast<uint64_t>(file.st_size) + 1,
                                                  ZSTD_compressBound(data.size()) + kForeignFrameBytes);
  std::vector<uint8_t>& compressed = codec.buffer();
  if (compressed.size() < limit) compressed.resize(limit);
  size_t size = 0;
  ssize_t n = 0;
  while (size < limit && (n = ::read(fd, &compressed[size], limit - size)) != 0) {
    if (n < 0 && errno != EINTR) break;
    if (n > 0) size += static_cast<size_t>(n);
  }
  const int error_number = errno;
  ::close(fd);
  if (n < 0) return io_error("reading " + name, error_number);
  if (!codec.decompress({compressed.data(), size}, data)) {
    return Error{ErrorCode::kChunkCorrupt,
                 fmt::format("chunk {} of the store {} is not a zstd file of {} bytes of data", id.hex(),
                             path_, data.size())};
  }
  if (chunk_id_of(data) != id) {
    return Error{ErrorCode::kChunkCorrupt,
                 fmt::format("chunk {} of the store {} does not match its digest", id.hex(), path_)};
  }
  return uint64_t{size};
}

}  // namespace patina
