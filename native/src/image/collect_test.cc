// Garbage collection: named chunks stay, young chunks stay, all others are removed, and a dry run reports the
// same.
#include <sys/stat.h>

#include <algorithm>
#include <fstream>
#include <numeric>

#include "store/chunk_store.h"
#include "store/store_lock.h"
#include "testing/image_testing.h"

namespace patina {
namespace {

class CollectTest : public ImageTest {
 protected:
  // Makes two images that share most of their chunks, and a list.
  void SetUp() override {
    ImageTest::SetUp();
    if (IsSkipped()) return;
    device_ = make_device("disk");
    ASSERT_TRUE(capture(device_->path()).ok());
    first_ = index_;
    index_ = second_ = scratch_ / "second.caibx";
    write_at(device_->path(), 40 * kChunkBytes, random_bytes(3 * kChunkBytes, 41));
    ASSERT_TRUE(capture(device_->path()).ok());
  }

  Status collect(const std::vector<std::string>& kept, bool dry_run = false, uint64_t grace_seconds = 0) {
    std::ofstream list(scratch_ / "keep");
    for (const std::string& index : kept) list << index << "\n";
    list.close();
    return run_again(dry_run, grace_seconds);
  }

  Status run_again(bool dry_run = false, uint64_t grace_seconds = 0) {
    sink_.events.clear();
    return run_collect(
        {.store = store_, .keep_file = scratch_ / "keep", .grace_seconds = grace_seconds, .dry_run = dry_run},
        sink_, stop_);
  }

  uint64_t chunks_in_store() const {
    uint64_t count = 0;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(store_)) {
      count += entry.path().extension() == ".cacnk" ? 1 : 0;
    }
    return count;
  }

  void expect_whole(const std::string& index) {
    index_ = index;
    EXPECT_TRUE(verify(store_).ok());
  }

  std::unique_ptr<LoopDevice> device_;
  std::string first_;
  std::string second_;
};

TEST_F(CollectTest, WhatOnlyAForgottenImageHadGoes) {
  ASSERT_EQ(chunks_in_store(), 8U);
  ASSERT_TRUE(collect({first_}).ok());
  EXPECT_EQ(figure("removed_chunks_count"), 3U);
  EXPECT_GE(figure("removed_bytes"), 3 * kChunkBytes);
  EXPECT_EQ(figure("kept_chunks_count"), 5U);
  EXPECT_EQ(chunks_in_store(), 5U);
  expect_whole(first_);
}

TEST_F(CollectTest, ItsEventsAreShapedLikeTheGoldenOnes) {
  ASSERT_TRUE(collect({first_}).ok());
  expect_shaped_like_golden(sink_, "gc");
}

TEST_F(CollectTest, ADryRunRemovesNothingAndAgreesWithTheRealOne) {
  ASSERT_TRUE(collect({first_}, true).ok());
  auto dry = sink_.last();
  EXPECT_EQ(chunks_in_store(), 8U);
  ASSERT_TRUE(collect({first_}).ok());
  auto real = sink_.last();
  dry["dry_run"] = false;
  dry["elapsed_s"] = real["elapsed_s"] = 0;
  EXPECT_EQ(dry, real);
}

TEST_F(CollectTest, YoungChunksStay) {
  ASSERT_TRUE(collect({}, false, 3600).ok());
  EXPECT_EQ(figure("young_chunks_count"), 8U);
  EXPECT_EQ(chunks_in_store(), 8U);
}

TEST_F(CollectTest, AChunkThatACaptureUsedAgainIsYoungAgain) {
  for (const auto& entry : std::filesystem::recursive_directory_iterator(store_)) {
    const std::array<timespec, 2> long_ago = {timespec{1'000'000'000, 0}, timespec{1'000'000'000, 0}};
    if (!entry.is_regular_file()) continue;
    ASSERT_EQ(::utimensat(AT_FDCWD, entry.path().c_str(), long_ago.data(), 0), 0);
  }
  index_ = scratch_ / "third.caibx";
  ASSERT_TRUE(capture(device_->path()).ok());
  EXPECT_EQ(sink_.last()["new_chunks_count"], 0);
  ASSERT_TRUE(collect({}, false, 3600).ok());
  EXPECT_EQ(figure("young_chunks_count"), 8U);
  expect_whole(index_);
}

TEST_F(CollectTest, WithoutAnyImageTheStoreIsEmptied) {
  ASSERT_TRUE(collect({}).ok());
  EXPECT_EQ(figure("removed_chunks_count"), 8U);
  EXPECT_TRUE(std::filesystem::is_empty(store_));
}

TEST_F(CollectTest, AListOrAnIndexThatCannotBeReadRemovesNothing) {
  flip_bit(second_, std::filesystem::file_size(second_) - 1);
  expect_code(collect({first_, second_}), ErrorCode::kIndexInvalid, "nothing was removed");
  expect_code(collect({first_, scratch_ / "missing.caibx"}), ErrorCode::kIndexInvalid, "missing.caibx");
  std::filesystem::remove(scratch_ / "keep");
  expect_code(run_again(), ErrorCode::kIndexInvalid, "keep");
  EXPECT_EQ(chunks_in_store(), 8U);
}

TEST_F(CollectTest, ACaptureAndACollectionExcludeEachOther) {
  const auto store = ChunkStore::open(store_);
  {
    const auto adding = lock_store(**store, StoreUse::kAddChunks);
    ASSERT_TRUE(adding.ok());
    expect_code(collect({first_}), ErrorCode::kStoreBusy, "try again");
    EXPECT_TRUE(capture(device_->path()).ok()) << "captures do not exclude each other";
  }
  const auto removing = lock_store(**store, StoreUse::kRemoveChunks);
  ASSERT_TRUE(removing.ok());
  expect_code(capture(device_->path()), ErrorCode::kStoreBusy, "try again");
}

TEST_F(CollectTest, WhatIsNoChunkIsLeftAlone) {
  const std::filesystem::path folder = std::filesystem::path(a_chunk_file()).parent_path();
  write_at(folder / "notes.txt", 0, "mine");
  write_at(folder / (std::string(64, 'A') + ".cacnk"), 0, "not ours: upper case");
  ASSERT_TRUE(collect({}).ok());
  EXPECT_EQ(read_whole_file(folder / "notes.txt"), "mine");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 2);
}

