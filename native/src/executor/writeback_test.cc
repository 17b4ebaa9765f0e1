// Writeback in batches: when it frees space, and on which processors it runs.
#include "executor/writeback.h"

#include <gtest/gtest.h>
#include <sched.h>

#include <map>

#include "executor/lane.h"
#include "executor/posix_file_system.h"
#include "testing/device_testing.h"
#include "testing/memory_file_system.h"

namespace patina {
namespace {

Operation operation_on(uint64_t file, OperationKind kind, uint64_t bytes = 0) {
  Operation op{};
  op.kind = kind;
  op.file = file;
  op.bytes = bytes;
  return op;
}

// Ages an ext4 without its journal, which frees space at once.
class WritebackOnExt4 : public testing::Test {
 protected:
  static constexpr uint64_t kFileBytes = 64ULL << 20U;

  void SetUp() override {
    PATINA_REQUIRE_ROOT();
    loop_ = std::make_unique<LoopDevice>(scratch_ / "device.img", 128ULL << 20U);
    require_program({"mkfs.ext4", "-q", "-b", "4096", "-m", "0", loop_->path()});
    mount_ = std::make_unique<Mount>(loop_->path(), scratch_ / "mount", "ext4", "noload");
    auto opened = PosixFileSystem::open(mount_->folder(), false);
    ASSERT_TRUE(opened.ok());
    file_system_ = std::move(*opened);
    ASSERT_TRUE(file_system_->make_directories(DirectoryTree()).ok());
  }
  uint64_t used_bytes() { return *file_system_->used_bytes(); }

  ScratchFolder scratch_;
  std::unique_ptr<LoopDevice> loop_;
  std::unique_ptr<Mount> mount_;
  std::unique_ptr<PosixFileSystem> file_system_;
};

TEST_F(WritebackOnExt4, WhatABatchDeletesBecomesFreeBehindIt) {
  Writeback writeback(*file_system_, {.interval_ops = 3, .keeps_freed = true});
  const uint64_t fresh_bytes = used_bytes();
  const auto carry_out = [&](const Operation& op) {
    writeback.before(op);
    ASSERT_EQ(file_system_->carry_out(op), 0);
    ASSERT_TRUE(writeback.after(op).ok());
  };
  carry_out(operation_on(1, OperationKind::kCreate, kFileBytes));
  carry_out(operation_on(1, OperationKind::kDelete));
  EXPECT_GE(used_bytes(), fresh_bytes + kFileBytes);
  carry_out(operation_on(2, OperationKind::kCreate, 4096));
  EXPECT_LT(used_bytes(), fresh_bytes + (1U << 20U));
}

TEST_F(WritebackOnExt4, WithoutBatchesWhatIsDeletedIsFreeAtOnce) {
  Writeback writeback(*file_system_, {.interval_ops = 0, .keeps_freed = true});
  const uint64_t fresh_bytes = used_bytes();
  ASSERT_EQ(file_system_->carry_out(operation_on(1, OperationKind::kCreate, kFileBytes)), 0);
  const Operation removal = operation_on(1, OperationKind::kDelete);
  writeback.before(removal);
  ASSERT_EQ(file_system_->carry_out(removal), 0);
  EXPECT_LT(used_bytes(), fresh_bytes + (1U << 20U));
}

TEST_F(WritebackOnExt4, WhatIsKeptIsNotMissingOnAFullFileSystem) {
  Failure failure;
  Lane lane(*file_system_, failure, {.interval_ops = 100, .keeps_freed = true});
  Batch ops;
  for (uint64_t file = 1; file <= 8; ++file) {
    ops.push_back(operation_on(file, OperationKind::kCreate, kFileBytes));
    ops.push_back(operation_on(file, OperationKind::kDelete));
  }
  lane.push(ops);
  lane.wait_for(ops.size());
  EXPECT_FALSE(failure.happened());
  EXPECT_EQ(lane.no_space_count(), 0U);
}

// Records the processor that each file is written back on.
class ProcessorRecorder final : public FileSystem {
 public:
  std::map<int, int> writebacks_by_processor;

  int write_back(const Operation& /*file*/) override {
    ++writebacks_by_processor[sched_getcpu()];
    return 0;
  }
  Status make_directories(const DirectoryTree& /*tree*/) override { return ok_status(); }
  int carry_out(const Operation& /*operation*/) override { return 0; }
  Descriptor keep(const Operation& /*file*/) override { return Descriptor(); }
  int materialize(const Operation& /*file*/) override { return 0; }
  Status walk(const std::function<void(const FoundFile&)>& /*visit*/) override { return ok_status(); }
  int sync() override { return 0; }
  Result<uint64_t> used_bytes() override { return uint64_t{0}; }
  std::optional<SpaceLag> space_lag() override { return std::nullopt; }
  Result<SpaceMap> space_map() override { return Error{ErrorCode::kLayoutUnsupported, ""}; }
};

TEST(Writeback, RunsOnEveryAllowedProcessorAndLeavesTheThreadFree) {
  cpu_set_t before;
  ASSERT_EQ(sched_getaffinity(0, sizeof before, &before), 0);
  ProcessorRecorder recorder;
  Writeback writeback(recorder, {.interval_ops = 1, .on_any_processor = true});
  const int processors_count = CPU_COUNT(&before);
  for (int i = 0; i < 64 * processors_count; ++i) {
    ASSERT_TRUE(writeback.after(operation_on(1, OperationKind::kCreate, 4096)).ok());
  }
  EXPECT_EQ(recorder.writebacks_by_processor.size(), static_cast<size_t>(processors_count));
  cpu_set_t after;
  ASSERT_EQ(sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Writeback, ASyncBeginsANewBatch) {
  MemoryFileSystem file_system;
  Writeback writeback(file_system, {.interval_ops = 2});
  ASSERT_TRUE(writeback.after(operation_on(1, OperationKind::kCreate, 4096)).ok());
  writeback.end_batch();
  ASSERT_TRUE(writeback.after(operation_on(2, OperationKind::kCreate, 4096)).ok());
  EXPECT_EQ(file_system.writebacks_count, 0U);
  ASSERT_TRUE(writeback.after(operation_on(3, OperationKind::kCreate, 4096)).ok());
  EXPECT_EQ(file_system.writebacks_count, 2U);
}

}  // namespace
}  // namespace patina
