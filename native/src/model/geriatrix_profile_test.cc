// Geriatrix's folders: the same profile as in JSON, and refused files with the line at fault.
#include "model/geriatrix_profile.h"

#include <sys/stat.h>

#include <filesystem>

#include "testing/device_testing.h"
#include "testing/profile_testing.h"
#include "testing/test_places.h"

namespace patina {
namespace {

constexpr const char* kSize = "2\n0 1\n4096 3\n\nFormat:\n<number of observations>\n";
constexpr const char* kDepth = "2\n0 1 0\n1 3 7\n\nFormat:\n<depth> <weight in integers> <subdirs>\n";
constexpr const char* kAge = "2\n10.74 1\n31 2\n\nFormat:\n<age> <weight in integers>\n";

Result<Profile> parse(std::string_view size, std::string_view depth = kDepth, std::string_view age = kAge) {
  return parse_geriatrix_profile("P", {.size = size, .depth = depth, .age = age});
}

void write_text(const std::string& file, const std::string& text) {
  std::ofstream(file, std::ios::binary | std::ios::trunc) << text;
}

// Writes the folder that is the same profile to the published tool.
void write_as_geriatrix(const std::string& json_file, const ScratchFolder& folder) {
  const auto document = nlohmann::json::parse(read_whole_file(json_file));
  const auto write = [&](const char* histogram, const char* file, const std::vector<const char*>& keys) {
    std::string text = fmt::format("{}\n", document[histogram].size());
    for (const auto& bin : document[histogram]) {
      for (const char* key : keys) text += bin[key].dump() + " ";
      text += "\n";
    }
    write_text(folder / file, text + "\nFormat:\n<number of observations>\n");
  };
  write("size", "size_distribution.txt", {"bytes", "weight"});
  write("depth", "dir_distribution.txt", {"depth", "weight", "subdirs"});
  write("age", "age_distribution.txt", {"age", "weight"});
}

TEST(GeriatrixProfile, HasTheDigestOfTheSameProfileInJson) {
  for (const char* name : {"agrawal", "douceur", "meyer", "wang-lanl", "wang-os"}) {
    const ScratchFolder folder;
    write_as_geriatrix(built_in_profile_file(name), folder);
    Result<Profile> profile = load_profile(folder.path());
    ASSERT_TRUE(profile.ok()) << profile.error().message;
    EXPECT_EQ(profile->digest, built_in_profile(name).digest) << name;
    for (size_t i = 0; i < profile->size.size(); ++i) {
      EXPECT_EQ(profile->size[i].above_bytes, built_in_profile(name).size[i].above_bytes);
    }
  }
}

TEST(GeriatrixProfile, TakesAnyBlanksBetweenTheNumbersAndWindowsLineEnds) {
  const std::string digest = parse(kSize)->digest;
  EXPECT_EQ(parse("2\r\n0 1\r\n4096 3\r\n")->digest, digest);
  EXPECT_EQ(parse("\n 2 \n\n\t0\t1\n  4096   3")->digest, digest);
  EXPECT_EQ(parse("2\n0 1.0\n4.096e3 3 \ntrailing \xff words 1 2 3")->digest, digest);
}

TEST(GeriatrixProfile, ForecastsFromAFolderOnTheCommandLine) {
  const ScratchFolder folder;
  write_as_geriatrix(built_in_profile_file("agrawal"), folder);
  const ProgramResult result = run_program(
      {kCoreProgram, "forecast", "--profile", folder.path(), "--capacity", "1GiB", "--fullness", "0.7"});
  EXPECT_EQ(result.exit_code, 0) << result.output;
  EXPECT_NE(result.output.find(built_in_profile("agrawal").digest), std::string::npos);
}

struct Refused {
  const char* name;
  std::string size;
  const char* message_holds;
};

class RefusedGeriatrixProfile : public testing::TestWithParam<Refused> {};

TEST_P(RefusedGeriatrixProfile, NamesTheFileAndTheLine) {
  Result<Profile> profile = parse(GetParam().size);
  ASSERT_FALSE(profile.ok());
  EXPECT_EQ(profile.error().code, ErrorCode::kProfileInvalid);
  EXPECT_NE(profile.error().message.find(GetParam().message_holds), std::string::npos)
      << profile.error().message;
  EXPECT_LT(profile.error().message.size(), 200U);
}

std::string utf16(const std::string& text) {
  std::string wide = "\xff\xfe";
  for (const char byte : text) wide.append({byte, '\0'});
  return wide;
}

std::string many_rows(size_t count) {
  std::string text = fmt::format("{}\n", count);
  for (size_t i = 0; i < count; ++i) text += fmt::format("{} 1\n", i);
  return text;
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedGeriatrixProfile,
    testing::Values(
        Refused{"Empty", "", "P/size_distribution.txt: is empty"}, Refused{"Blank", " \n\t\n", "is empty"},
        Refused{"NoCount", "Format:\n", "size_distribution.txt line 1: 'Format:' is not a number"},
        Refused{"CountOfZero", "0\n", "line 1: the count of rows is 0"},
        Refused{"NegativeCount", "-2\n0 1\n", "line 1: the count of rows is -2"},
        Refused{"FractionOfARow", "1.5\n0 1\n", "line 1: the count of rows is 1.5"},
        Refused{"CountOfNan", "nan\n0 1\n", "line 1: the count of rows is nan"},
        Refused{"BillionRows", "1000000000\n0 1\n", "line 1: the count of rows is 1000000000"},
        Refused{"OneRowTooMany", many_rows(kMaxBinsCount + 1), "the limit is 256 bins"},
        Refused{"TwoNumbersInTheHead", "2 2\n", "line 1: more than 1 numbers"},
        Refused{"RowsMissing", "3\n0 1\n4096 3\n", "line 3: the file ends after 2 of 3 rows"},
        Refused{"WordsForRows", "2\n0 1\nFormat:\n", "line 3: 'Format:' is not a number"},
        Refused{"NumberMissing", "2\n0 1\n4096\n", "line 3: 1 of 2 numbers"},
        Refused{"NumberTooMany", "2\n0 1\n4096 3 5\n", "line 3: more than 2 numbers"},
        Refused{"NumberWithATail", "1\n12x 1\n", "line 2: '12x' is not a number"},
        Refused{"DecimalComma", "1\n1,5 1\n", "line 2: '1,5' is not a number"},
        Refused{"Nan", "1\n1 nan\n", "line 2: 'weight' is nan"},
        Refused{"Infinity", "1\n1 inf\n", "line 2: 'weight' is inf"},
        Refused{"Overflow", "1\n1 1e999\n", "line 2: '1e999' is out of the range of a double"},
        Refused{"NegativeWeight", "1\n1 -1\n", "line 2: 'weight' is -1"},
        Refused{"NegativeSize", "1\n-1 1\n", "line 2: 'bytes' is -1"},
        Refused{"HugeSize", "1\n1e18 1\n", "line 2: 'bytes' is 1e+18; it must be an integer up to"},
        Refused{"EqualEdges", "2\n8 1\n8 1\n", "line 3: 'bytes' is 8, not above the bin before it (8)"},
        Refused{"DescendingEdges", "2\n8 1\n4 1\n", "line 3: 'bytes' is 4, not above"},
        Refused{"ZeroWeights", "2\n4 0\n8 0\n", "P: every weight of the size histogram is zero"},
        Refused{"InfiniteSum", "2\n4 1e308\n8 1e308\n", "the size weights sum to infinity"},
        Refused{"NulByte", std::string("1\n1 1\0\n", 7), "NUL byte"}, Refused{"Utf16", utf16(kSize), "NUL"},
        Refused{"ByteOrderMark", std::string("\xef\xbb\xbf") + kSize, "byte-order mark"},
        Refused{"Garbage", std::string(100'000, '\x01'), "line 1: '????????????????????????...'"}),
    [](const auto& refused) { return refused.param.name; });

TEST(GeriatrixProfile, NamesTheOtherTwoFilesAsWell) {
  EXPECT_NE(parse(kSize, "1\n1 1\n").error().message.find("P/dir_distribution.txt line 2: 2 of 3 numbers"),
            std::string::npos);
  EXPECT_NE(parse(kSize, "1\n65 1 1\n").error().message.find("line 2: 'depth' is 65"), std::string::npos);
  EXPECT_NE(parse(kSize, "2\n1 1 99999\n2 1 9\n").error().message.find("line 3: more than 100000"),
            std::string::npos);
  EXPECT_NE(parse(kSize, kDepth, "2\n0 1\n1 1\n").error().message.find("age_distribution.txt line 2: 'age'"),
            std::string::npos);
}

// Hostile files, on which a careless reader hangs or exhausts the memory.
class HostileProfile : public testing::Test {
 protected:
  void SetUp() override {
    write_as_geriatrix(built_in_profile_file("agrawal"), folder_);
    std::filesystem::remove(size_);
  }

  void expect_refused(const std::string& path, const char* message_holds) const {
    Result<Profile> profile = load_profile(path);
    ASSERT_FALSE(profile.ok());
    EXPECT_EQ(profile.error().code, ErrorCode::kProfileInvalid);
    EXPECT_NE(profile.error().message.find(message_holds), std::string::npos) << profile.error().message;
  }

  ScratchFolder folder_;
  std::string size_ = folder_ / "size_distribution.txt";
};

TEST_F(HostileProfile, MissingFileIsNamed) {
  expect_refused(folder_.path(), "size_distribution.txt' cannot be opened: No such file");
}

TEST_F(HostileProfile, FolderInPlaceOfATextIsRefused) {
  std::filesystem::create_directory(size_);
  expect_refused(folder_.path(), "size_distribution.txt' is not a regular file");
}

TEST_F(HostileProfile, FifoIsRefusedWithoutWaitingForAWriter) {
  ASSERT_EQ(mkfifo(size_.c_str(), 0600), 0);
  expect_refused(folder_.path(), "is not a regular file");
  expect_refused(size_, "is not a regular file");
}

TEST_F(HostileProfile, DeviceIsRefused) {
  std::filesystem::create_symlink("/dev/zero", size_);
  expect_refused(folder_.path(), "is not a regular file");
  expect_refused("/dev/zero", "is not a regular file");
}

TEST_F(HostileProfile, GigabyteIsRefusedUnread) {
  write_text(size_, "11\n8 1\n");
  std::filesystem::resize_file(size_, uint64_t{1} << 30U);
  expect_refused(folder_.path(), "is larger than 1048576 bytes");
  expect_refused(size_, "is larger than 1048576 bytes");
}

TEST_F(HostileProfile, DanglingAndCircularLinksAreRefused) {
  std::filesystem::create_symlink("nowhere", size_);
  expect_refused(size_, "No such file");
  std::filesystem::remove(size_);
  std::filesystem::create_symlink(size_, size_);
  expect_refused(size_, "cannot be opened");
}

TEST_F(HostileProfile, DeeplyNestedJsonIsRefused) {
  write_text(size_, std::string(1'000'000, '['));
  expect_refused(size_, "not JSON");
}

}  // namespace
}  // namespace patina
