#include "trace/trace_file.h"

#include <gtest/gtest.h>
#include <linux/blktrace_api.h>

#include <cstring>
#include <fstream>

#include "testing/device_testing.h"
#include "trace/trace_record.h"

namespace patina {
namespace {

constexpr uint64_t kBlock = 4096;
constexpr uint64_t kDeviceBytes = 1000 * kBlock;
constexpr uint32_t kWrite = BLK_TC_ACT(BLK_TC_WRITE);
constexpr uint32_t kRead = BLK_TC_ACT(BLK_TC_READ);

std::string bytes_of(const auto& value) {
  return {reinterpret_cast<const char*>(&value), sizeof value};
}

// Encodes a record as the kernel does.
std::string record7(uint32_t cpu, uint32_t sequence, uint32_t action, uint64_t sector, uint32_t bytes,
                    const std::string& payload = "") {
  blk_io_trace raw{};
  raw.magic = BLK_IO_TRACE_MAGIC | BLK_IO_TRACE_VERSION;
  raw.sequence = sequence;
  raw.sector = sector;
  raw.bytes = bytes;
  raw.action = action;
  raw.device = 7U << 20U;
  raw.cpu = cpu;
  raw.pdu_len = static_cast<uint16_t>(payload.size());
  return bytes_of(raw) + payload;
}

std::string record8(uint32_t sequence, uint64_t action, uint64_t sector, uint32_t bytes,
                    const std::string& payload = "") {
  std::string raw(64, '\0');
  const auto put = [&raw](size_t at, auto value) { std::memcpy(&raw[at], &value, sizeof value); };
  put(0, uint32_t{BLK_IO_TRACE_MAGIC | 8});
  put(4, sequence);
  put(16, sector);
  put(24, bytes);
  put(32, action);
  put(40, uint32_t{7U << 20U});
  put(50, static_cast<uint16_t>(payload.size()));
  return raw + payload;
}

class TraceFileTest : public testing::Test {
 protected:
  // Reads one more trace into the same tally.
  Result<TraceFile> read(const std::string& bytes) {
    std::ofstream(folder_ / "trace", std::ios::binary | std::ios::trunc) << bytes;
    return read_trace_file(folder_ / "trace", tally_);
  }
  void expect_touched(const std::vector<uint64_t>& blocks) const {
    std::vector<uint64_t> touched;
    for (const ByteRange& extent : tally_.dirty().extents(1000)) {
      for (uint64_t at = extent.begin_bytes; at < extent.end_bytes; at += kBlock) {
        touched.push_back(at / kBlock);
      }
    }
    EXPECT_EQ(touched, blocks);
  }
  void expect_invalid(const std::string& bytes, const std::string& mentions) {
    const Result<TraceFile> trace = read(bytes);
    ASSERT_FALSE(trace.ok()) << mentions;
    EXPECT_EQ(trace.error().code, ErrorCode::kTraceInvalid);
    EXPECT_NE(trace.error().message.find(mentions), std::string::npos) << trace.error().message;
  }

