// Writes a trace in whole records (docs/file-formats.md, "Trace"): a file without its end record means that
// the tracer died.
#pragma once

#include <chrono>
#include <memory>
#include <string>

#include "base/byte_range.h"
#include "base/descriptor.h"
#include "base/result.h"
#include "trace/trace_message.h"

namespace patina {

class TraceWriter {
 public:
  // Errors of all: kIoError, naming the file. `device`: the number in the records.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, uint32_t device,
                                                     const TraceHead& head);

  // Adds blocks that were touched for the first time.
  Status add(ByteRange range);
  Status flush();
  // Writes the end record, with the number of records, durably.
  Status finish(TraceEnd end);

 private:
  TraceWriter(std::string path, uint32_t device, Descriptor file)
      : path_(std::move(path)), device_(device), file_(std::move(file)) {}
  Error failed(const char* verb) const;
  uint64_t time_ns() const;

  std::string path_;
  uint32_t device_;
  Descriptor file_;
  std::string buffer_;
  uint32_t records_count_ = 0;
  const std::chrono::steady_clock::time_point started_ = std::chrono::steady_clock::now();
};

}  // namespace patina
