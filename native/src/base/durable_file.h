// A file that exists whole or not at all: written beside its name, synced, renamed.
#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

class DurableFile {
 public:
  // `what` names the file in errors, e.g. "the delta". All errors are kIoError and name the file.
  static Result<std::unique_ptr<DurableFile>> create(const std::string& path, const char* what);
  ~DurableFile();
  DurableFile(const DurableFile&) = delete;
  DurableFile& operator=(const DurableFile&) = delete;

  Status append(std::string_view bytes);
  // Gives the file its name, durably.
  Status publish();

 private:
  DurableFile(std::string path, const char* what, Descriptor fd)
      : path_(std::move(path)), what_(what), fd_(std::move(fd)) {}
  Status write_out();
  Error failed(const char* verb) const;

  std::string path_;
  const char* what_;
  Descriptor fd_;
  std::string buffer_;
  bool published_ = false;
};

}  // namespace patina
