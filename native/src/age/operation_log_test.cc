// Operation logs: written, read back, cut short and damaged.
#include "age/operation_log.h"

#include <gtest/gtest.h>

#include <array>
#include <fstream>
#include <iterator>

#include "base/random.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

// Returns operations that may be inconsistent: a log stores any.
std::vector<Operation> random_operations(uint64_t seed, size_t count, uint32_t directories_count) {
  Random random(seed);
  std::vector<Operation> operations(count);
  for (Operation& operation : operations) {
    operation.kind = static_cast<OperationKind>(random.below(kOperationKindsCount));
    operation.file = random.below(4) == 0 ? random.next() : 1 + random.below(100'000);
    operation.bytes = random.next() >> (2 + random.below(62));
    operation.directory = random.below(directories_count);
    operation.renamed = static_cast<uint8_t>(random.below(2));
    operation.place = random.below(2) == 0 ? uint16_t{0} : static_cast<uint16_t>(random.below(65'536));
    if (operation.kind == OperationKind::kMakeDirectory) {
      operation.file = random.below(directories_count);
      operation.bytes = 0;
      operation.directory = directories_count++;
    }
  }
  return operations;
}

class OperationLog : public testing::Test {
 protected:
  void write(const std::vector<Operation>& operations) {
    Result<std::unique_ptr<OperationLogWriter>> writer = OperationLogWriter::create(file_, tree_);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->add(operations).ok());
    ASSERT_TRUE((*writer)->finish(digest_).ok());
  }

  // Returns the readable operations, and the error that ended them, if any.
  std::pair<std::vector<Operation>, std::string> read() const {
    std::vector<Operation> operations;
    Result<std::unique_ptr<OperationLogReader>> reader = OperationLogReader::open(file_);
    if (!reader) return {operations, reader.error().message};
    for (;;) {
      Operation operation;
      Result<bool> read = (*reader)->next(operation);
      if (!read) {
        EXPECT_EQ(read.error().code, ErrorCode::kLogInvalid);
        return {operations, read.error().message};
      }
      if (!*read) break;
      operations.push_back(operation);
    }
    EXPECT_EQ((*reader)->stream_digest(), digest_);
    EXPECT_EQ((*reader)->tree().count(), tree_.count());
    return {operations, ""};
  }

  std::vector<char> bytes() const {
    std::ifstream in(file_, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void replace(const std::vector<char>& bytes) const {
    std::ofstream(file_, std::ios::binary | std::ios::trunc)
        .write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  }

  ScratchFolder folder_;
  std::string file_ = folder_ / "operations.log";
  std::string digest_ = std::string(64, 'a');
  DirectoryTree tree_{{1, 3, 5}};
};

TEST_F(OperationLog, GivesBackWhatItWasGiven) {
  for (uint64_t seed = 1; seed <= 20; ++seed) {
    const std::vector<Operation> operations = random_operations(seed, seed * seed * 100, tree_.count());
    write(operations);
    const auto [read_back, error] = read();
    EXPECT_EQ(error, "");
    ASSERT_EQ(read_back, operations) << "seed " << seed;
  }
}

TEST_F(OperationLog, IsThereOnlyWhenWhole) {
  {
    Result<std::unique_ptr<OperationLogWriter>> writer = OperationLogWriter::create(file_, tree_);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->add(random_operations(1, 1000, tree_.count())).ok());
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder_.path()));
}

TEST_F(OperationLog, CutAnywhereIsRefused) {
  write(random_operations(7, 400, tree_.count()));
  const std::vector<char> whole = bytes();
  for (size_t size = 0; size < whole.size(); ++size) {
    replace({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)});
    ASSERT_NE(read().second, "") << "cut to " << size << " bytes of " << whole.size();
  }
}

TEST_F(OperationLog, FlippedBitIsNoticed) {
  const std::vector<Operation> operations = random_operations(8, 2000, tree_.count());
  write(operations);
  const std::vector<char> whole = bytes();
  Random random(3);
  for (int i = 0; i < 300; ++i) {
    std::vector<char> flipped = whole;
    const uint32_t at = random.below(static_cast<uint32_t>(whole.size()));
    flipped[at] = static_cast<char>(flipped[at] ^ (1 << random.below(8)));
    replace(flipped);
    const auto [read_back, error] = read();
    // A flipped bit that the frame does not use may go unnoticed, but then the operations are equal.
    ASSERT_TRUE(!error.empty() || read_back == operations) << "byte " << at;
  }
}

TEST_F(OperationLog, OtherFilesAreRefusedByWhatTheyAre) {
  EXPECT_NE(read().second.find("cannot be opened"), std::string::npos);
  replace({'{', '}'});
  EXPECT_NE(read().second.find("is not an operation log"), std::string::npos);
  std::filesystem::remove(file_);
  std::filesystem::create_directory(file_);
  EXPECT_NE(read().second.find("is not a regular file"), std::string::npos);
}

TEST_F(OperationLog, FolderThatIsNotThereIsNamed) {
  const auto writer = OperationLogWriter::create(folder_ / "missing/operations.log", tree_);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kIoError);
  EXPECT_NE(writer.error().message.find("missing/operations.log"), std::string::npos);
}

TEST_F(OperationLog, FullDiskIsAnErrorAndLeavesNoLog) {
  const auto writer = OperationLogWriter::create(file_, tree_);
  ASSERT_TRUE(writer.ok());
  // /dev/full replaces the disk: every write to it fails with ENOSPC.
  ASSERT_EQ(std::system(("ln -sf /dev/full " + (folder_ / "full.log.tmp")).c_str()), 0);
  const auto full = OperationLogWriter::create(folder_ / "full.log", tree_);
  Status added = full ? (*full)->add(random_operations(2, 200'000, tree_.count())) : Status(full.error());
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().code, ErrorCode::kIoError);
  EXPECT_NE(added.error().message.find("No space left"), std::string::npos);
}

}  // namespace
}  // namespace patina
