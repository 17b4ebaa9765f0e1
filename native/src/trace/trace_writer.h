// Writes a trace as it comes (docs/file-formats.md, "Trace"): whole records, so that a file that ends without
// its end record is one whose tracer died.
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
  // Errors of all: kIoError, naming the file. `device` is the number that the records carry.
  static Result<std::unique_ptr<TraceWriter>> create(const std::string& path, uint32_t device,
                                                     const TraceHead& head);

  // Of blocks that were touched for the first time.
  Status add(ByteRange range);
  Status flush();
  // Durably; fills in the number of records.
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
