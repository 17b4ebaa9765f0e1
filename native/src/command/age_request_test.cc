// `age --request`: a document equals the words of a command line, and the ranges are those of the contract.
#include "command/age_request.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "age/age.h"
#include "command/command_line.h"
#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

using nlohmann::json;

class AgeRequestFile : public ::testing::Test {
 protected:
  std::string write(const json& document) { return write_text(document.dump()); }

  std::string write_text(const std::string& text) {
    std::ofstream(folder_ / "request.json") << text;
    return folder_ / "request.json";
  }

  static json least() {
    return {{"mount", "/mnt"}, {"fullness", 0.5}, {"profile", json::object()}, {"checkpoint", "/c"}};
  }

  Result<CommandLine> parsed(const json& document) { return parsed_file(write(document)); }

  static Result<CommandLine> parsed_file(const std::string& file) {
    const std::vector<const char*> argv = {"patina-core", "age", "--request", file.c_str()};
    return parse_command_line(static_cast<int>(argv.size()), argv.data());
  }

  static const AgeOptions& options_of(const CommandLine& found) {
    return dynamic_cast<const CommandWith<AgeOptions>&>(*found.command).options;
  }

  // Tries the member in the smallest request for it: a profile's, or a workload's.
  bool is_taken(const std::string& name, const json& value) {
    static const std::map<std::string, std::string> kWorkloadOf{{"rounds_count", "fsfb"},
                                                                {"ops_count", "churn"}};
    json document = least();
    if (const auto found = kWorkloadOf.find(name); found != kWorkloadOf.end()) {
      document["workload"] = found->second;
    }
    document[name] = value;
    if (document.contains("workload")) document.erase("profile");
    const std::string workload = document.value("workload", "");
    if (workload == "replay") document["log"] = "/log";
    if (workload == "replay" || workload == "fresh") document.erase("fullness");
    return static_cast<bool>(parsed(document));
  }

 private:
  ScratchFolder folder_;
};

TEST_F(AgeRequestFile, IsTheSameAsTheWordsOfACommandLine) {
  json document = least();
  document["profile"] = json::parse(read_whole_file(built_in_profile_file("agrawal")));
  document.update({{"fullness_of", "statfs"},
                   {"seed", 7},
                   {"mode", "unbounded"},
                   {"data_mode", "write"},
                   {"threads_count", 3},
                   {"max_rmse", 0.25},
                   {"max_seconds", 12.5},
                   {"resume", nullptr}});
  const Result<CommandLine> found = parsed(document);
  ASSERT_TRUE(found) << found.error().message;
  const AgeOptions& age = options_of(*found);
  EXPECT_EQ(age.mount, "/mnt");
  EXPECT_EQ(age.forecast.request.fullness, 0.5);
  EXPECT_EQ(age.fullness_of, FullnessOf::kStatfs);
  EXPECT_EQ(age.forecast.request.seed, 7U);
  EXPECT_EQ(age.mode, AgingMode::kUnbounded);
  EXPECT_EQ(age.settings.data_mode, DataMode::kWrite);
  EXPECT_EQ(age.way_changes.threads_count, 3);
  EXPECT_EQ(age.forecast.request.budget.kind, BudgetKind::kMaxRmse);
  EXPECT_EQ(age.settings.max_seconds, 12.5);
  EXPECT_EQ(age.settings.checkpoint_file, "/c");
  EXPECT_TRUE(age.resume_file.empty());
  const Result<Profile> profile = profile_of(age.forecast);
  ASSERT_TRUE(profile) << profile.error().message;
  EXPECT_EQ(profile->digest, load_profile(built_in_profile_file("agrawal"))->digest);
}

TEST_F(AgeRequestFile, WhatIsNoRequestIsRefused) {
  for (const char* text :
       {"", "[]", "{", "7", "{\"mount\":[]}", "{\"mount\":\"\"}", "{\"mount\":\"a\\u0000b\"}"}) {
    const Result<CommandLine> found = parsed_file(write_text(text));
    ASSERT_FALSE(found) << text;
    EXPECT_EQ(found.error().code, ErrorCode::kUsage) << text;
  }
  EXPECT_FALSE(parsed_file("/no/such/file"));
  EXPECT_FALSE(is_taken("no_such_option", 1));
}

TEST_F(AgeRequestFile, TextThatLooksLikeAnOptionIsText) {
  json document = least();
  document["checkpoint"] = "--resume=/else";
  const Result<CommandLine> found = parsed(document);
  ASSERT_TRUE(found) << found.error().message;
  EXPECT_EQ(options_of(*found).settings.checkpoint_file, "--resume=/else");
}

// Returns the schema of a field's value; a field that may be null has several.
json described(const json& field) {
  return field.contains("anyOf") ? field["anyOf"][0] : field;
}

TEST_F(AgeRequestFile, EachRangeOfTheContractIsTheOneHere) {
  const json schema =
      json::parse(read_whole_file(std::string(kCheckoutFolder) + "/native/contract/age_request.json"));
  size_t checked = 0;
  for (const auto& [name, field] : schema["properties"].items()) {
    const json values = described(field);
    for (const auto& word : values.value("enum", json::array())) {
      EXPECT_TRUE(is_taken(name, word)) << name << " " << word;
      EXPECT_FALSE(is_taken(name, word.get<std::string>() + "x")) << name;
      ++checked;
    }
    const bool is_whole = values.value("type", "") == "integer";
    const auto shifted = [&](const json& bound, double by) {
      return is_whole ? json(bound.get<int64_t>() + static_cast<int64_t>(by))
                      : json(bound.get<double>() * (1 + by / 1e6));
    };
    const auto expect = [&](const char* bound, bool itself, double outside) {
      if (!values.contains(bound)) return;
      EXPECT_EQ(is_taken(name, values[bound]), itself) << name << " " << bound;
      if (values[bound] != 0 || is_whole) {
        EXPECT_FALSE(is_taken(name, shifted(values[bound], outside))) << name << " beyond its " << bound;
      }
      ++checked;
    };
    expect("minimum", true, -1);
    expect("maximum", true, 1);
    expect("exclusiveMaximum", false, 1);
  }
  EXPECT_GE(checked, 34U);
}

}  // namespace
}  // namespace patina