  ScratchFolder folder_;
  TraceTally tally_{kDeviceBytes, 0};
};

TEST_F(TraceFileTest, CountsWhatWritesAndDiscardsAtEveryStageAndNoReads) {
  const std::string bytes =
      record7(0, 9, BLK_TN_PROCESS, 0, 0, "mkfs") +                                     // its number is none
      record7(0, 1, BLK_TA_QUEUE | kRead, 0, 4096) +                                    //
      record7(0, 2, BLK_TA_QUEUE | kWrite, 8, 4096) +                                   // block 1
      record7(0, 3, BLK_TA_ISSUE | kWrite | BLK_TC_ACT(BLK_TC_FLUSH), 16, 512) +        // 2, a journal's
      record7(0, 4, BLK_TA_COMPLETE | kWrite | BLK_TC_ACT(BLK_TC_DISCARD), 24, 8192) +  // 3 and 4
      record7(0, 5, BLK_TA_QUEUE | kWrite | BLK_TC_ACT(BLK_TC_FLUSH), 0, 0) +           // a flush
      record7(0, 6, BLK_TA_BACKMERGE | kWrite, 79, 1024) +                              // 9 and 10
      record7(0, 7, BLK_TA_REMAP | kWrite, 8 * 20, 4096, std::string(16, '\1')) +       // 20
      record7(0, 8, BLK_TA_PLUG, 0, 0) +                                                //
      record7(0, 9, BLK_TA_REQUEUE | BLK_TC_ACT(BLK_TC_DISCARD), 8 * 30, 4096) +        // 30
      record7(0, 10, BLK_TA_QUEUE | __BLK_TA_CGROUP | kWrite, 8 * 40, 4096, "cgroupid") +  // 40
      record7(0, 11, BLK_TA_QUEUE | kWrite, 8 * 999, 8192);                                // 999, and beyond
  const Result<TraceFile> trace = read(bytes);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->kind, TraceKind::kBlktrace);
  EXPECT_EQ(tally_.incomplete_reason(), "");
  EXPECT_EQ(tally_.events_count(), 11U);
  expect_touched({1, 2, 3, 4, 9, 10, 20, 30, 40, 999});
}

TEST_F(TraceFileTest, ReadsVersion8AndItsNewCategories) {
  constexpr uint64_t kWriteZeroes = uint64_t{1} << 22U;
  const auto action = [](uint64_t categories) { return 1 | categories << BLK_TC_SHIFT; };
  const Result<TraceFile> trace =
      read(record8(1, action(BLK_TC_QUEUE | BLK_TC_WRITE), 8, 4096, "12345678") +
           record8(2, action(BLK_TC_QUEUE | BLK_TC_READ), 16, 4096) +
           record8(3, action(BLK_TC_QUEUE | kWriteZeroes), 24, 4096) +
           record8(0, 2 | uint64_t{BLK_TC_NOTIFY} << BLK_TC_SHIFT, 0, 0, "a message"));
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(tally_.incomplete_reason(), "");
  expect_touched({1, 3});
}

TEST_F(TraceFileTest, SeesGapsInTheNumbersOfEachProcessor) {
  ASSERT_TRUE(read(record7(0, 1, BLK_TA_QUEUE | kWrite, 8, 512) +
                   record7(1, 1, BLK_TA_QUEUE | kWrite, 16, 512) +
                   record7(0, 2, BLK_TA_QUEUE | kWrite, 24, 512))
                  .ok());
  EXPECT_EQ(tally_.incomplete_reason(), "");
  ASSERT_TRUE(read(record7(1, 3, BLK_TA_QUEUE | kWrite, 32, 512)).ok());
  EXPECT_EQ(tally_.incomplete_reason(), "sequence_gap");
  expect_touched({1, 2, 3, 4});
}

TEST_F(TraceFileTest, SeesThatTheBeginningIsMissing) {
  ASSERT_TRUE(read(record7(0, 2, BLK_TA_QUEUE | kWrite, 8, 512)).ok());
  EXPECT_EQ(tally_.incomplete_reason(), "sequence_gap");
}

TEST_F(TraceFileTest, KeepsWhatCameBeforeATruncatedTailOrGarbage) {
  const std::string whole = record7(0, 1, BLK_TA_QUEUE | kWrite, 8, 512);
  const std::string second = record7(0, 2, BLK_TA_QUEUE | kWrite, 16, 512, "payload");
  for (size_t cut = 1; cut < second.size(); ++cut) {
    tally_ = TraceTally(kDeviceBytes, 0);
    ASSERT_TRUE(read(whole + second.substr(0, cut)).ok());
    EXPECT_EQ(tally_.incomplete_reason(), "truncated") << cut;
    expect_touched({1});
  }
  tally_ = TraceTally(kDeviceBytes, 0);
  ASSERT_TRUE(read(whole + std::string(64, 'x') + second).ok());
  EXPECT_EQ(tally_.incomplete_reason(), "garbage");
  expect_touched({1});
}

TEST_F(TraceFileTest, DoubtsWritesThatWerePassedThrough) {
  ASSERT_TRUE(read(record7(0, 1, BLK_TA_ISSUE | kRead | BLK_TC_ACT(BLK_TC_PC), 0, 36)).ok());
  EXPECT_EQ(tally_.incomplete_reason(), "");
  ASSERT_TRUE(read(record7(0, 2, BLK_TA_ISSUE | kWrite | BLK_TC_ACT(BLK_TC_PC), 0, 512)).ok());
  EXPECT_EQ(tally_.incomplete_reason(), "passed_through_command");
}

TEST_F(TraceFileTest, CountsAPartitionFromItsStart) {
  tally_ = TraceTally(kDeviceBytes, 2048);
  ASSERT_TRUE(read(record7(0, 1, BLK_TA_QUEUE | kWrite, 2056, 512) +             // block 1
                   record7(0, 2, BLK_TA_QUEUE | kWrite, 2040, 4096) +            // before it
                   record7(0, 3, BLK_TA_QUEUE | kWrite, 2047, 1024) +            // begins before it: block 0
                   record7(0, 4, BLK_TA_QUEUE | kWrite, 8 * 1000 + 2048, 512) +  // behind it
                   record7(0, 5, BLK_TA_QUEUE | kWrite, UINT64_MAX, 512))
                  .ok());
  expect_touched({0, 1});
}

std::string own_trace(const std::string& end_reason = "", uint64_t dropped_count = 0) {
  return encode_message(7, to_message(TraceHead{kDeviceBytes, "tracefs", "before"})) +
         encode_write(1, 7, 8, 4096) + encode_write(2, 7, 24, 8192) +
         encode_message(7, to_message(TraceEnd{99, 9, dropped_count, 2, "after", end_reason}));
}

TEST_F(TraceFileTest, OfPatinaItselfTellsItsEnd) {
  const Result<TraceFile> trace = read(own_trace());
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->kind, TraceKind::kOwn);
  EXPECT_EQ(trace->head.source, "tracefs");
  EXPECT_EQ(trace->head.generation_begin, "before");
  ASSERT_TRUE(trace->end.has_value());
  EXPECT_EQ(trace->end->generation_end, "after");
  EXPECT_EQ(trace->end->events_count, 99U);
  EXPECT_EQ(tally_.incomplete_reason(), "");
  expect_touched({1, 3, 4});
}

