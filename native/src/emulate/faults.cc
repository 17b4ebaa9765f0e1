// Reads faults from requests, and applies them.
#include "emulate/faults.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <nlohmann/json.hpp>
#include <string_view>

namespace patina {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::pair<std::string_view, FaultKind>, 8> kKinds = {
    {{"none", FaultKind::kNone},
     {"power_cut", FaultKind::kPowerCut},
     {"read_error", FaultKind::kReadError},
     {"write_error", FaultKind::kWriteError},
     {"ends_early", FaultKind::kEndsEarly},
     {"disappears", FaultKind::kDisappears},
     {"read_only", FaultKind::kReadOnly},
     {"slow", FaultKind::kSlow}}};
constexpr uint64_t kMostDelayMs = 60'000;
constexpr size_t kMostFaults = 1000;

Error wrong(const std::string& what) {
  return {ErrorCode::kUsage, what};
}

// A number of the request. A missing one is the default, or an error without one.
Result<uint64_t> number(const Json& request, const char* key, uint64_t least, uint64_t most,
                        std::optional<uint64_t> missing = std::nullopt) {
  const auto found = request.find(key);
  if (found == request.end() && missing) return *missing;
  const bool is_valid = found != request.end() && found->is_number_unsigned() &&
                        found->get<uint64_t>() >= least && found->get<uint64_t>() <= most;
  if (!is_valid) return wrong(fmt::format("'{}' must be a whole number from {} to {}", key, least, most));
  return found->get<uint64_t>();
}

Status read_range(const Json& request, uint64_t disk_bytes, Fault& fault) {
  const Result<uint64_t> first = number(request, "first_byte", 0, disk_bytes - 1);
  if (!first) return first.error();
  const Result<uint64_t> length = number(request, "length_bytes", 1, disk_bytes - *first);
  if (!length) return length.error();
  fault.range = {*first, *first + *length};
  return ok_status();
}

Status read_loss(const Json& request, Fault& fault) {
  const std::string lost = request.value("lost", Json("all")).is_string() ? request.value("lost", "all") : "";
  if (lost != "all" && lost != "random") return wrong("'lost' must be \"all\" or \"random\"");
  fault.loss = lost == "all" ? PowerCutLoss::kAll : PowerCutLoss::kRandom;
  const Result<uint64_t> seed = number(request, "seed", 0, UINT64_MAX, 1);
  if (!seed) return seed.error();
  fault.seed = *seed;
  return ok_status();
}

}  // namespace

Result<Fault> fault_of(const Json& request, uint64_t disk_bytes) {
  const std::string name =
      request.contains("kind") && request["kind"].is_string() ? request["kind"].get<std::string>() : "";
  const auto* const row =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.first == name; });
  if (row == kKinds.end()) {
    std::string names;
    for (const auto& [each, kind] : kKinds) names += (names.empty() ? "" : ", ") + std::string(each);
    return wrong("'kind' must be one of " + names);
  }
  Fault fault{.kind = row->second};
  Status status = ok_status();
  switch (fault.kind) {
    case FaultKind::kReadError:
    case FaultKind::kWriteError:
      status = read_range(request, disk_bytes, fault);
      break;
    case FaultKind::kEndsEarly: {
      const Result<uint64_t> size = number(request, "size_bytes", 0, disk_bytes);
      if (!size) return size.error();
      fault.size_bytes = *size;
      break;
    }
    case FaultKind::kSlow: {
      const Result<uint64_t> delay = number(request, "delay_ms", 1, kMostDelayMs);
      if (!delay) return delay.error();
      fault.delay_ms = *delay;
      break;
    }
    case FaultKind::kPowerCut:
      status = read_loss(request, fault);
      break;
    default:
      break;
  }
  if (!status) return status.error();
  return fault;
}

Json request_of(const Fault& fault) {
  const auto* const row =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& each) { return each.second == fault.kind; });
  Json request = {{"type", "fault"}, {"kind", row->first}};
  switch (fault.kind) {
    case FaultKind::kReadError:
    case FaultKind::kWriteError:
      request["first_byte"] = fault.range.begin_bytes;
      request["length_bytes"] = fault.range.end_bytes - fault.range.begin_bytes;
      break;
    case FaultKind::kEndsEarly:
      request["size_bytes"] = fault.size_bytes;
      break;
    case FaultKind::kSlow:
      request["delay_ms"] = fault.delay_ms;
      break;
    case FaultKind::kPowerCut:
      request["lost"] = fault.loss == PowerCutLoss::kAll ? "all" : "random";
      request["seed"] = fault.seed;
      break;
    default:
      break;
  }
  return request;
}

void Faults::add(const Fault& fault) {
  const std::lock_guard lock(mutex_);
  if (fault.kind == FaultKind::kNone) {
    std::erase_if(faults_, [](const Fault& each) { return each.kind != FaultKind::kPowerCut; });
  } else if (faults_.size() < kMostFaults) {
    faults_.push_back(fault);
  }
  any_ = !faults_.empty();
}

std::vector<Fault> Faults::all() const {
  const std::lock_guard lock(mutex_);
  return faults_;
}

int Faults::error_of(bool is_write, uint64_t offset_bytes, uint64_t length_bytes) const {
  if (!any_) return 0;
  const std::lock_guard lock(mutex_);
  const uint64_t end_bytes = offset_bytes + length_bytes;
  for (const Fault& fault : faults_) {
    const bool overlaps = fault.range.begin_bytes < end_bytes && offset_bytes < fault.range.end_bytes;
    switch (fault.kind) {
      case FaultKind::kReadError:
        if (!is_write && overlaps) return EIO;
        break;
      case FaultKind::kWriteError:
        if (is_write && overlaps) return EIO;
        break;
      case FaultKind::kEndsEarly:
        if (end_bytes > fault.size_bytes) return EIO;
        break;
      case FaultKind::kReadOnly:
        if (is_write) return EROFS;
        break;
      case FaultKind::kPowerCut:
      case FaultKind::kDisappears:
        return ENODEV;
      default:
        break;
    }
  }
  return 0;
}

uint64_t Faults::delay_ms() const {
  if (!any_) return 0;
  const std::lock_guard lock(mutex_);
  uint64_t delay_ms = 0;
  for (const Fault& fault : faults_) delay_ms = std::max(delay_ms, fault.delay_ms);
  return delay_ms;
}

}  // namespace patina
