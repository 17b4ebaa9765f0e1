// Chunks are readable by casync, used only after a check, and never incomplete under their name.
#include "store/chunk_store.h"

#include <thread>

#include "base/all_zero.h"
#include "store/chunk_writer.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

std::vector<uint8_t> chunk_bytes(uint32_t seed, size_t count = 65536) {
  const std::string bytes = random_bytes(count, seed);
  return {bytes.begin(), bytes.end()};
}

std::string chunk_path(const std::string& store, const ChunkId& id) {
  return store + "/" + ChunkStore::relative_path(id);
}

size_t files_in(const std::string& folder) {
  size_t count = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    count += entry.is_regular_file();
  return count;
}

class ChunkStoreTest : public testing::Test {
 protected:
  ChunkStoreTest() : store_(std::move(*ChunkStore::open_or_make(scratch_ / "store"))) {}

  ChunkId put(const std::vector<uint8_t>& data) {
    auto writer = ChunkWriter::create(*store_);
    EXPECT_TRUE(writer.ok());
    const ChunkId id = chunk_id_of(data);
    EXPECT_TRUE((*writer)->put(id, data, codec_).ok());
    EXPECT_TRUE((*writer)->finish().ok());
    totals_ = (*writer)->totals();
    return id;
  }

  ErrorCode read_error(const ChunkId& id, size_t size_bytes) {
    std::vector<uint8_t> data(size_bytes);
    const Result<uint64_t> read = store_->read(id, data, codec_);
    EXPECT_FALSE(read.ok());
    EXPECT_NE(read.error().message.find(id.hex()), std::string::npos) << read.error().message;
    return read.error().code;
  }

  ScratchFolder scratch_;
  std::unique_ptr<ChunkStore> store_;
  ChunkCodec codec_;
  ChunkTotals totals_;
};

TEST_F(ChunkStoreTest, AChunkLiesWhereCasyncLooksAndZstdCanUnpackIt) {
  const std::vector<uint8_t> data = chunk_bytes(1);
  const ChunkId id = put(data);
  write_at(scratch_ / "raw", 0, {data.begin(), data.end()});
  const std::string hex = require_program({"sha256sum", scratch_ / "raw"}).substr(0, 64);
  const std::string path = store_->path() + "/" + hex.substr(0, 4) + "/" + hex + ".cacnk";
  ASSERT_TRUE(std::filesystem::exists(path));
  require_program({"zstd", "-q", "-d", path, "-o", scratch_ / "unpacked"});
  require_program({"cmp", scratch_ / "raw", scratch_ / "unpacked"});
  EXPECT_EQ(hex, id.hex());
}

TEST_F(ChunkStoreTest, AChunkIsReadBack) {
  const std::vector<uint8_t> data = chunk_bytes(2);
  const ChunkId id = put(data);
  std::vector<uint8_t> copy(data.size());
  ASSERT_TRUE(store_->read(id, copy, codec_).ok());
  EXPECT_EQ(copy, data);
}

TEST_F(ChunkStoreTest, AMissingChunkIsNamed) {
  EXPECT_EQ(read_error(chunk_id_of(chunk_bytes(3)), 65536), ErrorCode::kChunkMissing);
}

TEST(ZeroChunkId, IsTheDigestOfSoManyZeroes) {
  for (const uint64_t length_bytes : {1U, 512U, 4096U, 5000U, 65536U, 262143U, 262144U, 1048576U}) {
    EXPECT_EQ(zero_chunk_id(length_bytes), chunk_id_of(std::vector<uint8_t>(length_bytes))) << length_bytes;
  }
}

TEST_F(ChunkStoreTest, AFifoInPlaceOfAChunkIsCorruptAndIsNotWaitedFor) {
  const ChunkId id = put(chunk_bytes(3));
  const std::string path = chunk_path(store_->path(), id);
  std::filesystem::remove(path);
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_EQ(read_error(id, 65536), ErrorCode::kChunkCorrupt);
}

