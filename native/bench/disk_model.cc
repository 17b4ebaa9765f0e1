// Measures how many requests a second of processor time a disk model answers. Prints one JSON line.
// Usage: disk-model MODEL random|sequential BYTES COUNT.
#include <fmt/format.h>

#include <cstdlib>
#include <ctime>
#include <string_view>

#include "base/random.h"
#include "disk_model/disk_spec.h"

namespace patina {
namespace {

int measure(const std::string& model, bool is_random, uint64_t request_bytes, uint64_t count) {
  const Result<ModelSpec> spec = read_model(model);
  const auto disk = spec ? make_disk_model(*spec, spec->capacity_bytes, 1) : spec.error();
  if (!disk) {
    fmt::print(stderr, "disk-model: {}\n", disk.error().message);
    return EXIT_FAILURE;
  }
  Random random(1);
  const uint64_t places = spec->capacity_bytes / request_bytes;
  uint64_t at_ns = 0;
  const std::clock_t started = std::clock();  // of the processor: the model does not wait
  for (uint64_t i = 0; i < count; ++i) {
    const uint64_t place = is_random ? random.next() % places : i % places;
    // Sequential: the first half of the requests writes, the other reads.
    const bool is_write = is_random ? random.coin() : i < count / 2;
    const auto kind = is_write ? DiskRequest::Kind::kWrite : DiskRequest::Kind::kRead;
    at_ns = (*disk)->end_ns({kind, place * request_bytes, request_bytes}, at_ns);
  }
  const double elapsed_s = static_cast<double>(std::clock() - started) / CLOCKS_PER_SEC;
  fmt::print("{{\"type\":\"disk_model\",\"requests_per_s\":{:.0f},\"predicted_requests_per_s\":{:.1f}}}\n",
             static_cast<double>(count) / elapsed_s,
             static_cast<double>(count) * 1e9 / static_cast<double>(at_ns));
  return EXIT_SUCCESS;
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  if (argc != 5) {
    fmt::print(stderr, "usage: disk-model MODEL random|sequential BYTES COUNT\n");
    return EXIT_FAILURE;
  }
  return patina::measure(argv[1], argv[2] == std::string_view("random"), std::strtoull(argv[3], nullptr, 10),
                         std::strtoull(argv[4], nullptr, 10));
}