TEST_F(TraceFileTest, OfPatinaItselfSaysWhyItIsNotWhole) {
  const auto reason_of = [this](const std::string& bytes) {
    tally_ = TraceTally(kDeviceBytes, 0);
    EXPECT_TRUE(read(bytes).ok());
    return tally_.incomplete_reason();
  };
  EXPECT_EQ(reason_of(own_trace("device_busy_at_end")), "device_busy_at_end");
  EXPECT_EQ(reason_of(own_trace("", 3)), "dropped_events");
  const std::string head = encode_message(7, to_message(TraceHead{kDeviceBytes, "tracefs", "before"}));
  const std::string unknown = encode_message(7, to_message(TraceHead{kDeviceBytes, "tracefs", ""}));
  const std::string end = encode_message(7, to_message(TraceEnd{1, 1, 0, 1, "after", ""}));
  const std::string write = encode_write(1, 7, 8, 4096);
  EXPECT_EQ(reason_of(head + write), "tracer_died");
  EXPECT_EQ(reason_of(head), "tracer_died");
  EXPECT_EQ(reason_of((head + write + end).substr(0, head.size() + 70)), "truncated");
  EXPECT_EQ(reason_of(unknown + write + end), "unknown_generation");
  EXPECT_EQ(reason_of(head + encode_write(2, 7, 8, 4096) + end), "sequence_gap");
  EXPECT_EQ(reason_of(head + end), "garbage");
  EXPECT_EQ(reason_of(head + write + encode_message(7, "{\"type\":\"patina_trace_end\"}")), "garbage");
  EXPECT_EQ(reason_of(head + write + end + encode_write(2, 7, 800, 4096)), "garbage");
}

TEST_F(TraceFileTest, OfAnotherDeviceOrVersionIsRefused) {
  expect_invalid(encode_message(7, to_message(TraceHead{4096, "tracefs", "x"})), "4096 bytes");
  expect_invalid(encode_message(7, "{\"type\":\"patina_trace\",\"schema_version\":2}"), "another version");
}

TEST_F(TraceFileTest, ThatIsNoneIsRefused) {
  std::string swapped = record7(0, 1, BLK_TA_QUEUE | kWrite, 8, 512);
  std::reverse(swapped.begin(), swapped.begin() + 4);
  expect_invalid(swapped, "byte order");
  expect_invalid(std::string(100, '\0'), "neither");
  const Result<TraceFile> empty = read("");
  ASSERT_TRUE(empty.ok());
  EXPECT_EQ(empty->kind, TraceKind::kEmpty);
  EXPECT_FALSE(read_trace_file(folder_.path(), tally_).ok());
  EXPECT_FALSE(read_trace_file(folder_ / "missing", tally_).ok());
}

