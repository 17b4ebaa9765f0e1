// The control lines that a running aging accepts on its standard input.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"
#include "model/forecast.h"

namespace patina {

struct Pause {};
struct Resume {};
struct Stop {};
struct MeasureLayout {};
struct MaxSeconds {
  double seconds = 0;  // 0: no limit
};

// `pause`, `resume`, `stop`, `layout`, `max-seconds S`, or a new budget, which revises the plan:
// `max-rmse R`, `max-overwrites N`, `max-ops N`, `converge`.
using ControlLine = std::variant<Pause, Resume, Stop, MeasureLayout, MaxSeconds, Budget>;

// Parses a control line. Error: kUsage, naming the valid lines.
Result<ControlLine> parse_control_line(std::string_view line);

}  // namespace patina
