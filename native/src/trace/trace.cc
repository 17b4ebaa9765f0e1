// Arms a source while the device is unused, records first touches, and disarms once it is unused again.
#include "trace/trace.h"

#include <fmt/format.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <thread>

#include "base/stopwatch.h"
#include "device/device.h"
#include "device/device_generation.h"
#include "trace/backing_file_watch.h"
#include "trace/trace_writer.h"

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::chrono::milliseconds kIdle{20};
constexpr double kProgressIntervalS = 1;

Json text_or_null(const std::string& text) {
  return text.empty() ? Json() : Json(text);
}

class Trace {
 public:
  Trace(const TraceOptions& options, EventSink& sink, TracedDevice device, uint64_t device_bytes)
      : options_(options),
        sink_(sink),
        device_(std::move(device)),
        backing_file_(device_),
        tally_(device_bytes, device_.start_sectors) {}

  // Expects the device held and settled.
  Status arm(const std::vector<TraceSourceKind>& kinds);
  Status run(const std::atomic<bool>& stop);
  Status disarm();
  bool report_armed();
  bool report_summary();

 private:
  void count(const BlockEvent& event);
  void fail(const Error& error);
  Result<bool> read_source();
  bool report_progress();
  std::string generation(const char* when);
  void check_backing_file();
  void check_all_seen(std::optional<uint64_t> written_sectors_end);
  void settle_at_end();

  const TraceOptions& options_;
  EventSink& sink_;
  const TracedDevice device_;
  const BackingFileWatch backing_file_;
  TraceTally tally_;
  std::unique_ptr<TraceSource> source_;
  std::vector<UnavailableSource> unavailable_;
  std::unique_ptr<TraceWriter> writer_;
  // Held from the final settle until the events are read.
  std::unique_ptr<Device> held_;
  std::string generation_begin_;
  std::string generation_end_;
  std::optional<uint64_t> written_sectors_begin_;
  uint64_t dropped_count_ = 0;
  bool source_failed_ = false;
  Status written_ = ok_status();
  Stopwatch stopwatch_;
};

std::string Trace::generation(const char* when) {
  std::string reason;
  const Result<std::string> known = device_generation(device_.path, &reason);
  if (known && !known->empty()) return *known;
  fmt::print(stderr, "patina-core: the generation {} is not known: {}\n", when,
             known ? reason : known.error().message);
  tally_.doubt("unknown_generation");
  return "";
}

// A write past the device's queue leaves no event in it.
void Trace::check_backing_file() {
  const std::string reason = backing_file_.doubt();
  if (!reason.empty()) tally_.doubt(reason);
}

// Compares with the kernel's own count of sectors written to the disk: each write in it has an event.
void Trace::check_all_seen(std::optional<uint64_t> written_sectors_end) {
  if (!written_sectors_begin_ || !written_sectors_end) return;  // then the generation is not known either
  const uint64_t counted = *written_sectors_end - *written_sectors_begin_;
  if (counted <= tally_.queued_sectors()) return;
  fmt::print(stderr, "patina-core: {} sectors were written to {}, but the events cover {}\n", counted,
             device_.disk_name, tally_.queued_sectors());
  tally_.doubt("unseen_writes");
}

Status Trace::arm(const std::vector<TraceSourceKind>& kinds) {
  Result<std::unique_ptr<TraceSource>> source =
      open_trace_source(kinds, options_.source, device_, options_.buffer_kb, unavailable_);
  if (!source) return source.error();
  source_ = std::move(*source);
  generation_begin_ = generation("at the beginning");
  written_sectors_begin_ = written_sectors(device_.path);
  if (!options_.generation.empty() && options_.generation != generation_begin_) {
    tally_.doubt("device_changed_before");
  }
  check_backing_file();
  const TraceHead head{tally_.dirty().device_bytes(), source_->name(), generation_begin_};
  Result<std::unique_ptr<TraceWriter>> writer =
      TraceWriter::create(options_.trace_file, kernel_number(device_.disk_and_partitions[0]), head);
  if (!writer) return writer.error();
  writer_ = std::move(*writer);
  return ok_status();
}

bool Trace::report_armed() {
  Json unavailable = Json::array();
  for (const UnavailableSource& source : unavailable_) {
    unavailable.push_back({{"source", source.name}, {"reason", source.reason}});
  }
  return sink_.emit({{"type", "armed"},
                     {"source", source_->name()},
                     {"unavailable_sources", std::move(unavailable)},
                     {"device_bytes", tally_.dirty().device_bytes()},
                     {"generation", text_or_null(generation_begin_)},
                     {"incomplete_reason", text_or_null(tally_.incomplete_reason())}});
}

bool Trace::report_progress() {
  return sink_.emit({{"type", "progress"},
                     {"command", "trace"},
                     {"events_count", tally_.events_count()},
                     {"touched_bytes", tally_.dirty().touched_bytes()},
                     {"dropped_count", source_->dropped_count()},
                     {"elapsed_s", stopwatch_.elapsed_s()}});
}

