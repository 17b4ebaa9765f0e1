#include "image/delta.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kBlock = kDeltaBlockBytes;

Delta a_delta() {
  Delta delta;
  delta.device_bytes = 100 * kBlock + 512;
  delta.source = "tracefs";
  delta.generation_begin = "boot=x disk=1 writes=2:3";
  delta.generation_end = "boot=x disk=1 writes=9:80";
  delta.events_count = 12;
  delta.extents = {{0, kBlock}, {3 * kBlock, 9 * kBlock}, {99 * kBlock, delta.device_bytes}};
  return delta;
}

void put_file(const std::string& path, const std::string& bytes) {
  std::ofstream(path, std::ios::binary | std::ios::trunc) << bytes;
}

void expect_invalid(const std::string& path, const std::string& mentions) {
  const Result<Delta> read = read_delta(path);
  ASSERT_FALSE(read.ok()) << mentions;
  EXPECT_EQ(read.error().code, ErrorCode::kTraceInvalid);
  EXPECT_NE(read.error().message.find(mentions), std::string::npos) << read.error().message;
}

TEST(Delta, ReadsBackAsItWasWritten) {
  const ScratchFolder folder;
  Delta delta = a_delta();
  delta.incomplete_reason = "dropped_events";
  delta.dropped_count = 7;
  ASSERT_TRUE(write_delta(folder / "delta", delta).ok());
  const Result<Delta> read = read_delta(folder / "delta");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->device_bytes, delta.device_bytes);
  EXPECT_EQ(read->source, "tracefs");
  EXPECT_EQ(read->incomplete_reason, "dropped_events");
  EXPECT_FALSE(read->complete());
  EXPECT_EQ(read->generation_begin, delta.generation_begin);
  EXPECT_EQ(read->generation_end, delta.generation_end);
  EXPECT_EQ(read->events_count, 12U);
  EXPECT_EQ(read->dropped_count, 7U);
  ASSERT_EQ(read->extents.size(), 3U);
  EXPECT_EQ(read->extents[1].begin_bytes, 3 * kBlock);
  EXPECT_EQ(read->extents[2].end_bytes, delta.device_bytes);
  EXPECT_EQ(read->touched_bytes(), 8 * kBlock + 512);
  EXPECT_FALSE(std::filesystem::exists(folder / "delta.tmp"));
}

TEST(Delta, OfNothingTouchedIsComplete) {
  const ScratchFolder folder;
  Delta delta;
  delta.device_bytes = 1;
  ASSERT_TRUE(write_delta(folder / "delta", delta).ok());
  const Result<Delta> read = read_delta(folder / "delta");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_TRUE(read->complete());
  EXPECT_TRUE(read->extents.empty());
}

TEST(Delta, RefusesWhatIsCutShortOrAlteredAnywhere) {
  const ScratchFolder folder;
  ASSERT_TRUE(write_delta(folder / "delta", a_delta()).ok());
  const std::string bytes = read_whole_file(folder / "delta");
  for (size_t i = 0; i < bytes.size(); ++i) {
    put_file(folder / "cut", bytes.substr(0, i));
    EXPECT_FALSE(read_delta(folder / "cut").ok()) << i;
    std::string altered = bytes;
    altered[i] = static_cast<char>(altered[i] ^ 1);
    put_file(folder / "altered", altered);
    EXPECT_FALSE(read_delta(folder / "altered").ok()) << i;
  }
  put_file(folder / "longer", bytes + "1 1\n");
  expect_invalid(folder / "longer", "digest");
  put_file(folder / "cut", bytes.substr(0, bytes.size() - 65));
  expect_invalid(folder / "cut", "has no digest");
  put_file(folder / "other", "{\"type\":\"patina_checkpoint\"}\n");
  expect_invalid(folder / "other", "is not a delta");
  expect_invalid(folder / "missing", "cannot be opened");
  expect_invalid(folder.path(), "not a regular file");
}

TEST(Delta, SaysWhereItCannotBeWritten) {
  const ScratchFolder folder;
  const Status status = write_delta(folder / "no/such/folder", a_delta());
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kIoError);
}

}  // namespace
}  // namespace patina