TEST_F(ChunkStoreTest, EveryBitFlipIsCaught) {
  const ChunkId id = put(chunk_bytes(4, 600));
  const std::string path = chunk_path(store_->path(), id);
  const std::string whole = read_whole_file(path);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  for (size_t bit = 0; bit < 8 * whole.size(); ++bit) {
    std::string flipped = whole;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    write_at(path, 0, flipped);
    std::vector<uint8_t> data(600);
    const Result<uint64_t> read = store_->read(id, data, codec_);
    // A bit of the frame's header may be unused; the result is right, or is refused.
    if (read.ok()) {
      EXPECT_EQ(chunk_id_of(data), id) << bit;
    } else {
      EXPECT_EQ(read.error().code, ErrorCode::kChunkCorrupt) << bit;
    }
  }
}

TEST_F(ChunkStoreTest, TruncatedEmptyForeignAndBombChunksAreCorrupt) {
  const ChunkId id = put(chunk_bytes(5));
  const std::string path = chunk_path(store_->path(), id);
  const std::string whole = read_whole_file(path);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  ASSERT_EQ(::truncate(path.c_str(), static_cast<off_t>(whole.size() - 1)), 0);
  EXPECT_EQ(read_error(id, 65536), ErrorCode::kChunkCorrupt);
  ASSERT_EQ(::truncate(path.c_str(), 0), 0);
  EXPECT_EQ(read_error(id, 65536), ErrorCode::kChunkCorrupt);
  write_at(path, 0,
           "\xfd"
           "7zXZ and not zstd");
  EXPECT_EQ(read_error(id, 65536), ErrorCode::kChunkCorrupt);
  write_at(scratch_ / "zeroes", 64 << 20, "x");
  require_program({"zstd", "-q", "-f", scratch_ / "zeroes", "-o", path});  // unpacks to 64 MiB
  EXPECT_EQ(read_error(id, 65536), ErrorCode::kChunkCorrupt);
  ASSERT_EQ(::truncate(path.c_str(), off_t{1} << 40), 0);
  EXPECT_EQ(read_error(id, 65536), ErrorCode::kChunkCorrupt);
}

TEST_F(ChunkStoreTest, AChunkOfAnotherLengthIsCorrupt) {
  const ChunkId id = put(chunk_bytes(6));
  EXPECT_EQ(read_error(id, 65535), ErrorCode::kChunkCorrupt);
  EXPECT_EQ(read_error(id, 65537), ErrorCode::kChunkCorrupt);
}

TEST_F(ChunkStoreTest, TheSecondImageStoresOnlyWhatIsNew) {
  put(chunk_bytes(7));
  EXPECT_EQ(totals_.new_chunks_count, 1U);
  const uint64_t stored_bytes = totals_.stored_bytes;
  put(chunk_bytes(7));
  EXPECT_EQ(totals_.new_chunks_count, 0U);
  EXPECT_EQ(totals_.new_bytes, 0U);
  EXPECT_EQ(totals_.distinct_chunks_count, 1U);
  EXPECT_EQ(totals_.stored_bytes, stored_bytes);
}

TEST_F(ChunkStoreTest, ADamagedChunkIsReplacedWhenItIsPutAgain) {
  const std::vector<uint8_t> data = chunk_bytes(8);
  const ChunkId id = put(data);
  const std::string path = chunk_path(store_->path(), id);
  ASSERT_EQ(::chmod(path.c_str(), 0600), 0);
  write_at(path, 1000, "damage");
  put(data);
  EXPECT_EQ(totals_.new_chunks_count, 1U);
  std::vector<uint8_t> copy(data.size());
  EXPECT_TRUE(store_->read(id, copy, codec_).ok());
}

