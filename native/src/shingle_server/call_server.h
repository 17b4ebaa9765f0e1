// Accepts clients, each with a thread of its own.
#pragma once

#include <atomic>
#include <list>
#include <thread>

#include "base/descriptor.h"
#include "base/unix_socket.h"
#include "shingle_server/connection.h"

namespace patina {

class CallServer {
 public:
  static constexpr size_t kMostClients = 32;  // at once; others wait

  CallServer(DiskCalls& calls, const std::atomic<bool>& stop) : calls_(calls), stop_(stop) {}

  // Serves until a stop request; then answers the requests that have come as a whole.
  void serve(const UnixListener& listener);
  const CallCounts& counts() const { return counts_; }

 private:
  struct Client {
    explicit Client(Descriptor socket) : fd(std::move(socket)) {}

    const Descriptor fd;
    std::atomic<bool> has_ended = false;
    std::thread thread;
  };

  void start(Descriptor fd);
  void remove_ended();

  DiskCalls& calls_;
  const std::atomic<bool>& stop_;
  CallCounts counts_;
  std::list<Client> clients_;
};

}  // namespace patina
