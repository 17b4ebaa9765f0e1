// Indexes read back as written, are refused when damaged or hostile, and appear whole or not at all.
#include "store/index.h"

#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kChunkBytes = 4096;
constexpr size_t kFirstEntryAt = 64;
constexpr size_t kEntryBytes = 40;

ChunkId id_of(uint8_t byte) {
  ChunkId id;
  id.bytes.fill(byte);
  return id;
}

// Writes an index of `chunks_count` chunks; the last one is short.
std::string write_index(const std::string& path, uint64_t chunks_count) {
  auto writer = IndexWriter::create(path, kChunkBytes);
  EXPECT_TRUE(writer.ok());
  for (uint64_t i = 1; i <= chunks_count; ++i) {
    const uint64_t end_bytes = i * kChunkBytes - (i == chunks_count ? 512 : 0);
    EXPECT_TRUE((*writer)->append(end_bytes, id_of(static_cast<uint8_t>(i))).ok());
  }
  const Result<std::string> digest = (*writer)->publish();
  EXPECT_TRUE(digest.ok());
  return *digest;
}

std::string u64(uint64_t value) {
  std::string bytes(8, '\0');
  for (size_t i = 0; i < 8; ++i) bytes[i] = static_cast<char>(value >> (8 * i));
  return bytes;
}

void expect_invalid(const std::string& path, const std::string& because) {
  const auto reader = IndexReader::open(path);
  ASSERT_FALSE(reader.ok()) << because;
  EXPECT_EQ(reader.error().code, ErrorCode::kIndexInvalid);
  EXPECT_NE(reader.error().message.find(path), std::string::npos);
  EXPECT_NE(reader.error().message.find(because), std::string::npos) << reader.error().message;
}

TEST(IndexTest, WhatWasWrittenIsReadInOrder) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_index(path, 2500);  // several buffers
  auto reader = IndexReader::open(path);
  ASSERT_TRUE(reader.ok());
  EXPECT_EQ((*reader)->chunks_count(), 2500U);
  EXPECT_EQ((*reader)->image_bytes(), 2500 * kChunkBytes - 512);
  for (int pass = 0; pass < 2; ++pass) {
    for (uint64_t i = 0; i < 2500; ++i) {
      const Result<IndexEntry> entry = (*reader)->next();
      ASSERT_TRUE(entry.ok());
      EXPECT_EQ(entry->offset_bytes, i * kChunkBytes);
      EXPECT_EQ(entry->length_bytes, i == 2499 ? kChunkBytes - 512 : kChunkBytes);
      EXPECT_EQ(entry->id, id_of(static_cast<uint8_t>(i + 1)));
    }
    EXPECT_TRUE((*reader)->at_end());
    (*reader)->rewind();
  }
}

TEST(IndexTest, TheDigestIsTheFilesSha256) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  const std::string digest = write_index(path, 3);
  EXPECT_EQ(require_program({"sha256sum", path}).substr(0, 64), digest);
}

TEST(IndexTest, AnUnpublishedIndexLeavesTheOldOneAndNoTemporary) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_index(path, 3);
  const std::string before = read_whole_file(path);
  {
    auto writer = IndexWriter::create(path, kChunkBytes);
    ASSERT_TRUE(writer.ok());
    ASSERT_TRUE((*writer)->append(kChunkBytes, id_of(9)).ok());
  }
  EXPECT_EQ(read_whole_file(path), before);
  EXPECT_FALSE(std::filesystem::exists(path + ".tmp"));
}

TEST(IndexTest, TwoWritersOfOneIndexDoNotShareItsTemporary) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  const auto first = IndexWriter::create(path, kChunkBytes);
  ASSERT_TRUE(first.ok());
  const auto second = IndexWriter::create(path, kChunkBytes);
  ASSERT_FALSE(second.ok());
  EXPECT_EQ(second.error().code, ErrorCode::kStoreIoError);
}

TEST(IndexTest, WhatADeadWriterLeftIsTakenOver) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_at(path + ".tmp", 0, std::string(100000, 'x'));
  write_index(path, 3);
  EXPECT_TRUE(IndexReader::open(path).ok());
}

