// Parses the words and numbers of a control line.
#include "executor/control_line.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>

namespace patina {
namespace {

Error not_understood(std::string_view line) {
  return Error{
      ErrorCode::kUsage,
      fmt::format("'{}' is not understood; pause, resume, stop, layout, converge, max-seconds S, max-rmse R, "
                  "max-overwrites N and max-ops N are",
                  line.substr(0, 80))};
}

std::optional<double> number_of(std::string_view text) {
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = code == std::errc() && end == text.data() + text.size();
  if (!whole || !std::isfinite(number) || number < 0) return std::nullopt;
  return number;
}

}  // namespace

Result<ControlLine> parse_control_line(std::string_view line) {
  if (line == "pause") return ControlLine(Pause{});
  if (line == "resume") return ControlLine(Resume{});
  if (line == "stop") return ControlLine(Stop{});
  if (line == "layout") return ControlLine(MeasureLayout{});
  if (line == "converge") return ControlLine(Budget{});
  const size_t space = line.find(' ');
  if (space == std::string_view::npos) return not_understood(line);
  const std::string_view word = line.substr(0, space);
  const std::optional<double> number = number_of(line.substr(space + 1));
  if (!number) return not_understood(line);
  if (word == "max-seconds") return ControlLine(MaxSeconds{*number});
  if (word == "max-rmse") return ControlLine(Budget{BudgetKind::kMaxRmse, *number});
  if (word == "max-overwrites") return ControlLine(Budget{BudgetKind::kMaxOverwrites, *number});
  if (word == "max-ops") return ControlLine(Budget{BudgetKind::kMaxOps, *number});
  return not_understood(line);
}

}  // namespace patina