TEST_F(CollectTest, AStopAndALostReaderCancel) {
  stop_.store(true);
  expect_code(collect({}), ErrorCode::kCanceled, "run it again");
  EXPECT_EQ(chunks_in_store(), 8U);
  stop_.store(false);
  sink_.on_event = [](const auto&) { return false; };
  expect_code(collect({}), ErrorCode::kCanceled, "stdout is closed");
}

using DiffTest = CollectTest;

TEST_F(DiffTest, WhatTwoImagesShareIsCounted) {
  sink_.events.clear();
  ASSERT_TRUE(run_diff({.index_file = first_, .other_index_file = second_, .store = store_, .cells_count = 3},
                       sink_, stop_)
                  .ok());
  expect_shaped_like_golden(sink_, "diff");
  const auto& summary = sink_.last();
  EXPECT_EQ(summary["changed_bytes"], 3 * kChunkBytes);
  EXPECT_EQ(summary["map"]["changed_bytes"].size(), 3U);
  EXPECT_EQ(summary["changed_extents_count"], 1);
  EXPECT_EQ(summary["shared"]["chunks_count"], 5);
  EXPECT_EQ(summary["only_first"]["chunks_count"], 0);
  EXPECT_EQ(summary["only_second"]["chunks_count"], 3);
  EXPECT_EQ(summary["only_second"]["bytes"], 3 * kChunkBytes);
  EXPECT_GE(summary["only_second"]["stored_bytes"], 3 * kChunkBytes);
}

TEST_F(DiffTest, AnImageDoesNotDifferFromItself) {
  ASSERT_TRUE(run_diff({.index_file = first_, .other_index_file = first_}, sink_, stop_).ok());
  EXPECT_EQ(sink_.last()["changed_bytes"], 0);
  EXPECT_EQ(sink_.last()["shared"]["stored_bytes"], nullptr);
  EXPECT_EQ(sink_.last()["map"], nullptr);
}

TEST_F(DiffTest, TheMapAddsUpToTheChangedBytes) {
  write_at(scratch_ / "file", 10'000, random_bytes(5'000'000, 42));
  index_ = scratch_ / "file.caibx";
  ASSERT_TRUE(capture(scratch_ / "file", 65536).ok());
  for (const auto& [one, other] :
       {std::pair{first_, second_}, std::pair{first_, index_}, std::pair{index_, second_}}) {
    for (const uint64_t cells_count : {uint64_t{1}, uint64_t{7}, uint64_t{512}, kMaxDiffCells}) {
      ASSERT_TRUE(
          run_diff({.index_file = one, .other_index_file = other, .cells_count = cells_count}, sink_, stop_)
              .ok());
      const auto& summary = sink_.last();
      const auto cells = summary["map"]["changed_bytes"].get<std::vector<uint64_t>>();
      const uint64_t cell_bytes = summary["map"]["cell_bytes"].get<uint64_t>();
      const uint64_t image_bytes =
          std::max(summary["first_bytes"].get<uint64_t>(), summary["second_bytes"].get<uint64_t>());
      EXPECT_LE(cells.size(), cells_count);
      EXPECT_EQ(cells.size(), (image_bytes + cell_bytes - 1) / cell_bytes);
      EXPECT_EQ(std::accumulate(cells.begin(), cells.end(), uint64_t{0}), summary["changed_bytes"]);
      EXPECT_LE(*std::max_element(cells.begin(), cells.end()), cell_bytes);
    }
  }
}

TEST_F(DiffTest, ImagesOfOtherSizesAndChunksCanBeCompared) {
  write_at(scratch_ / "file", 10'000, random_bytes(5'000'000, 42));
  index_ = scratch_ / "file.caibx";
  ASSERT_TRUE(capture(scratch_ / "file", 65536).ok());
  ASSERT_TRUE(run_diff({.index_file = first_, .other_index_file = index_}, sink_, stop_).ok());
  EXPECT_EQ(sink_.last()["changed_bytes"], kDeviceBytes);
  EXPECT_EQ(sink_.last()["changed_extents_count"], 1);
  expect_code(run_diff({.index_file = first_, .other_index_file = scratch_ / "none"}, sink_, stop_),
              ErrorCode::kIndexInvalid, "none");
}

}  // namespace
}  // namespace patina
