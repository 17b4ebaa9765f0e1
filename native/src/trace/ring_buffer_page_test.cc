#include "trace/ring_buffer_page.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

namespace patina {
namespace {

constexpr const char* kHeaderPage =
    "\tfield: u64 timestamp;\toffset:0;\tsize:8;\tsigned:0;\n"
    "\tfield: local_t commit;\toffset:8;\tsize:8;\tsigned:1;\n"
    "\tfield: int overwrite;\toffset:8;\tsize:1;\tsigned:1;\n"
    "\tfield: char data;\toffset:16;\tsize:4080;\tsigned:0;\n";

constexpr const char* kEventFormat =
    "name: block_bio_queue\nID: 2097\nformat:\n"
    "\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n\n"
    "\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
    "\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n"
    "\tfield:__data_loc char[] cmd;\toffset:60;\tsize:4;\tsigned:0;\n\n"
    "print fmt: \"%d\", ((unsigned int) ((REC->dev) >> 20))\n";

constexpr uint64_t kPageTime = (uint64_t{3} << 59U) + 1000;

class Page {
 public:
  void word(uint32_t value) {
    const size_t at = data_.size();
    data_.resize(at + 4);
    std::memcpy(&data_[at], &value, 4);
  }
  void event(const std::string& payload) {  // of whole words
    word(static_cast<uint32_t>(payload.size() / 4) | (7U << 5U));
    data_.insert(data_.end(), payload.begin(), payload.end());
  }
  void long_event(const std::string& payload) {
    word(3U << 5U);
    word(static_cast<uint32_t>(payload.size() + 4));
    data_.insert(data_.end(), payload.begin(), payload.end());
  }
  std::vector<uint8_t> bytes(uint64_t flags = 0) const {
    std::vector<uint8_t> page(4096, 0xee);
    const uint64_t timestamp = kPageTime;
    std::memcpy(&page[0], &timestamp, sizeof timestamp);
    const uint64_t commit = data_.size() | flags;
    std::memcpy(&page[8], &commit, sizeof commit);
    std::copy(data_.begin(), data_.end(), page.begin() + 16);
    return page;
  }

