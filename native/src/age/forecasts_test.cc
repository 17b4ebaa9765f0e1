// One process answers many requests as one process each would; a wrong request affects no other.
#include <gtest/gtest.h>

#include <csignal>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using nlohmann::json;

std::vector<json> answers_to(const std::string& input) {
  const ScratchFolder folder;
  const std::string file = folder.path() + "/requests";
  std::ofstream(file) << input;
  const ProgramResult result = run_program({"sh", "-c", std::string(kCoreProgram) + " forecasts < " + file});
  std::vector<json> events;
  std::istringstream lines(result.output);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with('{')) events.push_back(json::parse(line));
  }
  return events;
}

json profile_document(const std::string& name) {
  std::ifstream in(built_in_profile_file(name));
  return json::parse(in);
}

std::string request(const json& fields = json::object()) {
  json whole = {
      {"profile", profile_document("agrawal")}, {"capacity_bytes", uint64_t{1} << 30}, {"fullness", 0.7}};
  whole.update(fields);
  return whole.dump() + "\n";
}

TEST(Forecasts, AnswersEachLineAsTheCommandForOneWould) {
  const std::vector<json> answers = answers_to(request({{"max_rmse", 0.01}}) + request({{"fullness", 0.3}}));
  ASSERT_EQ(answers.size(), 3);
  EXPECT_EQ(answers[0]["command"], "forecasts");
  const std::string command =
      std::string(kCoreProgram) + " forecast --capacity 1GiB --profile " + built_in_profile_file("agrawal");
  const auto single = [&](const std::string& rest) {
    const std::string output = require_program({"sh", "-c", command + rest});
    return json::parse(output.substr(output.find('\n') + 1));
  };
  EXPECT_EQ(answers[1], single(" --fullness 0.7 --max-rmse 0.01"));
  EXPECT_EQ(answers[2], single(" --fullness 0.3"));
}

TEST(Forecasts, WithoutACapacityItSaysWhatTheProfileIs) {
  const json plan = answers_to(request())[1];
  const json profile = answers_to(json{{"profile", profile_document("agrawal")}}.dump() + "\n")[1];
  EXPECT_EQ(profile["type"], "profile");
  EXPECT_EQ(profile["profile_digest"], plan["profile_digest"]);
}

TEST(Forecasts, AWrongRequestCostsOnlyItself) {
  struct Wrong {
    std::string line;
    std::string code;
    std::string says;
  };
  const std::vector<Wrong> wrongs = {
      {"nonsense\n", "usage", "not a JSON object"},
      {"\n", "usage", "not a JSON object"},
      {"{}\n", "usage", "no 'profile'"},
      {R"({"profile": []})"
       "\n",
       "profile_invalid", "not a JSON object"},
      {request({{"profile", json::object()}}), "profile_invalid", "size histogram is missing"},
      {request({{"fullness", 7}}), "usage", "fullness"},
      {request({{"fullness", "a"}}), "usage", "not a number"},
      {request({{"capacity_bytes", -1}}), "usage", "whole number"},
      {request({{"capacity_bytes", 4096}}), "profile_does_not_fit", ""},
      {request({{"max_rmse", 0.1}, {"max_ops", 1000}}), "usage", "one budget"},
      {request({{"colour", "red"}}), "usage", "no field 'colour'"},
  };
  std::string input;
  for (const Wrong& wrong : wrongs) input += wrong.line;
  const std::vector<json> answers = answers_to(input + request());
  ASSERT_EQ(answers.size(), wrongs.size() + 2);
  for (size_t i = 0; i < wrongs.size(); ++i) {
    EXPECT_EQ(answers[i + 1]["code"], wrongs[i].code) << answers[i + 1];
    EXPECT_NE(answers[i + 1]["message"].get<std::string>().find(wrongs[i].says), std::string::npos)
        << answers[i + 1];
  }
  EXPECT_EQ(answers.back()["type"], "plan");
}

TEST(Forecasts, ALineWithoutEndIsRefusedInBoundedMemory) {
  const ProgramResult result =
      run_program({"sh", "-c", std::string(kCoreProgram) + " forecasts < /dev/zero"});
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.output.find("bytes at most"), std::string::npos) << result.output;
}

TEST(Forecasts, IsEndedBySigtermWhileItWaits) {
  const ScratchFolder folder;
  const std::string fifo = folder.path() + "/requests";
  const std::string timed =
      "timeout --preserve-status -s TERM 0.3 " + std::string(kCoreProgram) + " forecasts";
  const ProgramResult result =
      run_program({"sh", "-c", "mkfifo " + fifo + "; exec 3<>" + fifo + "; " + timed + " <&3"});
  EXPECT_EQ(result.exit_code, 128 + SIGTERM);
}

}  // namespace
}  // namespace patina
