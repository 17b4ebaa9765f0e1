// casync's .caibx: a 48-byte header, a table of (end offset, digest), a 40-byte tail. Little-endian.
#include "store/index.h"

#include <fcntl.h>
#include <fmt/core.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>

namespace patina {
namespace {

constexpr uint64_t kHeaderBytes = 48;
constexpr uint64_t kTableHeadBytes = 16;
constexpr uint64_t kEntryBytes = 40;
constexpr uint64_t kTailBytes = 40;
constexpr uint64_t kFrameBytes = kHeaderBytes + kTableHeadBytes + kTailBytes;
constexpr uint64_t kHeaderType = 0x96824d9c7b129ff9;
constexpr uint64_t kTableType = 0xe75b9e112f17417d;
constexpr uint64_t kTailMarker = 0x4b4f050e5549ecd1;
constexpr uint64_t kTableSize = UINT64_MAX;  // "unknown": the table ends with its tail
// The flags of `casync make --digest=sha256` of a device; the bit for SHA-512/256 is off.
constexpr uint64_t kFeatureFlags = 0x9000000000000000;
constexpr uint64_t kFlagSha512_256 = 0x2000000000000000;
constexpr size_t kBufferBytes = 1000 * kEntryBytes;

void put_u64(uint8_t* at, uint64_t value) {
  for (int i = 0; i < 8; ++i) at[i] = static_cast<uint8_t>(value >> (8 * i));
}

uint64_t get_u64(const uint8_t* at) {
  uint64_t value = 0;
  for (int i = 0; i < 8; ++i) value |= static_cast<uint64_t>(at[i]) << (8 * i);
  return value;
}

Error write_error(const std::string& path, int error_number) {
  const bool full = error_number == ENOSPC || error_number == EDQUOT;
  return {full ? ErrorCode::kStoreNoSpace : ErrorCode::kStoreIoError,
          fmt::format("writing the index {}: {}", path, std::strerror(error_number))};
}

Status sync_folder_of(const std::string& path) {
  std::filesystem::path folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool synced = fd >= 0 && ::fsync(fd) == 0;
  const int error_number = errno;
  if (fd >= 0) ::close(fd);
  if (!synced) return write_error(path, error_number);
  return ok_status();
}

// The SHA-256 of a file, hex; empty, with errno, when it cannot be read.
std::string digest_of_file(int fd) {
  Sha256 sha;
  std::vector<uint8_t> buffer(kBufferBytes);
  ssize_t n = 0;
  off_t at = 0;
  while ((n = ::pread(fd, buffer.data(), buffer.size(), at)) > 0) {
    sha.update(buffer.data(), static_cast<size_t>(n));
    at += n;
  }
  return n < 0 ? "" : sha.hex();
}

// Checks that the file reads back with the digest of the bytes written.
Status verify_published(const std::string& path, const std::string& expected_digest) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return write_error(path, errno);
  const std::string digest = digest_of_file(fd);
  const int error_number = errno;
  ::close(fd);
  if (digest.empty()) return write_error(path, error_number);
  if (digest != expected_digest) {
    return Error{ErrorCode::kStoreIoError, "the index " + path + " does not read back as it was written"};
  }
  return ok_status();
}

// One name, so that crashes leave one file and not many; locked, so that two writers cannot share it.
int open_temporary(const std::string& path) {
  constexpr int kAttempts = 16;
  for (int attempt = 0; attempt < kAttempts; ++attempt) {
    const int fd = ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
    if (fd < 0) return -1;
    struct stat opened = {};
    struct stat named = {};
    const bool locked = ::flock(fd, LOCK_EX | LOCK_NB) == 0;
    const bool ours = locked && ::fstat(fd, &opened) == 0 && ::stat(path.c_str(), &named) == 0 &&
                      opened.st_ino == named.st_ino && opened.st_dev == named.st_dev;
    if (ours && ::ftruncate(fd, 0) == 0) return fd;
    ::close(fd);
    // Locked, but not this writer's: another writer renamed it into place or removed it in between.
    errno = EWOULDBLOCK;
    if (!locked) return -1;
  }
  return -1;
}

}  // namespace

IndexWriter::IndexWriter(std::string path, std::string temporary_path, int fd)
    : path_(std::move(path)), temporary_path_(std::move(temporary_path)), fd_(fd) {
  buffer_.reserve(kBufferBytes + kTailBytes);
}

IndexWriter::~IndexWriter() {
  if (fd_ < 0) return;
  ::unlink(temporary_path_.c_str());  // while the lock is still held
  ::close(fd_);
}