constexpr const char* kText =
    "  7,3    0        1     0.000000000 11862  A  WS 2056 + 8 <- (7,4) 8\n"
    "  7,3    0        2     0.000001829 11862  Q  WS 2056 + 8 [jbd2/loop3p1-8]\n"
    "  7,3    0        3     0.000004000 11862  P   N [fio]\n"
    "  7,3    0        4     0.000005000 11862  U   N [fio] 1\n"
    "  7,3    0        0     0.000006000     0  m   N 99 + 8 is a message\n"
    "  7,3    1        1     0.000006000     0  Q   R 80 + 8 [cat]\n"
    "  7,3    1        2     0.000007000     0  D FWFS 88 + 1 [kworker/1:1H]\n"
    "  7,3    1        3     0.000008000     0  Q FWS [fsync]\n"
    "  7,3    1        4     0.000009000     0  C  WS 2056 + 8 (    3829) [0]\n"
    "  7,3    1        5     0.000009100     0  Q   N 160 + 8 [blkdiscard]\n"
    "  7,3    1        6     0.000009200     0  Q  DS 240 + 16 [fstrim]\n"
    "  7,3    1        7     0.000009300     0  X   W 320 / 328 [dd]\n"
    "  7,3    1        8     0.000009400     0  D   R 36 (12 00 00 00 24 00) [smartd]\n"
    "  7,3    1        9     0.000009500     0  C   R (12 00 00 00 24 00) [0]\n"
    "CPU0 (7,3):\n Reads Queued:           0,        0KiB\t Writes Queued: 1,  4KiB\n\n"
    "Throughput (R/W): 0KiB/s / 4KiB/s\nEvents (7,3): 14 entries\nSkips: 0 forward (0 -   0.0%)\n";

TEST_F(TraceFileTest, ReadsWhatBlkparsePrints) {
  const Result<TraceFile> trace = read(kText);
  ASSERT_TRUE(trace.ok()) << trace.error().message;
  EXPECT_EQ(trace->kind, TraceKind::kBlkparseText);
  EXPECT_EQ(tally_.incomplete_reason(), "");
  expect_touched({11, 20, 30, 31, 257});
}

TEST_F(TraceFileTest, DoubtsTextThatMissesSomething) {
  const auto reason_of = [this](const std::string& text) {
    tally_ = TraceTally(kDeviceBytes, 0);
    EXPECT_TRUE(read(text).ok()) << text;
    return tally_.incomplete_reason();
  };
  EXPECT_EQ(reason_of("7,3 0 1 0.1 2 Q W 8 + 8 [a]\n7,3 0 3 0.1 2 Q W 8 + 8 [a]\n"), "sequence_gap");
  EXPECT_EQ(reason_of("7,3 0 1 0.1 2 Q W 8 + 8 [a]\n7,3 0 2 0.1 2 Q W 8"), "truncated");
  EXPECT_EQ(reason_of("7,3 0 1 0.1 2 D W 512 (2a 00) [a]\n"), "passed_through_command");
  EXPECT_EQ(reason_of("CPU0 (7,3):\nSkips: 1 forward (12 -   0.1%)\n"), "sequence_gap");
}

TEST_F(TraceFileTest, NamesTheLineThatAnotherFormatPrinted) {
  const std::string good = "7,3 0 1 0.1 2 Q W 8 + 8 [a]\n";
  expect_invalid(good + "W 8 8\n", "line 2: W 8 8");
  expect_invalid("7,3 Q W 8 + 8\n", "line 1");
  expect_invalid("7,3 0 1 0.1 2 Q W 8 - 8 [a]\n", "line 1");
  expect_invalid("7,3 0 1 0.1 2 Q W 8 + x [a]\n", "line 1");
  expect_invalid("7,3 0 1 0.1 2 Q\n", "line 1");
  expect_invalid("7,3 0 1 0.1 2 Y W 8 + 8 [a]\n", "line 1");
  expect_invalid(good + std::string(20000, ' ') + "\n", "line 2");
}

TEST(Letters, NameDiscardsAndMetadata) {
  for (const char* rwbs : {"D", "DS", "FD"}) EXPECT_TRUE(letters_discard(rwbs)) << rwbs;
  for (const char* rwbs : {"W", "WS", "FWFS", "R", ""}) EXPECT_FALSE(letters_discard(rwbs)) << rwbs;
  for (const char* rwbs : {"WM", "WSM", "FWFSM"}) EXPECT_TRUE(letters_metadata(rwbs)) << rwbs;
  for (const char* rwbs : {"W", "WS", "FWFS", ""}) EXPECT_FALSE(letters_metadata(rwbs)) << rwbs;
}

TEST(Letters, AreReadOnlyWhenTheOperationIsARead) {
  for (const char* rwbs : {"R", "RA", "RSM", "FR"}) EXPECT_TRUE(letters_read_only(rwbs)) << rwbs;
  for (const char* rwbs : {"W", "FWS", "FWFSM", "D", "DS", "N", "FN", "F", "FF", "ZR", "", "WRITE"}) {
    EXPECT_FALSE(letters_read_only(rwbs)) << rwbs;
  }
}

}  // namespace
}  // namespace patina
