// Reads block_bio_queue and block_rq_issue from per-processor ring buffers, in the kernel's own binary form.
#include "trace/tracefs_source.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstring>
#include <thread>
#include <vector>

#include "device/kernel_file_system.h"
#include "trace/ring_buffer_page.h"

namespace patina {
namespace {

constexpr const char* kPrefix = "patina-";
// The first reports writes as they are queued.
constexpr std::array<const char*, 2> kEvents = {"events/block/block_bio_queue",
                                                "events/block/block_rq_issue"};
// Larger than any page of the ring buffer; a read returns one page at most.
constexpr size_t kReadBytes = size_t{64} << 10U;
constexpr uint64_t kBuffersKb = 64 << 10U;
constexpr uint64_t kMinBufferKb = 1024;
constexpr uint64_t kMaxBufferKb = 8192;
// Read of each processor in turn: a quarter of its default buffer.
constexpr size_t kMaxPagesAtOnce = 512;

// Places of the fields in an event of one kind.
struct EventLayout {
  uint16_t id = 0;
  EventField sector;
  EventField sectors_count;
  EventField letters;
  EventField bytes;  // size 0: the event lacks it
};

Error unavailable(std::string why) {
  return {ErrorCode::kTraceUnavailable, std::move(why)};
}

std::vector<std::string> names_in(int folder, const char* path) {
  std::vector<std::string> names;
  Descriptor fd(::openat(folder, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  DIR* const entries = fd.valid() ? ::fdopendir(fd.get()) : nullptr;
  if (entries == nullptr) return names;
  fd.release();
  while (const dirent* entry = ::readdir(entries)) names.emplace_back(entry->d_name);
  ::closedir(entries);
  return names;
}

// Removes the instances of dead tracers. A live tracer in another PID namespace looks dead, but its open
// files keep its instance from being removed.
void remove_orphans(int tracefs) {
  for (const std::string& name : names_in(tracefs, "instances")) {
    if (!name.starts_with(kPrefix)) continue;
    pid_t pid = 0;
    const char* const digits = name.data() + std::strlen(kPrefix);
    const auto parsed = std::from_chars(digits, name.data() + name.size(), pid);
    if (parsed.ec != std::errc() || pid <= 0) continue;
    if (::kill(pid, 0) == 0 || errno != ESRCH) continue;
    ::unlinkat(tracefs, ("instances/" + name).c_str(), AT_REMOVEDIR);
  }
}

Result<EventLayout> read_layout(int folder, const std::string& event) {
  const Result<std::string> text = read_file_at(folder, event + "/format");
  if (!text) return text.error();
  const EventFormat format = parse_event_format(*text).value_or(EventFormat{});
  const EventField* const sector = format.field("sector");
  const EventField* const sectors_count = format.field("nr_sector");
  const EventField* const letters = format.field("rwbs");
  const EventField* const type = format.field("common_type");
  if (sector == nullptr || sectors_count == nullptr || letters == nullptr || type == nullptr ||
      type->offset != 0 || type->size != sizeof(uint16_t) || format.field("dev") == nullptr) {
    return unavailable(event + " lacks a needed field");
  }
  const EventField* const bytes = format.field("bytes");
  return EventLayout{format.id, *sector, *sectors_count, *letters, bytes == nullptr ? EventField{} : *bytes};
}

class TracefsSource final : public TraceSource {
 public:
  TracefsSource(KernelFileSystem tracefs, std::string name)
      : tracefs_(std::move(tracefs)), instance_name_(std::move(name)), buffer_(kReadBytes) {}
  ~TracefsSource() override { remove_instance(); }

  Status start(const TracedDevice& device, uint64_t buffer_kb);
  const char* name() const override { return "tracefs"; }
  Result<bool> read(const Visit& visit) override;
  Status finish(const Visit& visit) override;
  uint64_t dropped_count() override;

 private:
  Status make_instance();
  Status learn_layouts();
  Status open_processors();
  Status enable(const TracedDevice& device);
  Result<bool> read_page(size_t index, const Visit& visit);
  void take(std::span<const uint8_t> event, uint64_t time_ns, const Visit& visit) const;
  void remove_instance();
  std::string path_of_instance() const { return "instances/" + instance_name_; }

  KernelFileSystem tracefs_;
  std::string instance_name_;
  bool made_ = false;
  Descriptor instance_;
  std::vector<EventLayout> layouts_;
  std::optional<RingBufferPage> page_;
  std::vector<std::string> processors_;  // "per_cpu/cpu0"
  std::vector<Descriptor> pipes_;
  std::vector<uint8_t> buffer_;
  uint64_t missed_count_ = 0;  // a lower bound
};

Status TracefsSource::start(const TracedDevice& device, uint64_t buffer_kb) {
  remove_orphans(tracefs_.root_fd());
  if (Status status = make_instance(); !status) return status;
  if (Status status = learn_layouts(); !status) return status;
  if (Status status = open_processors(); !status) return status;
  if (buffer_kb == 0) buffer_kb = std::clamp(kBuffersKb / pipes_.size(), kMinBufferKb, kMaxBufferKb);
  Status status = write_file_at(instance_.get(), "buffer_size_kb", fmt::format("{}", buffer_kb));
  // A full buffer then keeps its events and counts those that do not fit.
  if (status) status = write_file_at(instance_.get(), "options/overwrite", "0");
  if (status) status = enable(device);
  return status;
}

Status TracefsSource::make_instance() {
  const std::string path = path_of_instance();
  // Removes an instance that a dead process with the same PID left.
  ::unlinkat(tracefs_.root_fd(), path.c_str(), AT_REMOVEDIR);
  made_ = ::mkdirat(tracefs_.root_fd(), path.c_str(), 0700) == 0;
  if (!made_) {
    return unavailable(fmt::format("cannot make {} in tracefs: {}", path, std::strerror(errno)));
  }
  instance_ = Descriptor(::openat(tracefs_.root_fd(), path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!instance_.valid()) {
    return unavailable(fmt::format("cannot open {} in tracefs: {}", path, std::strerror(errno)));
  }
  return ok_status();
}

Status TracefsSource::learn_layouts() {
  for (const char* event : kEvents) {
    const Result<EventLayout> layout = read_layout(instance_.get(), event);
    if (!layout) return layout.error();
    layouts_.push_back(*layout);
  }
  const Result<std::string> head = read_file_at(tracefs_.root_fd(), "events/header_event");
  if (!head) return head.error();
  const Result<std::string> page = read_file_at(tracefs_.root_fd(), "events/header_page");
  if (!page) return page.error();
  const std::optional<EventFormat> format = parse_event_format(*page);
  if (format) page_ = RingBufferPage::of(*format);
  if (!page_ || !is_known_event_head(*head)) return unavailable("the ring buffer has an unknown layout");
  return ok_status();
}

Status TracefsSource::open_processors() {
  for (const std::string& name : names_in(instance_.get(), "per_cpu")) {
    if (!name.starts_with("cpu")) continue;
    processors_.push_back("per_cpu/" + name);
    const std::string path = processors_.back() + "/trace_pipe_raw";
    pipes_.emplace_back(::openat(instance_.get(), path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!pipes_.back().valid()) {
      return unavailable(fmt::format("cannot open {}: {}", path, std::strerror(errno)));
    }
  }
  return pipes_.empty() ? Status(unavailable("tracefs has no per_cpu folder")) : ok_status();
}

Status TracefsSource::enable(const TracedDevice& device) {
  std::string filter;
  for (const dev_t number : device.disk_and_partitions) {
    filter.append(fmt::format("{}dev == {}", filter.empty() ? "" : " || ", kernel_number(number)));
  }
  for (const std::string event : kEvents) {
    Status status = write_file_at(instance_.get(), event + "/filter", filter);
    if (status) status = write_file_at(instance_.get(), event + "/enable", "1");
    if (!status) return status;
  }
  return write_file_at(instance_.get(), "tracing_on", "1");
}

void TracefsSource::take(std::span<const uint8_t> event, uint64_t time_ns, const Visit& visit) const {
  const uint64_t id = read_field(event, {0, sizeof(uint16_t)});
  for (const EventLayout& layout : layouts_) {
    if (layout.id != id) continue;
    BlockEvent out;
    out.begin_sector = read_field(event, layout.sector);
    out.bytes = read_field(event, layout.sectors_count) * kSectorBytes;
    out.is_queued = &layout == &layouts_.front();
    out.is_issued = !out.is_queued;
    out.time_ns = time_ns;
    const std::string_view letters = read_letters(event, layout.letters);
    out.reads_only = letters_read_only(letters);
    out.discards = letters_discard(letters);
    out.is_metadata = letters_metadata(letters);
    const uint64_t bytes = read_field(event, layout.bytes);
    if (out.bytes == 0 && bytes > 0) {
      out.bytes = bytes;
      out.has_no_place = true;
    }
    visit(out);
  }
}

// False: no more events for now.
Result<bool> TracefsSource::read_page(size_t index, const Visit& visit) {
  ssize_t n = 0;
  do {
    n = ::read(pipes_[index].get(), buffer_.data(), buffer_.size());
  } while (n < 0 && errno == EINTR);
  if (n == 0 || (n < 0 && errno == EAGAIN)) return false;
  const std::string path = processors_[index] + "/trace_pipe_raw";
  if (n < 0) return unavailable(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  bool missed = false;
  const bool sound = page_->visit(
      {buffer_.data(), static_cast<size_t>(n)},
      [this, &visit](std::span<const uint8_t> event, uint64_t time_ns) { take(event, time_ns, visit); },
      missed);
  if (missed) ++missed_count_;
  if (!sound) return unavailable(path + " contains a malformed page");
  return true;
}

Result<bool> TracefsSource::read(const Visit& visit) {
  bool any_left = false;
  for (size_t i = 0; i < pipes_.size(); ++i) {
    bool is_left = true;
    for (size_t pages = 0; is_left && pages < kMaxPagesAtOnce; ++pages) {
      const Result<bool> more = read_page(i, visit);
      if (!more) return more.error();
      is_left = *more;
    }
    any_left = any_left || is_left;
  }
  return any_left;
}

Status TracefsSource::finish(const Visit& visit) {
  // Another process that switched it off before caused a gap.
  const Result<std::string> on = read_file_at(instance_.get(), "tracing_on");
  if (!on) return on.error();
  if (!on->starts_with('1')) return unavailable("tracing was switched off by another process");
  if (Status status = write_file_at(instance_.get(), "tracing_on", "0"); !status) return status;
  // No more events arrive, so this ends.
  for (;;) {
    const Result<bool> more = read(visit);
    if (!more) return more.error();
    if (!*more) return ok_status();
  }
}

uint64_t TracefsSource::dropped_count() {
  uint64_t count = 0;
  for (const std::string& processor : processors_) {
    const Result<std::string> stats = read_file_at(instance_.get(), processor + "/stats");
    if (!stats) {
      ++count;  // an unknown count is not zero
      continue;
    }
    // Matches at line starts, since "commit overrun" contains "overrun".
    for (const std::string_view key : {"\noverrun: ", "\ncommit overrun: ", "\ndropped events: "}) {
      const std::string text = "\n" + *stats;
      const size_t found = text.find(key);
      uint64_t value = 1;
      if (found != std::string::npos) {
        std::from_chars(text.data() + found + key.size(), text.data() + text.size(), value);
      }
      count += value;
    }
  }
  return std::max(count, missed_count_);
}

void TracefsSource::remove_instance() {
  constexpr int kAttempts = 50;
  pipes_.clear();
  if (!made_) return;
  instance_ = Descriptor();
  for (int i = 0; i < kAttempts; ++i) {
    if (::unlinkat(tracefs_.root_fd(), path_of_instance().c_str(), AT_REMOVEDIR) == 0 || errno != EBUSY)
      return;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
}

}  // namespace

Result<std::unique_ptr<TraceSource>> open_tracefs_source(const TracedDevice& device, uint64_t buffer_kb) {
  Result<KernelFileSystem> tracefs = KernelFileSystem::open("tracefs");
  if (!tracefs) return tracefs.error();
  // Named by the device too, since one process may trace two.
  auto source = std::make_unique<TracefsSource>(
      std::move(*tracefs), fmt::format("{}{}-{}", kPrefix, ::getpid(), device.disk_name));
  if (Status status = source->start(device, buffer_kb); !status) return status.error();
  return Result<std::unique_ptr<TraceSource>>(std::move(source));
}

}  // namespace patina
