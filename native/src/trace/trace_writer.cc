// Collects records and writes them out whole.
#include "trace/trace_writer.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "trace/trace_record.h"
#include "trace/trace_tally.h"

namespace patina {
namespace {

constexpr size_t kBufferBytes = size_t{64} << 10U;
// Most bytes of one record, whose length has 32 bits; a multiple of any block size.
constexpr uint64_t kMaxRecordedBytes = uint64_t{1} << 31U;

}  // namespace

Error TraceWriter::failed(const char* verb) const {
  return {ErrorCode::kIoError,
          fmt::format("cannot {} the trace '{}': {}", verb, path_, std::strerror(errno))};
}

uint64_t TraceWriter::time_ns() const {
  const auto passed = std::chrono::steady_clock::now() - started_;
  return static_cast<uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(passed).count());
}

Result<std::unique_ptr<TraceWriter>> TraceWriter::create(const std::string& path, uint32_t device,
                                                         const TraceHead& head) {
  Descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644));
  const bool made = file.valid();
  std::unique_ptr<TraceWriter> writer(new TraceWriter(path, device, std::move(file)));
  if (!made) return writer->failed("make");
  writer->buffer_ = encode_message(device, to_message(head), writer->time_ns());
  if (Status status = writer->flush(); !status) return status.error();
  return writer;
}

Status TraceWriter::add(ByteRange range) {
  for (uint64_t at = range.begin_bytes; at < range.end_bytes;) {
    const uint64_t length = std::min(range.end_bytes - at, kMaxRecordedBytes);
    buffer_ +=
        encode_write(++records_count_, device_, at / kSectorBytes, static_cast<uint32_t>(length), time_ns());
    at += length;
  }
  return buffer_.size() < kBufferBytes ? ok_status() : flush();
}

Status TraceWriter::flush() {
  for (size_t written = 0; written < buffer_.size();) {
    const ssize_t n = ::write(file_.get(), buffer_.data() + written, buffer_.size() - written);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return failed("write");
    written += static_cast<size_t>(n);
  }
  buffer_.clear();
  return ok_status();
}

Status TraceWriter::finish(TraceEnd end) {
  end.records_count = records_count_;
  buffer_ += encode_message(device_, to_message(end), time_ns());
  if (Status status = flush(); !status) return status;
  if (::fsync(file_.get()) != 0) return failed("sync");
  return ok_status();
}

}  // namespace patina
