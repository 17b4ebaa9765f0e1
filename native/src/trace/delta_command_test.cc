#include "trace/delta_command.h"

#include <gtest/gtest.h>
#include <linux/blktrace_api.h>

#include <fstream>

#include "image/delta.h"
#include "testing/device_testing.h"
#include "trace/trace_message.h"
#include "trace/trace_record.h"

namespace patina {
namespace {

constexpr uint64_t kDeviceBytes = 1 << 20;

class DeltaCommand : public testing::Test {
 protected:
  std::string file(const std::string& name, const std::string& bytes) const {
    std::ofstream(folder_ / name, std::ios::binary | std::ios::trunc) << bytes;
    return folder_ / name;
  }
  static std::string own_trace() {
    return encode_message(7, to_message(TraceHead{kDeviceBytes, "tracefs", "boot=1 disk=2"})) +
           encode_write(1, 7, 8, 4096) + encode_write(2, 7, 24, 8192) +
           encode_message(7, to_message(TraceEnd{99, 9, 0, 2, "boot=1 disk=3", ""}));
  }
  Status run(const std::vector<std::string>& traces, bool assume_complete = false,
             uint64_t partition_start_sectors = 0) {
    sink_.events.clear();
    return run_delta({.trace_files = traces,
                      .device_bytes = kDeviceBytes,
                      .partition_start_sectors = partition_start_sectors,
                      .delta_file = delta_file_,
                      .assume_complete = assume_complete},
                     sink_);
  }
  Delta delta() const {
    const Result<Delta> read = read_delta(delta_file_);
    EXPECT_TRUE(read.ok()) << read.error().message;
    return *read;
  }
  void expect_code(const Status& status, ErrorCode code, const std::string& mentions) const {
    ASSERT_FALSE(status.ok());
    EXPECT_EQ(status.error().code, code);
    EXPECT_NE(status.error().message.find(mentions), std::string::npos) << status.error().message;
    EXPECT_FALSE(std::filesystem::exists(delta_file_));
  }

  ScratchFolder folder_;
  std::string delta_file_ = folder_ / "delta";
  CollectingSink sink_;
};

TEST_F(DeltaCommand, OfPatinasOwnTraceIsComplete) {
  ASSERT_TRUE(run({file("trace", own_trace())}).ok());
  expect_shaped_like_golden(sink_, "delta");
  EXPECT_EQ(sink_.last()["complete"], true);
  EXPECT_EQ(sink_.last()["touched_bytes"], 12288);
  EXPECT_EQ(sink_.last()["writes_count"], 9);
  EXPECT_EQ(sink_.last()["delta_digest"], require_program({"sha256sum", delta_file_}).substr(0, 64));
  EXPECT_TRUE(delta().complete());
  EXPECT_EQ(delta().source, "tracefs");
  EXPECT_EQ(delta().events_count, 99U);
  EXPECT_EQ(delta().generation_begin, "boot=1 disk=2");
  EXPECT_EQ(delta().generation_end, "boot=1 disk=3");
  ASSERT_EQ(delta().extents.size(), 2U);
  EXPECT_EQ(delta().extents[1].begin_bytes, 12288U);
  EXPECT_EQ(delta().extents[1].end_bytes, 20480U);
}

TEST_F(DeltaCommand, OfATraceThatWasCutShortIsWrittenAndIncomplete) {
  const std::string whole = own_trace();
  ASSERT_TRUE(run({file("trace", whole.substr(0, whole.size() - 10))}).ok());
  EXPECT_EQ(sink_.last()["complete"], false);
  EXPECT_EQ(sink_.last()["incomplete_reason"], "truncated");
  EXPECT_EQ(delta().incomplete_reason, "truncated");
  EXPECT_EQ(delta().touched_bytes(), 12288U);
}

TEST_F(DeltaCommand, OfFilesOfBlktraceNeedsAUserWhoVouchesForTheirEnd) {
  const std::string empty = file("trace.blktrace.0", "");
  const std::string first = file("trace.blktrace.1", encode_write(1, 7, 2048 + 8, 512));
  std::string other = encode_write(1, 7, 2048 + 80, 512);
  other[40] = '\2';  // of another processor
  const std::string second = file("trace.blktrace.2", other);
  ASSERT_TRUE(run({empty, first, second}, false, 2048).ok());
  EXPECT_EQ(delta().incomplete_reason, "no_end_record");
  ASSERT_TRUE(run({empty, first, second}, true, 2048).ok());
  EXPECT_TRUE(delta().complete());
  EXPECT_EQ(delta().source, "blktrace_file");
  EXPECT_EQ(delta().touched_bytes(), 8192U);
  EXPECT_TRUE(sink_.last()["generation_begin"].is_null());
  ASSERT_TRUE(run({first, first}, true).ok());
  EXPECT_EQ(delta().incomplete_reason, "sequence_gap");
}

TEST_F(DeltaCommand, OfWhatBlkparsePrintedIsTheSame) {
  const std::string text = file("text", "  7,3    0        1     0.000000000 11862  Q  WS 8 + 8 [dd]\n");
  ASSERT_TRUE(run({text}).ok());
  EXPECT_EQ(delta().incomplete_reason, "no_end_record");
  EXPECT_EQ(delta().source, "blkparse_text");
  ASSERT_TRUE(run({text}, true).ok());
  EXPECT_TRUE(delta().complete());
  EXPECT_EQ(delta().touched_bytes(), 4096U);
}

TEST_F(DeltaCommand, RefusesWhatDoesNotGoTogether) {
  const std::string own = file("own", own_trace());
  const std::string blktrace = file("blktrace", encode_write(1, 7, 8, 512));
  const std::string text = file("text", "  7,3 0 1 0.0 1 Q W 8 + 8 [dd]\n");
  expect_code(run({own, blktrace}), ErrorCode::kUsage, "no other beside it");
  expect_code(run({blktrace, own}), ErrorCode::kUsage, "no other beside it");
  expect_code(run({own}, true), ErrorCode::kUsage, "--assume-complete");
  expect_code(run({own}, false, 8), ErrorCode::kUsage, "--partition-start");
  expect_code(run({blktrace, text}), ErrorCode::kUsage, "another kind");
  expect_code(run({file("empty", "")}), ErrorCode::kTraceInvalid, "is empty");
  expect_code(run({file("garbage", std::string(99, '\7'))}), ErrorCode::kTraceInvalid, "neither");
  expect_code(run({folder_ / "missing"}), ErrorCode::kTraceInvalid, "cannot be opened");
  delta_file_ = folder_ / "no/such/folder";
  expect_code(run({own}), ErrorCode::kIoError, "delta");
}

}  // namespace
}  // namespace patina