Result<std::unique_ptr<IndexWriter>> IndexWriter::create(const std::string& path, uint64_t chunk_size_bytes) {
  const std::string temporary_path = path + ".tmp";
  const int fd = open_temporary(temporary_path);
  if (fd < 0 && errno == EWOULDBLOCK) {
    return Error{ErrorCode::kStoreIoError, "another capture is writing the index " + path};
  }
  if (fd < 0) return write_error(path, errno);
  std::unique_ptr<IndexWriter> writer(new IndexWriter(path, temporary_path, fd));
  std::array<uint8_t, kHeaderBytes + kTableHeadBytes> head{};
  const std::array<uint64_t, 8> fields = {kHeaderBytes,     kHeaderType,      kFeatureFlags, chunk_size_bytes,
                                          chunk_size_bytes, chunk_size_bytes, kTableSize,    kTableType};
  for (size_t i = 0; i < fields.size(); ++i) put_u64(&head[8 * i], fields[i]);
  if (Status status = writer->append_bytes(head); !status) return status.error();
  return writer;
}

Status IndexWriter::append(uint64_t end_offset_bytes, const ChunkId& id) {
  std::array<uint8_t, kEntryBytes> entry{};
  put_u64(entry.data(), end_offset_bytes);
  std::copy(id.bytes.begin(), id.bytes.end(), entry.begin() + 8);
  return append_bytes(entry);
}

Status IndexWriter::append_bytes(std::span<const uint8_t> data) {
  buffer_.insert(buffer_.end(), data.begin(), data.end());
  size_bytes_ += data.size();
  return buffer_.size() < kBufferBytes ? ok_status() : flush();
}

Status IndexWriter::flush() {
  sha_.update(buffer_.data(), buffer_.size());
  for (size_t done = 0; done < buffer_.size();) {
    const ssize_t n = ::write(fd_, buffer_.data() + done, buffer_.size() - done);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return write_error(path_, errno);
    done += static_cast<size_t>(n);
  }
  buffer_.clear();
  return ok_status();
}

Result<std::string> IndexWriter::publish() {
  std::array<uint8_t, kTailBytes> tail{};  // begins with 16 zero bytes, which end the table
  put_u64(&tail[16], kHeaderBytes);
  put_u64(&tail[24], size_bytes_ - kHeaderBytes + kTailBytes);
  put_u64(&tail[32], kTailMarker);
  if (Status status = append_bytes(tail); !status) return status.error();
  if (Status status = flush(); !status) return status.error();
  std::string digest = sha_.hex();
  if (::fsync(fd_) != 0) return write_error(path_, errno);
  if (::rename(temporary_path_.c_str(), path_.c_str()) != 0) return write_error(path_, errno);
  ::close(fd_);
  fd_ = -1;
  if (Status status = sync_folder_of(path_); !status) return status.error();
  if (Status status = verify_published(path_, digest); !status) return status.error();
  return digest;
}

IndexReader::IndexReader(std::string path, int fd) : path_(std::move(path)), fd_(fd) {}

IndexReader::~IndexReader() {
  ::close(fd_);
}

Error IndexReader::invalid(const std::string& reason) const {
  return {ErrorCode::kIndexInvalid,
          fmt::format("{} is not a .caibx index that can be read: {}", path_, reason)};
}

Result<std::unique_ptr<IndexReader>> IndexReader::open(const std::string& path,
                                                       const std::string& expected_digest) {
  // Without O_NONBLOCK a FIFO would make it wait for a writer.
  const int fd = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC);
  if (fd < 0) {
    return Error{ErrorCode::kIndexInvalid,
                 fmt::format("cannot open the index {}: {}", path, std::strerror(errno))};
  }
  std::unique_ptr<IndexReader> reader(new IndexReader(path, fd));
  if (Status status = reader->read_frame(); !status) return status.error();
  if (Status status = reader->check_digest(expected_digest); !status) return status.error();
  if (Status status = reader->check_entries(); !status) return status.error();
  return reader;
}