bool Trace::report_summary() {
  return sink_.emit({{"type", "summary"},
                     {"command", "trace"},
                     {"source", source_->name()},
                     {"complete", tally_.incomplete_reason().empty()},
                     {"incomplete_reason", text_or_null(tally_.incomplete_reason())},
                     {"device_bytes", tally_.dirty().device_bytes()},
                     {"events_count", tally_.events_count()},
                     {"writes_count", tally_.writes_count()},
                     {"dropped_count", dropped_count_},
                     {"touched_bytes", tally_.dirty().touched_bytes()},
                     {"written_bytes", tally_.written_bytes()},
                     {"metadata_written_bytes", tally_.metadata_written_bytes()},
                     {"reads_count", tally_.reads().reads_count()},
                     {"read_bytes", tally_.reads().read_bytes()},
                     {"read_jumps_count", tally_.reads().jumps_count()},
                     {"generation_begin", text_or_null(generation_begin_)},
                     {"generation_end", text_or_null(generation_end_)},
                     {"elapsed_s", stopwatch_.elapsed_s()}});
}

void Trace::count(const BlockEvent& event) {
  tally_.count(event, [this](ByteRange fresh) {
    if (written_) written_ = writer_->add(fresh);
  });
}

// Gives up a source that cannot be read: the trace becomes incomplete, but still lasts until its stop.
void Trace::fail(const Error& error) {
  fmt::print(stderr, "patina-core: {}\n", error.message);
  tally_.doubt("source_failed");
  source_failed_ = true;
}

// True: more events are ready.
Result<bool> Trace::read_source() {
  bool is_left = false;
  if (!source_failed_) {
    const Result<bool> read = source_->read([this](const BlockEvent& event) { count(event); });
    if (!read) fail(read.error());
    is_left = read && *read;
  }
  if (!is_left) tally_.settle_reads();
  if (written_) written_ = writer_->flush();
  if (!written_) return written_.error();
  return is_left;
}

Status Trace::run(const std::atomic<bool>& stop) {
  double reported_s = 0;
  bool is_read = true;
  while (!stop.load() && is_read) {
    const Result<bool> is_left = read_source();
    if (!is_left) return is_left.error();
    if (stopwatch_.elapsed_s() - reported_s >= kProgressIntervalS) {
      reported_s = stopwatch_.elapsed_s();
      is_read = report_progress();
    }
    // Keeps the load on the benchmark low.
    if (!*is_left) std::this_thread::sleep_for(kIdle);
  }
  return ok_status();
}

// Makes all data written reach the device while it is still traced, and excludes further writes.
void Trace::settle_at_end() {
  Result<std::unique_ptr<Device>> device = Device::open_to_read(device_.path);
  const Status settled = device ? (*device)->settle() : Status(device.error());
  if (settled) {
    held_ = std::move(*device);
    return;
  }
  fmt::print(stderr, "patina-core: {}\n", settled.error().message);
  tally_.doubt(settled.error().code == ErrorCode::kDeviceBusy ? "device_busy_at_end" : "device_failed");
}

Status Trace::disarm() {
  settle_at_end();
  // In this order: a write between the two would be in the trace and not in the generation.
  if (held_) generation_end_ = generation("at the end");
  const std::optional<uint64_t> written_sectors_end = written_sectors(device_.path);
  if (!source_failed_) {
    const Status finished = source_->finish([this](const BlockEvent& event) { count(event); });
    if (!finished) fail(finished.error());
  }
  tally_.settle_reads();
  if (!written_) return written_;
  dropped_count_ = source_->dropped_count();
  if (dropped_count_ > 0) tally_.doubt("dropped_events");
  check_all_seen(written_sectors_end);
  check_backing_file();
  held_.reset();
  TraceEnd end;
  end.events_count = tally_.events_count();
  end.writes_count = tally_.writes_count();
  end.dropped_count = dropped_count_;
  end.generation_end = generation_end_;
  end.incomplete_reason = tally_.incomplete_reason();
  return writer_->finish(end);
}

}  // namespace

Status run_trace(const TraceOptions& options, EventSink& sink, const std::atomic<bool>& stop,
                 const std::vector<TraceSourceKind>& kinds) {
  const Error stdout_closed{ErrorCode::kCanceled, "stdout is closed"};
  if (!sink.emit(hello_event("trace"))) return stdout_closed;
  Result<TracedDevice> device = find_traced_device(options.device);
  if (!device) return device.error();
  // The device is not mounted, and no earlier write is in flight.
  Result<std::unique_ptr<Device>> held = Device::open_to_read(options.device);
  if (!held) return held.error();
  if (Status status = (*held)->settle(); !status) return status;
  Trace trace(options, sink, std::move(*device), (*held)->size_bytes());
  if (Status status = trace.arm(kinds); !status) return status;
  held->reset();
  const bool is_read = trace.report_armed();
  if (is_read) {
    if (Status status = trace.run(stop); !status) return status;
  }
  if (Status status = trace.disarm(); !status) return status;
  if (!is_read || !trace.report_summary()) return stdout_closed;
  return ok_status();
}

}  // namespace patina
