// Encodes each operation as a byte of flags and a few varints, in one zstd frame.
#include "age/operation_log.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string_view>

#include "base/small_file.h"

namespace patina {
namespace {

constexpr int kVersion = 1;
constexpr int kLevel = 3;
constexpr size_t kPlainBytes = size_t{1} << 17U;
constexpr size_t kMaxHeadBytes = 4096;
constexpr uint32_t kMaxDirectories = 1U << 26U;
constexpr uint64_t kMaxFileBytes = uint64_t{1} << 62U;
constexpr size_t kDigestDigits = 64;
// First byte of an operation: these bits hold the kind, the others are flags.
constexpr uint8_t kKindBits = 0x07;
constexpr uint8_t kRenamed = 0x08;
constexpr uint8_t kHasPlace = 0x10;
constexpr uint8_t kNextFile = 0x20;
constexpr uint8_t kEnd = 0x80;

void free_compression(ZSTD_CCtx_s* context) {
  ZSTD_freeCCtx(context);
}
void free_decompression(ZSTD_DCtx_s* context) {
  ZSTD_freeDCtx(context);
}

Error failed(const char* verb, const std::string& file) {
  return Error{ErrorCode::kIoError,
               fmt::format("cannot {} the operation log '{}': {}", verb, file, std::strerror(errno))};
}

}  // namespace

OperationLogWriter::OperationLogWriter(std::string file, int fd)
    : file_(std::move(file)),
      fd_(fd),
      context_(ZSTD_createCCtx(), free_compression),
      packed_(ZSTD_CStreamOutSize()) {
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_compressionLevel, kLevel);
  ZSTD_CCtx_setParameter(context_.get(), ZSTD_c_checksumFlag, 1);
  plain_.reserve(2 * kPlainBytes);
}

OperationLogWriter::~OperationLogWriter() {
  if (fd_ < 0) return;
  close(fd_);
  unlink((file_ + ".tmp").c_str());
}

Result<std::unique_ptr<OperationLogWriter>> OperationLogWriter::create(const std::string& file,
                                                                       const DirectoryTree& tree) {
  const std::string temporary = file + ".tmp";
  const int fd = open(temporary.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
  if (fd < 0) return failed("make", temporary);
  std::unique_ptr<OperationLogWriter> writer(new OperationLogWriter(file, fd));
  const nlohmann::ordered_json head = {
      {"type", "patina_operation_log"}, {"schema_version", kVersion}, {"directories_count", tree.count()}};
  const std::string line = head.dump() + "\n";
  writer->plain_.assign(line.begin(), line.end());
  for (uint32_t i = 1; i < tree.count(); ++i) writer->put(tree.parent(i));
  Status written = writer->write_out(/*last=*/false);
  if (!written) return written.error();
  return writer;
}

void OperationLogWriter::put(uint64_t number) {
  for (; number >= 0x80; number >>= 7U) plain_.push_back(static_cast<uint8_t>(number | 0x80U));
  plain_.push_back(static_cast<uint8_t>(number));
}

Status OperationLogWriter::add(std::span<const Operation> operations) {
  for (const Operation& operation : operations) {
    auto flags = static_cast<uint8_t>(operation.kind);
    const bool next_file = operation.is_create() && operation.file == created_ + 1;
    if (operation.renamed != 0) flags |= kRenamed;
    if (operation.place != 0) flags |= kHasPlace;
    if (next_file) flags |= kNextFile;
    plain_.push_back(flags);
    if (!next_file) put(operation.file);
    if (operation.is_create()) created_ = operation.file;
    if (operation.kind != OperationKind::kMakeDirectory) {
      put(operation.directory);
      put(operation.bytes);
    }
    if (operation.place != 0) put(operation.place);
    if (plain_.size() < kPlainBytes) continue;
    Status written = write_out(/*last=*/false);
    if (!written) return written;
  }
  ops_count_ += operations.size();
  return ok_status();
}

Status OperationLogWriter::write_out(bool last) {
  ZSTD_inBuffer in{plain_.data(), plain_.size(), 0};
  size_t left = 0;
  do {
    ZSTD_outBuffer out{packed_.data(), packed_.size(), 0};
    left = ZSTD_compressStream2(context_.get(), &out, &in, last ? ZSTD_e_end : ZSTD_e_continue);
    if (ZSTD_isError(left) != 0) {
      return Error{ErrorCode::kInternal,
                   fmt::format("packing the operation log: {}", ZSTD_getErrorName(left))};
    }
    for (size_t written = 0; written < out.pos;) {
      const ssize_t n = write(fd_, packed_.data() + written, out.pos - written);
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return failed("write", file_);
      written += static_cast<size_t>(n);
    }
  } while (in.pos < in.size || (last && left > 0));
  plain_.clear();
  return ok_status();
}

Status OperationLogWriter::finish(const std::string& stream_digest) {
  plain_.push_back(kEnd);
  put(ops_count_);
  plain_.insert(plain_.end(), stream_digest.begin(), stream_digest.end());
  Status written = write_out(/*last=*/true);
  if (!written) return written;
  const std::string temporary = file_ + ".tmp";
  if (fsync(fd_) != 0) return failed("sync", temporary);
  if (rename(temporary.c_str(), file_.c_str()) != 0) return failed("rename", temporary);
  close(std::exchange(fd_, -1));
  return ok_status();
}

OperationLogReader::OperationLogReader(std::string file, Descriptor in)
    : file_(std::move(file)),
      in_(std::move(in)),
      context_(ZSTD_createDCtx(), free_decompression),
      packed_(ZSTD_DStreamInSize()),
      plain_(ZSTD_DStreamOutSize()) {}

Error OperationLogReader::damaged(const std::string& why) const {
  return Error{ErrorCode::kLogInvalid, fmt::format("the operation log '{}' {}", file_, why)};
}

Result<std::unique_ptr<OperationLogReader>> OperationLogReader::open(const std::string& file) {
  Result<Descriptor> in = open_regular_file(file, ErrorCode::kLogInvalid, "the operation log");
  if (!in) return in.error();
  std::unique_ptr<OperationLogReader> reader(new OperationLogReader(file, std::move(*in)));
  Status head = reader->read_head();
  if (!head) return head.error();
  return reader;
}

bool OperationLogReader::more() {
  plain_at_ = plain_size_ = 0;
  while (plain_size_ == 0 && !frame_ended_) {
    if (packed_at_ == packed_size_) {
      const ssize_t n = read(in_.get(), packed_.data(), packed_.size());
      if (n < 0 && errno == EINTR) continue;
      if (n <= 0) return false;
      packed_at_ = 0;
      packed_size_ = static_cast<size_t>(n);
    }
    ZSTD_inBuffer in{packed_.data(), packed_size_, packed_at_};
    ZSTD_outBuffer out{plain_.data(), plain_.size(), 0};
    const size_t left = ZSTD_decompressStream(context_.get(), &out, &in);
    if (ZSTD_isError(left) != 0) return false;
    packed_at_ = in.pos;
    plain_size_ = out.pos;
    frame_ended_ = left == 0;
  }
  return plain_size_ > 0;
}

bool OperationLogReader::byte(uint8_t& out) {
  if (plain_at_ == plain_size_ && !more()) return false;
  out = plain_[plain_at_++];
  return true;
}

bool OperationLogReader::number(uint64_t& out) {
  out = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    uint8_t next = 0;
    if (!byte(next)) return false;
    if (shift == 63 && next > 1) return false;
    out |= static_cast<uint64_t>(next & 0x7fU) << shift;
    if (next < 0x80) return true;
  }
  return false;
}

