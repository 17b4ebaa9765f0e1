// A stop request shuts the input of every connection down: what has been received is still read.
#include "shingle_server/call_server.h"

#include <sys/socket.h>

#include <chrono>

namespace patina {
namespace {

constexpr auto kPoll = std::chrono::milliseconds(50);

}  // namespace

void CallServer::serve(const UnixListener& listener) {
  while (!stop_) {
    remove_ended();
    if (clients_.size() >= kMostClients) {
      std::this_thread::sleep_for(kPoll);
      continue;
    }
    Descriptor fd = listener.accept(static_cast<int>(kPoll.count()));
    if (fd.valid()) start(std::move(fd));
  }
  for (const Client& client : clients_) ::shutdown(client.fd.get(), SHUT_RD);
  for (Client& client : clients_) client.thread.join();
  clients_.clear();
}

void CallServer::start(Descriptor fd) {
  ++counts_.clients;
  Client& client = clients_.emplace_back(std::move(fd));
  client.thread = std::thread([this, &client] {
    Connection(client.fd.get(), calls_, counts_, stop_).serve();
    ::shutdown(client.fd.get(), SHUT_RDWR);  // the client sees the end at once
    client.has_ended = true;
  });
}

void CallServer::remove_ended() {
  for (auto client = clients_.begin(); client != clients_.end();) {
    if (client->has_ended) {
      client->thread.join();
      client = clients_.erase(client);
    } else {
      ++client;
    }
  }
}

}  // namespace patina