 private:
  std::vector<uint8_t> data_;
};

struct Visited {
  explicit Visited(const std::vector<uint8_t>& page) {
    const auto format = parse_event_format(kHeaderPage);
    sound = RingBufferPage::of(*format)->visit(
        page,
        [this](auto event, uint64_t time_ns) {
          events.emplace_back(event.begin(), event.end());
          times_ns.push_back(time_ns);
        },
        missed);
  }
  std::vector<std::string> events;
  std::vector<uint64_t> times_ns;
  bool sound = false;
  bool missed = false;
};

TEST(RingBufferPage, GivesEventsShortAndLongAndNothingBetween) {
  Page page;
  page.word(30U | (9U << 5U));  // a time extend
  page.word(1);
  page.event("abcd");
  page.word(29U | (1U << 5U));  // a discarded event
  page.word(8);
  page.word(0);
  page.long_event(std::string(400, 'l'));
  page.word(31U);  // a time stamp
  page.word(2);
  page.event("efghijkl");
  const Visited visited(page.bytes());
  EXPECT_TRUE(visited.sound);
  EXPECT_FALSE(visited.missed);
  EXPECT_EQ(visited.events, (std::vector<std::string>{"abcd", std::string(400, 'l'), "efghijkl"}));
}

TEST(RingBufferPage, GivesTheTimeOfEachEvent) {
  Page page;
  page.event("abcd");           // 7 later
  page.word(29U | (1U << 5U));  // a discarded event has no time
  page.word(4);
  page.word(30U | (9U << 5U));  // a time extend: 2^27 + 9 later
  page.word(1);
  page.long_event("efgh");       // 3 later
  page.word(31U | (50U << 5U));  // a time stamp, without the highest bits
  page.word(2);
  page.event("ijkl");
  const Visited visited(page.bytes());
  ASSERT_TRUE(visited.sound);
  const uint64_t extended = kPageTime + 7 + (uint64_t{1} << 27U) + 9 + 3;
  const uint64_t stamped = (uint64_t{3} << 59U) + (uint64_t{2} << 27U) + 50 + 7;
  EXPECT_EQ(visited.times_ns, (std::vector<uint64_t>{kPageTime + 7, extended, stamped}));
}

TEST(RingBufferPage, EndsAtItsPadding) {
  Page page;
  page.event("abcd");
  page.word(29U);
  page.word(0xffffffffU);
  const Visited visited(page.bytes());
  EXPECT_TRUE(visited.sound);
  EXPECT_EQ(visited.events.size(), 1U);
  EXPECT_TRUE(Visited(Page().bytes()).events.empty());
}

TEST(RingBufferPage, TellsThatEventsWereMissed) {
  Page page;
  page.event("abcd");
  for (const unsigned bit : {30U, 31U}) {
    const Visited visited(page.bytes(uint64_t{1} << bit));
    EXPECT_TRUE(visited.sound);
    EXPECT_TRUE(visited.missed);
    EXPECT_EQ(visited.events.size(), 1U);
  }
}

TEST(RingBufferPage, MakesNoSenseWhenLengthsDoNotFit) {
  Page beyond;
  beyond.word(5U);
  beyond.word(0);
  EXPECT_FALSE(Visited(beyond.bytes()).sound);
  Page endless;
  endless.word(0);
  endless.word(0xfffffffcU);
  EXPECT_FALSE(Visited(endless.bytes()).sound);
  Page empty;
  empty.word(0);
  empty.word(0);
  EXPECT_FALSE(Visited(empty.bytes()).sound);
  EXPECT_FALSE(Visited(Page().bytes(8000)).sound);
  EXPECT_FALSE(Visited(std::vector<uint8_t>(12)).sound);
}

TEST(EventFormat, NamesEveryField) {
  const auto format = parse_event_format(kEventFormat);
  ASSERT_TRUE(format.has_value());
  EXPECT_EQ(format->id, 2097);
  ASSERT_NE(format->field("sector"), nullptr);
  EXPECT_EQ(format->field("sector")->offset, 16U);
  ASSERT_NE(format->field("rwbs"), nullptr);
  EXPECT_EQ(format->field("rwbs")->size, 10U);
  EXPECT_NE(format->field("cmd"), nullptr);
  EXPECT_EQ(format->field("dev"), nullptr);
  EXPECT_FALSE(parse_event_format("nothing\n").has_value());
  EXPECT_FALSE(RingBufferPage::of(*format).has_value());
}

TEST(EventFormat, ReadsNumbersAndLettersWithinTheEvent) {
  const std::vector<uint8_t> event = {1, 2, 'W', 'S', 0, 'x'};
  EXPECT_EQ(read_field(event, {0, 2}), 0x201U);
  EXPECT_EQ(read_field(event, {4, 8}), 0U);
  EXPECT_EQ(read_letters(event, {2, 4}), "WS");
  EXPECT_EQ(read_letters(event, {5, 9}), "x");
  EXPECT_EQ(read_letters(event, {9, 9}), "");
}

TEST(EventHead, IsKnownInOneLayoutOnly) {
  const std::string known =
      "# compressed entry header\n\ttype_len    :    5 bits\n\ttime_delta  :   27 bits\n\tarray       :   32 "
      "bits\n\n\tpadding     : type == 29\n\ttime_extend : type == 30\n\ttime_stamp : type == 31\n\tdata max "
      "type_len  == 28\n";
  EXPECT_TRUE(is_known_event_head(known));
  EXPECT_FALSE(is_known_event_head(""));
  std::string other = known;
  other.replace(other.find("27 bits"), 2, "26");
  EXPECT_FALSE(is_known_event_head(other));
}

}  // namespace
}  // namespace patina