Status IndexReader::read_frame() {
  struct stat file = {};
  if (::fstat(fd_, &file) != 0 || !S_ISREG(file.st_mode)) return invalid("not a regular file");
  const auto file_bytes = static_cast<uint64_t>(file.st_size);
  if (file_bytes < kFrameBytes) return invalid("truncated");
  if ((file_bytes - kFrameBytes) % kEntryBytes != 0)
    return invalid("truncated, or with something after its end");
  std::array<uint8_t, kHeaderBytes + kTableHeadBytes> head{};
  std::array<uint8_t, kTailBytes> tail{};
  if (::pread(fd_, head.data(), head.size(), 0) != static_cast<ssize_t>(head.size()) ||
      ::pread(fd_, tail.data(), tail.size(), static_cast<off_t>(file_bytes - kTailBytes)) !=
          static_cast<ssize_t>(tail.size())) {
    return invalid("it cannot be read to its end");
  }
  if (get_u64(&head[0]) != kHeaderBytes || get_u64(&head[8]) != kHeaderType) return invalid("wrong header");
  if ((get_u64(&head[16]) & kFlagSha512_256) != 0) {
    return invalid("its digests are SHA-512/256; make it with --digest=sha256");
  }
  const uint64_t min_bytes = get_u64(&head[24]);
  const uint64_t avg_bytes = get_u64(&head[32]);
  max_chunk_bytes_ = get_u64(&head[40]);
  if (min_bytes == 0 || min_bytes > avg_bytes || avg_bytes > max_chunk_bytes_)
    return invalid("wrong chunk sizes");
  if (max_chunk_bytes_ > kMaxChunkSizeBytes) {
    return invalid(fmt::format("its chunks of up to {} bytes are over the limit of {}", max_chunk_bytes_,
                               kMaxChunkSizeBytes));
  }
  if (get_u64(&head[48]) != kTableSize || get_u64(&head[56]) != kTableType)
    return invalid("wrong table header");
  const bool tail_is_right =
      get_u64(&tail[0]) == 0 && get_u64(&tail[8]) == 0 && get_u64(&tail[16]) == kHeaderBytes &&
      get_u64(&tail[24]) == file_bytes - kHeaderBytes && get_u64(&tail[32]) == kTailMarker;
  if (!tail_is_right) return invalid("wrong tail");
  // From the file's own length, never from a number in it: a hostile count has no effect.
  chunks_count_ = (file_bytes - kFrameBytes) / kEntryBytes;
  return ok_status();
}

Status IndexReader::check_digest(const std::string& expected_digest) const {
  if (expected_digest.empty()) return ok_status();
  const std::string digest = digest_of_file(fd_);
  if (digest == expected_digest) return ok_status();
  return invalid(fmt::format("its digest is {} and should be {}: it was damaged or replaced",
                             digest.empty() ? "unknown" : digest, expected_digest));
}

Status IndexReader::check_entries() {
  while (!at_end()) {
    const Result<IndexEntry> entry = next();
    if (!entry) return entry.error();
    is_regular_ = is_regular_ && (entry->length_bytes == max_chunk_bytes_ || at_end());
  }
  image_bytes_ = offset_bytes_;
  rewind();
  return ok_status();
}

void IndexReader::rewind() {
  position_ = 0;
  offset_bytes_ = 0;
  buffer_.clear();
  buffer_used_ = 0;
}

Status IndexReader::seek(uint64_t offset_bytes) {
  if (is_regular_) {
    seek_entry(std::min(offset_bytes / max_chunk_bytes_, chunks_count_));
    return ok_status();
  }
  while (!at_end()) {
    // The next entry is checked in place: it may be the one wanted.
    if (buffer_used_ == buffer_.size()) {
      if (Status status = fill(); !status) return status;
    }
    if (get_u64(&buffer_[buffer_used_]) > offset_bytes) return ok_status();
    if (const Result<IndexEntry> passed = next(); !passed) return passed.error();
  }
  return ok_status();
}

// Positions a regular index at an entry.
void IndexReader::seek_entry(uint64_t position) {
  const uint64_t buffer_begin = position_ - buffer_used_ / kEntryBytes;
  const bool is_buffered =
      position >= buffer_begin && position <= buffer_begin + buffer_.size() / kEntryBytes;
  if (!is_buffered) buffer_.clear();
  buffer_used_ = is_buffered ? (position - buffer_begin) * kEntryBytes : 0;
  position_ = position;
  offset_bytes_ = position * max_chunk_bytes_;
}

Status IndexReader::fill() {
  const uint64_t left_bytes = (chunks_count_ - position_) * kEntryBytes;
  buffer_.resize(std::min<uint64_t>(kBufferBytes, left_bytes));
  buffer_used_ = 0;
  const uint64_t at = kHeaderBytes + kTableHeadBytes + position_ * kEntryBytes;
  if (::pread(fd_, buffer_.data(), buffer_.size(), static_cast<off_t>(at)) !=
      static_cast<ssize_t>(buffer_.size())) {
    return invalid("its table cannot be read");
  }
  return ok_status();
}

Result<IndexEntry> IndexReader::next() {
  if (buffer_used_ == buffer_.size()) {
    if (Status status = fill(); !status) return status.error();
  }
  const uint8_t* record = &buffer_[buffer_used_];
  buffer_used_ += kEntryBytes;
  const uint64_t end_bytes = get_u64(record);
  if (end_bytes <= offset_bytes_ || end_bytes > INT64_MAX) {
    return invalid(fmt::format("entry {} does not end after the one before it", position_));
  }
  IndexEntry entry{.offset_bytes = offset_bytes_, .length_bytes = end_bytes - offset_bytes_, .id = {}};
  if (entry.length_bytes > max_chunk_bytes_) {
    return invalid(fmt::format("entry {} is longer than the longest chunk", position_));
  }
  std::copy(record + 8, record + kEntryBytes, entry.id.bytes.begin());
  offset_bytes_ = end_bytes;
  ++position_;
  return entry;
}

}  // namespace patina
