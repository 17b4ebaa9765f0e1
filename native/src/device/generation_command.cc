// A missing device is reported without a generation; the others are reported all the same.
#include "device/generation_command.h"

#include <nlohmann/json.hpp>

#include "device/device_generation.h"

namespace patina {
namespace {

nlohmann::ordered_json record_of(const std::string& device) {
  std::string reason;
  const Result<std::string> generation = device_generation(device, &reason);
  nlohmann::ordered_json record = {
      {"type", "generation"}, {"device", device}, {"generation", nullptr}, {"reason", nullptr}};
  if (generation && !generation->empty()) {
    record["generation"] = *generation;
  } else {
    record["reason"] = generation ? reason : generation.error().message;
  }
  return record;
}

}  // namespace

Status run_generation(const GenerationOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  bool is_read = sink.emit(hello_event("generation"));
  for (const std::string& device : options.devices) {
    if (stop.load()) return Error{ErrorCode::kCanceled, "stopped before all devices were read"};
    is_read = is_read && sink.emit(record_of(device));
  }
  is_read =
      is_read &&
      sink.emit({{"type", "summary"}, {"command", "generation"}, {"devices_count", options.devices.size()}});
  return is_read ? ok_status() : Status(Error{ErrorCode::kCanceled, "stdout is closed"});
}

}  // namespace patina
