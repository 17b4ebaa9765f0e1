// Profiles: valid ones are read, invalid ones are refused with a reason.
#include "model/profile.h"

#include <gtest/gtest.h>

#include <fstream>

#include "testing/profile_testing.h"

namespace patina {
namespace {

constexpr const char* kGood =
    R"({"name":"x","size":[{"bytes":0,"weight":1},{"bytes":4096,"weight":3}],)"
    R"("depth":[{"depth":0,"weight":1,"subdirs":0}],"age":[{"age":1,"weight":0},{"age":9.5,"weight":2}]})";

std::string with(const std::string& histogram, const std::string& bins) {
  nlohmann::json document = nlohmann::json::parse(kGood);
  document.erase(histogram);
  std::string text = document.dump();
  text.pop_back();
  return text + ",\"" + histogram + "\":" + bins + "}";
}

TEST(Profile, NormalisesWeightsToFractions) {
  Result<Profile> profile = parse_profile(kGood);
  ASSERT_TRUE(profile.ok());
  EXPECT_DOUBLE_EQ(profile->size[0].fraction, 0.25);
  EXPECT_DOUBLE_EQ(profile->size[1].fraction, 0.75);
  EXPECT_DOUBLE_EQ(profile->age[0].fraction, 0);
  EXPECT_DOUBLE_EQ(profile->age[1].fraction, 1);
}

TEST(Profile, DigestDependsOnTheHistogramsAlone) {
  const std::string digest = parse_profile(kGood)->digest;
  EXPECT_EQ(digest.size(), 64U);
  EXPECT_EQ(parse_profile(with("size", R"([{"bytes":0,"weight":2},{"bytes":4096,"weight":6}])"))->digest,
            digest);
  EXPECT_NE(parse_profile(with("size", R"([{"bytes":0,"weight":2},{"bytes":4096,"weight":5}])"))->digest,
            digest);
}

TEST(Profile, BuiltInOnesAreLegal) {
  for (const char* name : {"agrawal", "douceur", "meyer", "wang-lanl", "wang-os"}) {
    EXPECT_FALSE(built_in_profile(name).size.empty()) << name;
  }
}

struct Refused {
  const char* name;
  std::string text;
  const char* message_holds;
};

class RefusedProfile : public testing::TestWithParam<Refused> {};

TEST_P(RefusedProfile, NamesWhatIsWrong) {
  Result<Profile> profile = parse_profile(GetParam().text);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kProfileInvalid);
  EXPECT_NE(profile.error().message.find(GetParam().message_holds), std::string::npos)
      << profile.error().message;
}

std::string many_bins() {
  std::string bins = "[";
  for (size_t i = 0; i <= kMaxBinsCount; ++i)
    bins += fmt::format("{}{{\"age\":{},\"weight\":1}}", i ? "," : "", i + 1);
  return bins + "]";
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedProfile,
    testing::Values(
        Refused{"NotJson", "{", "not JSON"}, Refused{"Empty", "", "not JSON"},
        Refused{"NoObject", "[]", "not a JSON object"},
        Refused{"NaN", with("age", R"([{"age":NaN,"weight":1}])"), "JSON"},
        Refused{"Overflow", with("age", R"([{"age":1e999,"weight":1}])"), "JSON"},
        Refused{"MissingHistogram", R"({"size":[{"bytes":1,"weight":1}]})", "depth histogram is missing"},
        Refused{"EmptyHistogram", with("age", "[]"), "age histogram must be a list"},
        Refused{"NotAList", with("age", "3"), "age histogram must be a list"},
        Refused{"BinNoObject", with("age", "[3]"), "age bin 0"},
        Refused{"MissingField", with("age", R"([{"age":1,"weight":1},{"age":2}])"), "age bin 1"},
        Refused{"NotANumber", with("age", R"([{"age":"1","weight":1}])"), "'age' is not a number"},
        Refused{"NegativeWeight", with("age", R"([{"age":1,"weight":-1}])"), "not negative"},
        Refused{"DescendingAges", with("age", R"([{"age":5,"weight":1},{"age":4,"weight":1}])"), "age bin 1"},
        Refused{"EqualAges", with("age", R"([{"age":5,"weight":1},{"age":5,"weight":1}])"), "age bin 1"},
        Refused{"ZeroAge", with("age", R"([{"age":0,"weight":1}])"), "age bin 0"},
        Refused{"AllZero", with("age", R"([{"age":1,"weight":0}])"), "every weight of the age"},
        Refused{"InfiniteSum", with("age", R"([{"age":1,"weight":1e308},{"age":2,"weight":1e308}])"),
                "infinity"},
        Refused{"TooManyBins", with("age", many_bins()), "the limit is"},
        Refused{"FractionOfAByte", with("size", R"([{"bytes":1.5,"weight":1}])"), "integer"},
        Refused{"HugeFile", with("size", R"([{"bytes":1e30,"weight":1}])"), "integer up to"},
        Refused{"DescendingSizes", with("size", R"([{"bytes":5,"weight":1},{"bytes":4,"weight":1}])"),
                "size bin 1"},
        Refused{"AbyssalDepth", with("depth", R"([{"depth":65,"weight":1,"subdirs":1}])"), "depth bin 0"},
        Refused{
            "MillionsOfDirectories",
            with("depth", R"([{"depth":1,"weight":1,"subdirs":99999},{"depth":2,"weight":1,"subdirs":9}])"),
            "directories in all"},
        Refused{"NoSubdirs", with("depth", R"([{"depth":1,"weight":1}])"), "'subdirs' is missing"}),
    [](const auto& refused) { return refused.param.name; });

TEST(Profile, MutatedTextIsReadOrRefusedButNeverCrashes) {
  std::ifstream in(built_in_profile_file("agrawal"));
  const std::string good((std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
  Random random(7);
  for (int i = 0; i < 3000; ++i) {
    std::string text = good;
    for (uint32_t n = 1 + random.below(4); n > 0; --n) {
      const size_t at = random.below(static_cast<uint32_t>(text.size()));
      if (random.coin()) {
        text[at] = static_cast<char>(random.below(256));
      } else {
        text.erase(at, 1 + random.below(30));
      }
    }
    Result<Profile> profile = parse_profile(text);
    if (!profile) {
      EXPECT_EQ(profile.error().code, ErrorCode::kProfileInvalid);
    } else {
      Result<Forecast> forecast = make_forecast(*profile, request_of(1ULL << 30U));
      if (!forecast) {
        EXPECT_EQ(forecast.error().code, ErrorCode::kProfileDoesNotFit);
      }
    }
  }
}

TEST(Profile, AbsentAndOversizedFilesAreRefused) {
  EXPECT_EQ(load_profile("/nonexistent").error().code, ErrorCode::kProfileInvalid);
  EXPECT_EQ(load_profile("/dev/zero").error().code, ErrorCode::kProfileInvalid);
  EXPECT_EQ(load_profile("/tmp").error().code, ErrorCode::kProfileInvalid);
}

}  // namespace
}  // namespace patina
