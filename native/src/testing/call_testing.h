// `shingle serve` in this process, and clients of its socket.
#pragma once

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <atomic>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <thread>

#include "base/unix_socket.h"
#include "shingle_server/serve.h"
#include "testing/device_testing.h"

namespace patina {

class CallService {
 public:
  explicit CallService(ServeOptions options) : options_(std::move(options)) { start(); }
  ~CallService() {
    if (thread_.joinable()) stop();
  }
  CallService(const CallService&) = delete;
  CallService& operator=(const CallService&) = delete;

  void start() {
    stop_ = false;
    is_ready_ = false;
    sink_.events.clear();
    sink_.on_event = [this](const nlohmann::ordered_json& event) {
      if (event["type"] == "ready") is_ready_ = true;
      return true;
    };
    thread_ = std::thread([this] {
      status_.emplace(run_serve(options_, sink_, stop_));
      is_ready_ = true;
    });
    wait_until("the service is ready", [this] { return is_ready_.load(); });
  }
  // Ends it; returns the last record.
  nlohmann::ordered_json stop() {
    ask_to_stop();
    thread_.join();
    EXPECT_TRUE(status_->ok()) << status_->error().message;
    return sink_.last();
  }
  void ask_to_stop() { stop_ = true; }
  void restart() {
    stop();
    start();
  }

 private:
  const ServeOptions options_;
  CollectingSink sink_;
  std::atomic<bool> stop_ = false;
  std::atomic<bool> is_ready_ = false;
  std::optional<Status> status_;
  std::thread thread_;
};

class CallClient {
 public:
  using Json = nlohmann::ordered_json;
  struct Reply {
    Json fields;  // null: the connection has ended
    std::string data;
    std::string code() const { return fields.is_object() ? fields.value("code", "") : "ended"; }
    std::string message() const { return fields.is_object() ? fields.value("message", "") : "ended"; }
  };

  explicit CallClient(const std::string& path) : fd_(connect_unix(path)) {
    EXPECT_TRUE(fd_.valid()) << path << ": errno " << errno;
  }

  Reply ask(Json request, const std::string& data = "") {
    send(request, data);
    return receive();
  }
  void send(Json request, const std::string& data = "") {
    if (!data.empty()) request["data_bytes"] = data.size();
    send_raw(request.dump() + "\n" + data);
  }
  // The server may have closed the connection already.
  void send_raw(std::string_view bytes) const { send_whole(fd_.get(), bytes); }
  void end_sending() const { ::shutdown(fd_.get(), SHUT_WR); }

  Reply receive() {
    Reply reply;
    while (buffer_.find('\n') == std::string::npos) {
      if (!receive_more()) return reply;
    }
    const size_t end = buffer_.find('\n');
    reply.fields = Json::parse(buffer_.substr(0, end), nullptr, /*allow_exceptions=*/false);
    buffer_.erase(0, end + 1);
    const auto data_bytes = reply.fields.value("data_bytes", size_t{0});
    while (buffer_.size() < data_bytes && receive_more()) {
    }
    reply.data = buffer_.substr(0, data_bytes);
    buffer_.erase(0, data_bytes);
    return reply;
  }

 private:
  bool receive_more() {
    std::array<char, 65536> bytes{};
    const ssize_t n = ::recv(fd_.get(), bytes.data(), bytes.size(), 0);
    if (n > 0) buffer_.append(bytes.data(), static_cast<size_t>(n));
    return n > 0;
  }

  const Descriptor fd_;
  std::string buffer_;
};

}  // namespace patina