Status OperationLogReader::read_head() {
  std::string line;
  for (uint8_t next = 0; byte(next) && next != '\n' && line.size() < kMaxHeadBytes;) {
    line.push_back(static_cast<char>(next));
  }
  const auto head = nlohmann::json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (!head.is_object() || head.value("type", "") != "patina_operation_log") {
    return damaged("is not an operation log of patina-core");
  }
  const auto count = head.find("directories_count");
  const auto version = head.find("schema_version");
  if (version == head.end() || *version != kVersion) return damaged("is of another version of patina-core");
  if (count == head.end() || !count->is_number_unsigned() || count->get<uint64_t>() < 1 ||
      count->get<uint64_t>() > kMaxDirectories) {
    return damaged("has a senseless number of directories");
  }
  for (uint64_t i = 1; i < count->get<uint64_t>(); ++i) {
    uint64_t parent = 0;
    if (!number(parent) || parent >= i) return damaged("is damaged among its directories");
    tree_.add(static_cast<uint32_t>(parent));
  }
  directories_count_ = tree_.count();
  return ok_status();
}

Status OperationLogReader::read_end() {
  uint64_t counted = 0;
  if (!number(counted) || counted != ops_count_)
    return damaged("contains another number of operations than it records");
  for (size_t i = 0; i < kDigestDigits; ++i) {
    uint8_t digit = 0;
    if (!byte(digit) ||
        std::string_view("0123456789abcdef").find(static_cast<char>(digit)) == std::string::npos) {
      return damaged("is damaged at its end");
    }
    stream_digest_.push_back(static_cast<char>(digit));
  }
  uint8_t beyond = 0;
  // Reading the frame's end checks its checksum.
  if (byte(beyond) || !frame_ended_) return damaged("is damaged: its checksum is not that of its content");
  return ok_status();
}

Result<bool> OperationLogReader::next(Operation& operation) {
  if (!stream_digest_.empty()) return false;
  const auto broken = [this] {
    return damaged(fmt::format("ends or is damaged after {} operations", ops_count_));
  };
  uint8_t flags = 0;
  if (!byte(flags)) return broken();
  if (flags == kEnd) {
    Status end = read_end();
    if (!end) return end.error();
    return false;
  }
  if ((flags & ~(kKindBits | kRenamed | kHasPlace | kNextFile)) != 0) return broken();
  operation = {};
  operation.kind = static_cast<OperationKind>(flags & kKindBits);
  operation.renamed = (flags & kRenamed) != 0 ? 1 : 0;
  operation.file = created_ + 1;
  if ((flags & kNextFile) == 0 && !number(operation.file)) return broken();
  if (operation.is_create()) created_ = operation.file;
  if (operation.kind == OperationKind::kMakeDirectory) {
    if (operation.file >= directories_count_ || directories_count_ >= kMaxDirectories) return broken();
    operation.directory = directories_count_++;
  } else {
    uint64_t directory = 0;
    if (!number(directory) || directory >= directories_count_) return broken();
    if (!number(operation.bytes) || operation.bytes > kMaxFileBytes) return broken();
    operation.directory = static_cast<uint32_t>(directory);
  }
  uint64_t place = 0;
  if ((flags & kHasPlace) != 0 && (!number(place) || place > UINT16_MAX)) return broken();
  operation.place = static_cast<uint16_t>(place);
  ++ops_count_;
  return true;
}

}  // namespace patina