TEST(IndexTest, AFolderThatIsNotThereIsNamed) {
  const auto writer = IndexWriter::create("/nowhere/at/all.caibx", kChunkBytes);
  ASSERT_FALSE(writer.ok());
  EXPECT_EQ(writer.error().code, ErrorCode::kStoreIoError);
  EXPECT_NE(writer.error().message.find("/nowhere/at/all.caibx"), std::string::npos);
}

TEST(IndexTest, EveryTruncationIsRefused) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_index(path, 5);
  const std::string whole = read_whole_file(path);
  for (size_t length = 0; length < whole.size(); ++length) {
    const std::string cut = scratch / "cut.caibx";
    std::filesystem::remove(cut);
    write_at(cut, 0, whole.substr(0, length));
    const auto reader = IndexReader::open(cut);
    ASSERT_FALSE(reader.ok()) << length;
    EXPECT_EQ(reader.error().code, ErrorCode::kIndexInvalid);
  }
}

struct Damage {
  const char* name;
  size_t at;
  uint64_t value;
  const char* because;
};

class DamagedIndexTest : public testing::TestWithParam<Damage> {};

TEST_P(DamagedIndexTest, IsRefusedWithItsReason) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_index(path, 5);
  write_at(path, GetParam().at, u64(GetParam().value));
  expect_invalid(path, GetParam().because);
}

constexpr size_t kTailAt = kFirstEntryAt + 5 * kEntryBytes;
INSTANTIATE_TEST_SUITE_P(
    AllFields, DamagedIndexTest,
    testing::Values(Damage{"header_size", 0, 49, "wrong header"}, Damage{"header_type", 8, 1, "wrong header"},
                    Damage{"sha512_256", 16, 0xb000000000000000, "SHA-512/256"},
                    Damage{"no_minimum", 24, 0, "wrong chunk sizes"},
                    Damage{"minimum_over_average", 24, 8192, "wrong chunk sizes"},
                    Damage{"average_over_maximum", 32, 8192, "wrong chunk sizes"},
                    Damage{"giant_maximum", 40, uint64_t{1} << 40, "over the limit"},
                    Damage{"table_size", 48, 16, "wrong table header"},
                    Damage{"table_type", 56, 0, "wrong table header"},
                    Damage{"descending", kFirstEntryAt + 2 * kEntryBytes, 4096, "entry 2 does not end after"},
                    Damage{"zero_offset", kFirstEntryAt, 0, "entry 0 does not end after"},
                    Damage{"giant_offset", kFirstEntryAt + 4 * kEntryBytes, UINT64_MAX, "entry 4"},
                    Damage{"long_chunk", kFirstEntryAt + 4 * kEntryBytes, uint64_t{1} << 30,
                           "longer than the longest"},
                    Damage{"tail_zeroes", kTailAt, 1, "wrong tail"},
                    Damage{"tail_more_zeroes", kTailAt + 8, 1, "wrong tail"},
                    Damage{"tail_index_offset", kTailAt + 16, 64, "wrong tail"},
                    Damage{"tail_giant_size", kTailAt + 24, uint64_t{1} << 60, "wrong tail"},
                    Damage{"tail_marker", kTailAt + 32, 0, "wrong tail"}),
    [](const auto& damage) { return damage.param.name; });

TEST(IndexTest, SomethingAfterTheTailIsRefused) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_index(path, 5);
  const size_t size = read_whole_file(path).size();
  write_at(path, size, "x");
  expect_invalid(path, "something after its end");
}

TEST(IndexTest, AGiantSparseFileIsRefusedAtOnce) {
  const ScratchFolder scratch;
  const std::string path = scratch / "image.caibx";
  write_index(path, 5);
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(kFirstEntryAt + 40 + (uint64_t{40} << 30))), 0);
  const auto reader = IndexReader::open(path);
  ASSERT_FALSE(reader.ok());
  EXPECT_EQ(reader.error().code, ErrorCode::kIndexInvalid);
}

TEST(IndexTest, AFolderIsNotAnIndex) {
  const ScratchFolder scratch;
  expect_invalid(scratch.path(), "not a regular file");
}

TEST(IndexTest, AFifoIsNotAnIndexAndIsNotWaitedFor) {
  const ScratchFolder scratch;
  ASSERT_EQ(::mkfifo((scratch / "image.caibx").c_str(), 0600), 0);
  expect_invalid(scratch / "image.caibx", "not a regular file");
}

}  // namespace
}  // namespace patina
