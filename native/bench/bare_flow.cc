// The raw limit of a workload: the system calls of `fileserver` or `varmail` on precomputed names, without
// any other work. Each thread has a file set of its own.
// Usage: bare-flow MOUNT fileserver|varmail THREADS SECONDS FILES_OF_A_SET. Prints one JSON line.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/random.h"
#include "flow/file_set.h"
#include "personality/builtin.h"
#include "personality/scale.h"

namespace patina {
namespace {

constexpr size_t kPiece = size_t{1} << 20U;
constexpr uint64_t kAppend = 16384;

[[noreturn]] void die(const std::string& message) {
  fmt::print(stderr, "bare-flow: {}\n", message);
  std::exit(EXIT_FAILURE);
}

// One thread; it chooses files in the engine's order.
class Bare {
 public:
  Bare(const FileSet& set, const WriteBuffer& buffer, uint64_t seed)
      : set_(set), buffer_(buffer), random_(seed), read_(kPiece), states_(set.files_count()) {
    for (size_t file = 0; file < set.files_count(); ++file) {
      files_.push_back({set.path_of(file), set.bytes_of(file)});
      states_.set_exists(file, set.exists(file));
    }
  }

  void fileserver(const std::atomic<bool>& stop) {
    while (!stop.load(std::memory_order_relaxed)) {
      const File& made = create();
      int fd = open_at(made, O_RDWR | O_CREAT);
      write_all(fd, made.bytes);
      close(fd);
      fd = open_at(next(), O_RDWR);
      append(fd);
      close(fd);
      fd = open_at(next(), O_RDWR);
      read_all(fd);
      close(fd);
      remove();
      struct stat found{};
      if (fstatat(set_.root_fd(), next().path, &found, AT_SYMLINK_NOFOLLOW) != 0) die("stat");
      ops_count += 11;
    }
  }

  void varmail(const std::atomic<bool>& stop) {
    while (!stop.load(std::memory_order_relaxed)) {
      remove();
      int fd = open_at(create(), O_RDWR | O_CREAT);
      append(fd);
      if (fsync(fd) != 0) die("fsync");
      close(fd);
      fd = open_at(next(), O_RDWR);
      read_all(fd);
      append(fd);
      if (fsync(fd) != 0) die("fsync");
      close(fd);
      fd = open_at(next(), O_RDWR);
      read_all(fd);
      close(fd);
      ops_count += 13;
    }
  }

  uint64_t ops_count = 0;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;

 private:
  struct File {
    const char* path;
    uint64_t bytes;
  };

  int open_at(const File& file, int flags) const {
    const int fd = openat(set_.root_fd(), file.path, flags | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0) die(fmt::format("open {}", file.path));
    return fd;
  }
  const File& next() {
    existing_at_ = found(/*existing=*/true, existing_at_) + 1;
    return files_[existing_at_ - 1];
  }
  const File& create() {
    absent_at_ = found(/*existing=*/false, absent_at_) + 1;
    states_.set_exists(absent_at_ - 1, true);
    return files_[absent_at_ - 1];
  }
  size_t found(bool existing, size_t from) const {
    const std::optional<size_t> file = states_.find(existing, from);
    if (!file) die("no suitable file is left");
    return *file;
  }
  void remove() {
    const File& file = next();
    states_.set_exists(static_cast<size_t>(&file - files_.data()), false);
    if (unlinkat(set_.root_fd(), file.path, 0) != 0) die("unlink");
  }
  void write_all(int fd, uint64_t bytes) {
    while (bytes > 0) {
      const ssize_t put = write(fd, buffer_.bytes_at(random_.next()), std::min<uint64_t>(bytes, kPiece));
      if (put <= 0) die("write");
      bytes -= static_cast<uint64_t>(put);
      written_bytes += static_cast<uint64_t>(put);
    }
  }
  void append(int fd) {
    lseek(fd, 0, SEEK_END);
    write_all(fd, random_.next() % kAppend);
  }
  void read_all(int fd) {
    lseek(fd, 0, SEEK_SET);
    ssize_t got = 0;
    while ((got = read(fd, read_.data(), kPiece)) > 0) read_bytes += static_cast<uint64_t>(got);
  }

  const FileSet& set_;
  const WriteBuffer& buffer_;
  Random random_;
  std::vector<char> read_;
  std::vector<File> files_;
  EntryStates states_;
  size_t existing_at_ = 0;
  size_t absent_at_ = 0;
};

Personality personality_of(std::string_view name, uint64_t files_count) {
  for (const BuiltinPersonality& builtin : builtin_personalities()) {
    if (builtin.name != name) continue;
    ScaleLimits limits;
    limits.files_count = files_count;
    Result<ScaledPersonality> scaled = read_scaled(builtin.text, std::string(name), limits);
    if (!scaled) die(scaled.error().message);
    return std::move(scaled->personality);
  }
  die(fmt::format("no workload {}", name));
}

int run(const std::vector<std::string>& words) {
  if (words.size() != 6) die("usage: bare-flow MOUNT fileserver|varmail THREADS SECONDS FILES");
  const size_t threads_count = std::stoul(words[3]);
  const Personality personality = personality_of(words[2], std::stoul(words[5]));
  const WriteBuffer buffer(1);
  const Descriptor mount(open(words[1].c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!mount.valid()) die("open the mount");
  std::vector<std::unique_ptr<FileSet>> sets;
  std::vector<std::unique_ptr<Bare>> all;
  for (size_t i = 0; i < threads_count; ++i) {
    FileSetSpec spec = personality.file_sets.at(0);
    spec.name += std::to_string(i + 1);
    sets.push_back(std::make_unique<FileSet>(spec, i + 2));  // the engine's seeds
    const Status made = sets.back()->allocate(mount.get(), buffer, [](uint64_t) { return true; });
    if (!made) die(made.error().message);
    all.push_back(std::make_unique<Bare>(*sets.back(), buffer, i));
  }
  std::atomic<bool> stop{false};
  const auto started = std::chrono::steady_clock::now();
  {
    std::vector<std::jthread> threads;
    threads.reserve(all.size());
    for (const auto& one : all) {
      threads.emplace_back([&stop, &words, one = one.get()] {
        words[2] == "varmail" ? one->varmail(stop) : one->fileserver(stop);
      });
    }
    std::this_thread::sleep_for(std::chrono::duration<double>(std::stod(words[4])));
    stop = true;
  }
  const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - started;
  uint64_t ops_count = 0;
  uint64_t read_bytes = 0;
  uint64_t written_bytes = 0;
  for (const auto& one : all) {
    ops_count += one->ops_count;
    read_bytes += one->read_bytes;
    written_bytes += one->written_bytes;
  }
  fmt::print(
      "{{\"type\":\"bare\",\"ops_count\":{},\"ops_per_s\":{:.0f},\"written_bytes\":{},\"read_bytes\":{}}}\n",
      ops_count, static_cast<double>(ops_count) / elapsed.count(), written_bytes, read_bytes);
  return 0;
}

}  // namespace
}  // namespace patina

int main(int argc, char** argv) {
  return patina::run(std::vector<std::string>(argv, argv + argc));
}
