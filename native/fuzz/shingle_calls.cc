// Fuzzes the requests of a shingled disk's clients, each input as all that one client sends.
#include <fcntl.h>
#include <sys/socket.h>

#include <array>
#include <atomic>
#include <filesystem>
#include <fstream>
#include <thread>

#include "fuzzing.h"
#include "shingle_server/connection.h"

namespace {

// Less than a socket holds, so that nothing blocks before it is read.
constexpr size_t kMaxInputBytes = 65536;
constexpr uint64_t kDiskBytes = uint64_t{64} << 12U;

std::string made_folder() {
  std::string path = "/dev/shm/patina-fuzz-XXXXXX";
  patina::require(mkdtemp(path.data()) != nullptr, "a folder");
  std::ofstream(path + "/data").close();
  std::filesystem::resize_file(path + "/data", kDiskBytes);
  return path;
}

}  // namespace

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size > kMaxInputBytes) return 0;
  static const std::string folder = made_folder();
  std::filesystem::remove(folder + "/state");
  std::array<int, 2> ends{};
  patina::require(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) == 0, "a pair of sockets");
  std::thread reader([end = ends[0]] {
    std::array<char, 65536> answers{};
    while (recv(end, answers.data(), answers.size(), 0) > 0) {
    }
  });
  patina::require(send(ends[0], data, size, MSG_NOSIGNAL) == static_cast<ssize_t>(size), "all bytes sent");
  shutdown(ends[0], SHUT_WR);
  {
    const std::atomic<bool> stop = false;
    patina::CallCounts counts;
    patina::DiskCalls calls(folder + "/data", folder + "/state", {});
    patina::Connection(ends[1], calls, counts, stop).serve();
    patina::require(counts.errors <= counts.requests + 1, "one answer for each request");
    patina::require(calls.flush().ok(), "a disk that can be flushed");
  }
  shutdown(ends[1], SHUT_RDWR);
  reader.join();
  close(ends[0]);
  close(ends[1]);
  return 0;
}
