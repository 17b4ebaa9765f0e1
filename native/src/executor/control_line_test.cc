// Valid and invalid lines of standard input.
#include "executor/control_line.h"

#include <gtest/gtest.h>

#include <string>

namespace patina {
namespace {

Budget budget_of(const std::string& line) {
  const Result<ControlLine> asked = parse_control_line(line);
  EXPECT_TRUE(asked.ok()) << line;
  const auto* budget = asked ? std::get_if<Budget>(&*asked) : nullptr;
  EXPECT_NE(budget, nullptr) << line;
  return budget == nullptr ? Budget{} : *budget;
}

TEST(ControlLine, ReadsEveryLineThatTheHelpNames) {
  EXPECT_TRUE(std::holds_alternative<Pause>(*parse_control_line("pause")));
  EXPECT_TRUE(std::holds_alternative<Resume>(*parse_control_line("resume")));
  EXPECT_TRUE(std::holds_alternative<Stop>(*parse_control_line("stop")));
  EXPECT_TRUE(std::holds_alternative<MeasureLayout>(*parse_control_line("layout")));
  EXPECT_EQ(std::get<MaxSeconds>(*parse_control_line("max-seconds 2.5")).seconds, 2.5);
  EXPECT_EQ(budget_of("max-rmse 0.001").kind, BudgetKind::kMaxRmse);
  EXPECT_EQ(budget_of("max-rmse 0.001").limit, 0.001);
  EXPECT_EQ(budget_of("max-overwrites 12").kind, BudgetKind::kMaxOverwrites);
  EXPECT_EQ(budget_of("max-ops 500000").limit, 500'000);
  EXPECT_EQ(budget_of("converge").kind, BudgetKind::kNone);
}

TEST(ControlLine, WhatIsNotUnderstoodIsQuotedAndCutShort) {
  for (const std::string line :
       {"", "Pause", "pause ", "max-rmse", "max-rmse ", "max-rmse x", "max-rmse -1", "max-rmse nan",
        "max-ops 1e999", "max-ops 5 6", "max-seconds inf", "max-love 3", "\xff\x00"}) {
    const Result<ControlLine> asked = parse_control_line(line);
    ASSERT_FALSE(asked.ok()) << line;
    EXPECT_EQ(asked.error().code, ErrorCode::kUsage);
    EXPECT_NE(asked.error().message.find("max-rmse R"), std::string::npos);
  }
  EXPECT_LT(parse_control_line(std::string(5000, 'x')).error().message.size(), 300U);
}

}  // namespace
}  // namespace patina
