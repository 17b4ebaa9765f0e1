// One client: lines of requests with their data, and answers.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/buffered_input.h"
#include "base/descriptor.h"
#include "shingle_server/disk_calls.h"

namespace patina {

struct CallCounts {
  std::atomic<uint64_t> clients = 0;
  std::atomic<uint64_t> requests = 0;  // that came as a whole
  std::atomic<uint64_t> errors = 0;    // that were answered
};

// The protocol is in docs/shingled-disk-protocol.md. A request whose end is unknown is answered with an
// error, and nothing after it is read as a request.
class Connection {
 public:
  static constexpr size_t kMostLineBytes = 65'536;

  Connection(int fd, DiskCalls& calls, CallCounts& counts, const std::atomic<bool>& stop)
      : fd_(fd), input_(fd), calls_(calls), counts_(counts), stop_(stop) {}

  // Answers requests until the client leaves, or input is shut down.
  void serve();

 private:
  // False: there is none any more.
  bool serve_one();
  // False: the client ended before.
  bool receive(std::vector<uint8_t>& data);
  // The error of a request that is not whole, or whose end is unknown.
  void give_up(ErrorCode code, const std::string& why);
  bool send_error(const Error& error);
  bool send_line(const nlohmann::ordered_json& fields);
  bool send(std::span<const uint8_t> bytes);

  const int fd_;
  BufferedInput input_;
  DiskCalls& calls_;
  CallCounts& counts_;
  const std::atomic<bool>& stop_;
};

}  // namespace patina
