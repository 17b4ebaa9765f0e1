// The calls of one shingled disk of either interface, which a client may make.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "base/result.h"
#include "shingle/new_disk.h"
#include "shingle_server/interface_calls.h"

namespace patina {

// Thread safe: one call at a time.
class DiskCalls {
 public:
  // `made`: what a `create` leaves out.
  DiskCalls(std::string data, std::string state, const NewDisk& made)
      : data_(std::move(data)), state_(std::move(state)), made_(made) {}

  // Opens the disk, if it has been made. kBackingInvalid; kDeviceTooSmall; kIoError.
  Status open_made();
  // Carries out a request. kUsage; kBackingInvalid: the disk is not made, or made already; its own errors.
  Result<CallAnswer> answer(const nlohmann::json& request, std::span<const uint8_t> data);
  // Flushes the disk, if there is one. kIoError.
  Status flush();

 private:
  Result<CallAnswer> create(CallReader& request);
  Result<std::unique_ptr<InterfaceCalls>> create_caveat(CallReader& request) const;
  Result<std::unique_ptr<InterfaceCalls>> create_append(CallReader& request) const;

  const std::string data_;
  const std::string state_;
  const NewDisk made_;
  std::mutex mutex_;
  std::unique_ptr<InterfaceCalls> disk_;  // null: not made yet
};

}  // namespace patina
