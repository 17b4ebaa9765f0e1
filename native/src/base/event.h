// The stdout contract: one JSON object a line, one write(2) a line, `type` first.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "base/result.h"

namespace patina {

// Bumped when a field changes its meaning or goes away; adding a field does not bump it.
inline constexpr int kEventSchemaVersion = 1;

// Receives a command's events. The program writes them to stdout; tests collect them in memory.
class EventSink {
 public:
  virtual ~EventSink() = default;
  // `event` is an ordered object whose first key is "type". Returns false once stdout is closed (EPIPE): the
  // command must then stop as on a stop request.
  virtual bool emit(const nlohmann::ordered_json& event) = 0;
};

// Writes each event as one line with one write(2), safe to call from several threads.
class StdoutEventSink final : public EventSink {
 public:
  bool emit(const nlohmann::ordered_json& event) override;
};

// Returns the first record of every command.
nlohmann::ordered_json hello_event(std::string_view command);
// Returns the last record of a command that failed.
nlohmann::ordered_json error_event(const Error& error);

}  // namespace patina
