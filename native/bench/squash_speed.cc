// How fast the pieces of writes are classified: requests of 1 MiB of data, text and zeroes.
// Usage: squash-speed IMAGE, an image with a file system. Prints one JSON line for each kind of data.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

#include "base/random.h"
#include "squash/squash.h"

namespace patina {
namespace {

constexpr size_t kRequestBytes = size_t{1} << 20U;
constexpr size_t kRequestsCount = 64;  // of different bytes: more than the caches hold

[[noreturn]] void die(const std::string& message) {
  fmt::print(stderr, "squash-speed: {}\n", message);
  std::exit(EXIT_FAILURE);
}

void fill_with_random(std::vector<uint8_t>& bytes) {
  Random random(1);
  for (size_t at = 0; at < bytes.size(); at += sizeof(uint64_t)) {
    const uint64_t word = random.next();
    std::memcpy(&bytes[at], &word, sizeof word);
  }
}

void fill_with_text(std::vector<uint8_t>& bytes) {
  const std::string words = "It keeps what may be metadata, and drops the rest. ";
  for (size_t at = 0; at < bytes.size(); ++at) bytes[at] = static_cast<uint8_t>(words[at % words.size()]);
}

void measure(const Squash& squash, const char* kind, const std::vector<uint8_t>& bytes,
             uint64_t first_piece) {
  constexpr std::chrono::seconds kDuration{1};
  std::vector<Verdict> verdicts(kRequestBytes / kPieceBytes);
  uint64_t classified_bytes = 0;
  uint64_t dropped_count = 0;
  const auto begin = std::chrono::steady_clock::now();
  std::chrono::duration<double> elapsed{};
  while (elapsed < kDuration) {
    for (size_t i = 0; i < kRequestsCount; ++i) {
      squash.classify(first_piece, std::span(bytes).subspan(i * kRequestBytes, kRequestBytes), verdicts);
      dropped_count += static_cast<uint64_t>(std::count(verdicts.begin(), verdicts.end(), Verdict::kDrop));
      classified_bytes += kRequestBytes;
    }
    elapsed = std::chrono::steady_clock::now() - begin;
  }
  fmt::print(
      "{{\"file_system\":\"{}\",\"data\":\"{}\",\"gigabytes_per_s\":{:.1f},\"dropped_fraction\":{:.3f}}}\n",
      squash.file_system(), kind, static_cast<double>(classified_bytes) / elapsed.count() / 1e9,
      static_cast<double>(dropped_count * kPieceBytes) / static_cast<double>(classified_bytes));
}

void measure_all(const char* image) {
  const int fd = open(image, O_RDONLY | O_CLOEXEC);
  if (fd < 0) die(fmt::format("{}: {}", image, std::strerror(errno)));
  const off_t size = lseek(fd, 0, SEEK_END);
  Squash squash(static_cast<uint64_t>(size), [fd](uint64_t piece, std::span<uint8_t, kPieceBytes> into) {
    const ssize_t n = pread(fd, into.data(), into.size(), static_cast<off_t>(piece * kPieceBytes));
    return n == static_cast<ssize_t>(into.size());
  });
  squash.reload();
  if (const std::string reason = squash.kept_whole_reason(); !reason.empty()) die(reason);
  // Neither the log of xfs, in the middle, nor the tables of an ext file system, at powers of 2.
  const uint64_t first_piece = (static_cast<uint64_t>(size) / kPieceBytes / 3) & ~uint64_t{255};
  std::vector<uint8_t> bytes(kRequestsCount * kRequestBytes);
  measure(squash, "zero", bytes, first_piece);
  fill_with_text(bytes);
  measure(squash, "text", bytes, first_piece);
  fill_with_random(bytes);
  measure(squash, "random", bytes, first_piece);
  close(fd);
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  if (argc != 2) patina::die("usage: squash-speed IMAGE");
  patina::measure_all(argv[1]);
  return EXIT_SUCCESS;
}
