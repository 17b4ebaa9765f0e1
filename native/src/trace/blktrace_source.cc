// Reads the relay files in debugfs that BLKTRACESETUP makes.
#include "trace/blktrace_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <linux/blktrace_api.h>
#include <linux/fs.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <span>
#include <vector>

#include "device/kernel_file_system.h"
#include "trace/trace_record.h"

namespace patina {
namespace {

constexpr uint32_t kPieceKb = 512;
constexpr uint64_t kDefaultBufferKb = 4096;
constexpr uint32_t kMaxProcessors = 8192;
constexpr size_t kReadBytes = size_t{256} << 10U;

Error unavailable(const std::string& what) {
  return {ErrorCode::kTraceUnavailable, fmt::format("{}: {}", what, std::strerror(errno))};
}

// One processor's records, which a read may cut anywhere.
struct Relay {
  std::string path;
  Descriptor file;
  std::vector<uint8_t> left;  // of an incomplete record
  uint32_t last_sequence = 0;
};

class BlktraceSource final : public TraceSource {
 public:
  BlktraceSource(KernelFileSystem debugfs, Descriptor disk)
      : debugfs_(std::move(debugfs)), disk_(std::move(disk)), buffer_(kReadBytes) {}
  ~BlktraceSource() override;

  Status start(uint64_t buffer_kb);
  const char* name() const override { return "blktrace"; }
  Result<bool> read(const Visit& visit) override;
  Status finish(const Visit& visit) override;
  uint64_t dropped_count() override;

 private:
  Status open_relays();
  Status take(Relay& relay, const Visit& visit);

  KernelFileSystem debugfs_;
  Descriptor disk_;
  bool set_up_ = false;
  std::string folder_;
  std::vector<Relay> relays_;
  std::vector<uint8_t> buffer_;
  uint64_t missed_count_ = 0;  // a lower bound
};

BlktraceSource::~BlktraceSource() {
  relays_.clear();
  if (!set_up_) return;
  ::ioctl(disk_.get(), BLKTRACESTOP);
  ::ioctl(disk_.get(), BLKTRACETEARDOWN);
}

Status BlktraceSource::start(uint64_t buffer_kb) {
  blk_user_trace_setup setup{};
  setup.act_mask = UINT16_MAX;
  setup.buf_size = kPieceKb << 10U;
  setup.buf_nr = static_cast<uint32_t>(
      std::max<uint64_t>(2, (buffer_kb == 0 ? kDefaultBufferKb : buffer_kb) / kPieceKb));
  if (::ioctl(disk_.get(), BLKTRACESETUP, &setup) != 0) {
    return errno == EBUSY ? Error{ErrorCode::kTraceUnavailable, "another process already traces the disk"}
                          : unavailable("BLKTRACESETUP");
  }
  set_up_ = true;
  setup.name[sizeof setup.name - 1] = '\0';
  folder_ = fmt::format("block/{}", setup.name);
  if (Status status = open_relays(); !status) return status;
  if (::ioctl(disk_.get(), BLKTRACESTART) != 0) return unavailable("BLKTRACESTART");
  // A file that opens may still be unreadable.
  const Result<bool> tried = read([](const BlockEvent&) {});
  return tried ? ok_status() : Status(tried.error());
}

Status BlktraceSource::open_relays() {
  for (uint32_t i = 0; i < kMaxProcessors; ++i) {
    const std::string path = fmt::format("{}/trace{}", folder_, i);
    Descriptor file(::openat(debugfs_.root_fd(), path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    // Offline processors have no file.
    if (!file.valid() && errno == ENOENT && i >= static_cast<uint32_t>(::sysconf(_SC_NPROCESSORS_CONF)))
      break;
    if (!file.valid() && errno == ENOENT) continue;
    if (!file.valid()) return unavailable("cannot open " + path + " in debugfs");
    relays_.push_back({path, std::move(file), {}, 0});
  }
  if (!relays_.empty()) return ok_status();
  return Error{ErrorCode::kTraceUnavailable, "debugfs has no " + folder_ + "/trace0"};
}

// Visits the complete records of the bytes read.
Status BlktraceSource::take(Relay& relay, const Visit& visit) {
  std::span<const uint8_t> bytes(relay.left);
  while (!bytes.empty()) {
    TraceRecord record;
    const RecordFound found = decode_record(bytes, record);
    const bool cut_short = found == RecordFound::kCutShort ||
                           (found == RecordFound::kRecord && bytes.size() < record.total_bytes());
    if (cut_short) break;
    if (found != RecordFound::kRecord) {
      return Error{ErrorCode::kTraceUnavailable, relay.path + " contains data that is no blktrace record"};
    }
    bytes = bytes.subspan(record.total_bytes());
    if (record.is_notify) continue;
    if (record.sequence != relay.last_sequence + 1) ++missed_count_;
    relay.last_sequence = record.sequence;
    visit({.begin_sector = record.sector,
           .bytes = record.bytes,
           .reads_only = record.reads_only,
           .is_queued = record.is_queued,
           .discards = record.discards,
           .is_metadata = record.is_metadata,
           .is_issued = record.is_issued,
           .time_ns = record.time_ns,
           .has_no_place = record.is_passed_through});
  }
  relay.left.erase(relay.left.begin(), relay.left.end() - static_cast<ptrdiff_t>(bytes.size()));
  return ok_status();
}

Result<bool> BlktraceSource::read(const Visit& visit) {
  for (Relay& relay : relays_) {
    ssize_t n = 0;
    while ((n = ::read(relay.file.get(), buffer_.data(), buffer_.size())) > 0) {
      relay.left.insert(relay.left.end(), buffer_.begin(), buffer_.begin() + n);
      if (Status status = take(relay, visit); !status) return status.error();
    }
    if (n < 0 && errno != EAGAIN && errno != EINTR) return unavailable("cannot read " + relay.path);
  }
  return false;
}

Status BlktraceSource::finish(const Visit& visit) {
  // Flushes buffers that are not yet full.
  if (::ioctl(disk_.get(), BLKTRACESTOP) != 0) return unavailable("BLKTRACESTOP");
  if (const Result<bool> rest = read(visit); !rest) return rest.error();
  for (const Relay& relay : relays_) {
    if (!relay.left.empty()) return Error{ErrorCode::kTraceUnavailable, relay.path + " ends within a record"};
  }
  return ok_status();
}

uint64_t BlktraceSource::dropped_count() {
  const Result<std::string> text = read_file_at(debugfs_.root_fd(), folder_ + "/dropped");
  uint64_t count = 1;  // an unknown count is not zero
  if (text) std::from_chars(text->data(), text->data() + text->size(), count);
  return std::max(count, missed_count_);
}

}  // namespace

Result<std::unique_ptr<TraceSource>> open_blktrace_source(const TracedDevice& device, uint64_t buffer_kb) {
  Result<KernelFileSystem> debugfs = KernelFileSystem::open("debugfs");
  if (!debugfs) return debugfs.error();
  // Traces the whole disk: a partition's trace lacks an event that begins before it and ends in it.
  Descriptor disk(::open(device.disk_path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
  if (!disk.valid()) return unavailable("cannot open " + device.disk_path);
  auto source = std::make_unique<BlktraceSource>(std::move(*debugfs), std::move(disk));
  if (Status status = source->start(buffer_kb); !status) return status.error();
  return Result<std::unique_ptr<TraceSource>>(std::move(source));
}

}  // namespace patina
