// Measures how fast a plan is made and recorded, without a file system.
// Usage: record-log PROFILE CAPACITY_BYTES FULLNESS HORIZON FILE. Prints one JSON line.
#include <fmt/format.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <vector>

#include "age/operation_log.h"
#include "model/plan.h"
#include "model/profile.h"

namespace patina {
namespace {

[[noreturn]] void die(const Error& error) {
  fmt::print(stderr, "record-log: {}\n", error.message);
  std::exit(EXIT_FAILURE);
}

int measure(const std::string& profile_file, const ForecastRequest& request, const std::string& file) {
  Result<Profile> profile = load_profile(profile_file);
  if (!profile) die(profile.error());
  Result<Forecast> forecast = make_forecast(*profile, request);
  if (!forecast) die(forecast.error());
  Planner planner(*forecast);
  const auto started = std::chrono::steady_clock::now();
  auto log = OperationLogWriter::create(file, planner.tree());
  if (!log) die(log.error());
  std::vector<Operation> block(4096);
  while (!planner.finished()) {
    const size_t planned = planner.next(block);
    if (Status added = (*log)->add(std::span(block).first(planned)); !added) die(added.error());
  }
  if (Status finished = (*log)->finish(planner.stream_digest()); !finished) die(finished.error());
  const double elapsed_s = std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
  struct stat status{};
  if (stat(file.c_str(), &status) != 0) return EXIT_FAILURE;
  const auto ops_count = static_cast<double>(planner.tick());
  fmt::print("{{\"type\":\"record_log\",\"bytes_per_op\":{:.2f},\"ops_per_s\":{}}}\n",
             static_cast<double>(status.st_size) / ops_count, ops_count / elapsed_s);
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  if (argc != 6) {
    patina::die(
        {patina::ErrorCode::kUsage, "usage: record-log PROFILE CAPACITY_BYTES FULLNESS HORIZON FILE"});
  }
  patina::ForecastRequest request;
  request.capacity_bytes = std::strtoull(argv[2], nullptr, 10);
  request.fullness = std::strtod(argv[3], nullptr);
  request.horizon_ops_count = std::strtoull(argv[4], nullptr, 10);
  return patina::measure(argv[1], request, argv[5]);
}