TEST_F(ChunkStoreTest, NothingHasItsNameBeforeFinishAndNothingIsLeftWithoutIt) {
  {
    auto writer = ChunkWriter::create(*store_);
    ASSERT_TRUE(writer.ok());
    const std::vector<uint8_t> data = chunk_bytes(9);
    ASSERT_TRUE((*writer)->put(chunk_id_of(data), data, codec_).ok());
    EXPECT_FALSE(store_->contains(chunk_id_of(data)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(store_->path()));
}

TEST_F(ChunkStoreTest, StagingOfADeadWriterIsRemovedAndOfALivingOneIsNot) {
  write_at(scratch_ / "left", 0, "half a chunk");
  const std::string dead = store_->path() + "/.patina-staging-1-0";
  std::filesystem::create_directory(dead);
  std::filesystem::rename(scratch_ / "left", dead + "/0123");
  auto living = ChunkWriter::create(*store_);
  ASSERT_TRUE(living.ok());
  EXPECT_FALSE(std::filesystem::exists(dead));
  const std::vector<uint8_t> data = chunk_bytes(10);
  ASSERT_TRUE((*living)->put(chunk_id_of(data), data, codec_).ok());
  put(chunk_bytes(11));
  ASSERT_TRUE((*living)->finish().ok());
  EXPECT_TRUE(store_->contains(chunk_id_of(data)));
}

TEST_F(ChunkStoreTest, ManyThreadsAndDuplicatesAcrossBatchesStoreEachChunkOnce) {
  constexpr uint32_t kChunks = 20000;  // more than one batch
  constexpr int kThreads = 4;
  auto writer = ChunkWriter::create(*store_);
  ASSERT_TRUE(writer.ok());
  std::atomic<int> failures{0};
  {
    std::vector<std::jthread> threads;
    threads.reserve(kThreads);
    for (int t = 0; t < kThreads; ++t) {
      threads.emplace_back([&] {
        ChunkCodec codec;
        for (uint32_t i = 0; i < kChunks; ++i) {
          std::vector<uint8_t> data(64);
          std::memcpy(data.data(), &i, sizeof i);
          failures += !(*writer)->put(chunk_id_of(data), data, codec).ok();
        }
      });
    }
  }
  ASSERT_TRUE((*writer)->finish().ok());
  EXPECT_EQ(failures.load(), 0);
  EXPECT_EQ((*writer)->totals().distinct_chunks_count, kChunks);
  EXPECT_EQ((*writer)->totals().new_chunks_count, kChunks);
  EXPECT_EQ(files_in(store_->path()), kChunks);
}

TEST_F(ChunkStoreTest, AFullStoreSaysSo) {
  PATINA_REQUIRE_ROOT();
  const Mount tiny("tmpfs", scratch_ / "tiny", "tmpfs", "size=256k");
  auto store = ChunkStore::open(tiny.folder());
  ASSERT_TRUE(store.ok());
  auto writer = ChunkWriter::create(**store);
  ASSERT_TRUE(writer.ok());
  Status status = ok_status();
  for (uint32_t seed = 0; seed < 16 && status.ok(); ++seed) {
    const std::vector<uint8_t> data = chunk_bytes(seed);
    status = (*writer)->put(chunk_id_of(data), data, codec_);
  }
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kStoreNoSpace);
  EXPECT_NE(status.error().message.find(tiny.folder()), std::string::npos);
}

TEST(ChunkStoreOpenTest, AStoreThatIsNotAFolderIsAnError) {
  const ScratchFolder scratch;
  write_at(scratch / "file", 0, "x");
  for (const auto& store :
       {ChunkStore::open(scratch / "missing"), ChunkStore::open_or_make(scratch / "file")}) {
    ASSERT_FALSE(store.ok());
    EXPECT_EQ(store.error().code, ErrorCode::kStoreIoError);
  }
}

TEST(ChunkIdTest, ZeroIsToldFromAlmostZero) {
  for (const size_t size : {1U, 63U, 64U, 65U, 4096U, 5000U}) {
    std::vector<uint8_t> data(size);
    EXPECT_TRUE(is_all_zero(data));
    for (const size_t at : {size_t{0}, size / 2, size - 1}) {
      data[at] = 1;
      EXPECT_FALSE(is_all_zero(data)) << size << " at " << at;
      data[at] = 0;
    }
  }
}

TEST(SeenChunksTest, EachIsNewOnce) {
  SeenChunks seen;
  for (int pass = 0; pass < 2; ++pass) {
    for (uint32_t i = 0; i < 5000; ++i) {
      ChunkId id;
      std::memcpy(id.bytes.data(), &i, sizeof i);
      if (i == 1) continue;  // shares its 64 bits with 0, which stand for an empty place
      EXPECT_EQ(seen.insert(id), pass == 0) << i;
    }
  }
}

}  // namespace
}  // namespace patina
