// Random requests give on the socket what the disk gives that has no socket.
#include <gtest/gtest.h>

#include "base/event.h"
#include "base/random.h"
#include "shingle/caveat_disk.h"
#include "shingle/strict_append_disk.h"
#include "testing/call_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

using Json = CallClient::Json;

constexpr uint64_t kSector = CaveatGeometry::kSectorBytes;
constexpr CaveatGeometry kCaveat{
    .sectors_count = 300, .did_sectors = 9, .dnor_sectors = 2, .unshingled_sectors = 40};
constexpr BandGeometry kBands{.bands_count = 5, .band_sectors = 40, .gap_sectors = 3};

class ServePropertyTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"data", "direct"})
      write_at(folder_ / name, 300 * kSector - 1, std::string(1, '\0'));
  }

  // Some clients, since the calls of one must not depend on those of another.
  void connect() {
    clients_.clear();
    for (int i = 0; i < 3; ++i) clients_.push_back(std::make_unique<CallClient>(folder_ / "socket"));
  }
  CallClient& client(Random& random) { return *clients_[random.below(3)]; }
  ServeOptions options() const { return {folder_ / "data", folder_ / "state", folder_ / "socket", {}}; }
  void forget() const {
    std::filesystem::remove(folder_ / "state");
    std::filesystem::remove(folder_ / "direct.state");
  }

  static std::string bytes_of(Random& random) {
    const uint64_t size = random.below(8) == 0 ? 1 + random.below(5000) : (1 + random.below(12)) * kSector;
    return random_bytes(size, static_cast<uint32_t>(random.next()));
  }
  static std::span<const uint8_t> span_of(const std::string& bytes) {
    return {reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
  }
  static void expect_same(const CallClient::Reply& reply, const Status& status) {
    const Json expected = status ? Json("done") : error_event(status.error());
    EXPECT_EQ(status ? reply.fields["type"] : reply.fields, expected);
  }

  const ScratchFolder folder_;

 private:
  std::vector<std::unique_ptr<CallClient>> clients_;
};

TEST_F(ServePropertyTest, AnyCallsOfCaveatScriptor) {
  for (uint32_t seed = 0; seed < property_cases(4); ++seed) {
    Random random(seed);
    const auto unwritten = static_cast<Unwritten>(seed % 2);
    auto direct =
        std::move(*CaveatDisk::create(folder_ / "direct", folder_ / "direct.state", kCaveat, unwritten));
    CallService service(options());
    connect();
    client(random).ask({{"type", "create"},
                        {"did_sectors", 9},
                        {"dnor_sectors", 2},
                        {"unshingled_sectors", 40},
                        {"unwritten", seed % 2 == 0 ? "error" : "zeroes"}});
    for (int i = 0; i < 400; ++i) {
      const uint64_t sector = random.below(305);
      const uint32_t kind = random.below(100);
      if (kind < 40) {
        const std::string data = bytes_of(random);
        const Status written = direct->write(sector, span_of(data));
        expect_same(client(random).ask({{"type", "write"}, {"sector", sector}}, data), written);
      } else if (kind < 80) {
        const uint64_t count = 1 + random.below(12);
        std::vector<uint8_t> expected(count * kSector);
        const Status read = direct->read(sector, expected);
        const auto reply =
            client(random).ask({{"type", "read"}, {"sector", sector}, {"sectors_count", count}});
        expect_same(reply, read);
        ASSERT_EQ(reply.data, read ? std::string(expected.begin(), expected.end()) : "");
      } else if (kind < 88) {
        Json runs = Json::array();
        for (const BlockExtent& run : direct->dump(sector, 5)) runs.push_back({run.first, run.count});
        const Json dump = {{"type", "dump"}, {"sector", sector}, {"runs_count", 5}};
        EXPECT_EQ(client(random).ask(dump).fields["runs"], runs);
      } else if (kind < 96) {
        EXPECT_EQ(client(random).ask({{"type", "position"}}).fields["sector"], direct->position());
        EXPECT_EQ(client(random).ask({{"type", "open"}}).fields["damaged_sectors_count"],
                  direct->damaged_count());
      } else if (kind < 98) {
        expect_same(client(random).ask({{"type", "flush"}}), direct->flush());
      } else {
        service.restart();
        connect();
        direct = std::move(*CaveatDisk::open(folder_ / "direct", folder_ / "direct.state"));
      }
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", request " << i;
    }
    service.stop();
    EXPECT_EQ(read_whole_file(folder_ / "state"), read_whole_file(folder_ / "direct.state"));
    forget();
  }
}

TEST_F(ServePropertyTest, AnyCallsOfStrictAppend) {
  for (uint32_t seed = 0; seed < property_cases(4); ++seed) {
    Random random(seed);
    auto direct = std::move(*StrictAppendDisk::create(folder_ / "direct", folder_ / "direct.state", kBands));
    CallService service(options());
    connect();
    client(random).ask({{"type", "create"},
                        {"interface", "strict-append"},
                        {"bands_count", 5},
                        {"band_sectors", 40},
                        {"gap_sectors", 3}});
    for (int i = 0; i < 400; ++i) {
      const uint64_t band = random.below(6);
      const uint32_t kind = random.below(100);
      if (kind < 40) {
        const std::string data = bytes_of(random);
        const auto cursor = direct->get(band);
        const Status written = direct->write(band, span_of(data));
        const auto reply = client(random).ask({{"type", "write"}, {"band", band}}, data);
        expect_same(reply, written);
        EXPECT_EQ(reply.fields.value("sector", Json()), written ? Json(*cursor) : Json());
      } else if (kind < 75) {
        const uint64_t sector = random.below(45);
        const uint64_t count = 1 + random.below(10);
        std::vector<uint8_t> expected(count * kSector);
        const Status read = direct->read(band, sector, expected);
        const auto reply = client(random).ask(
            {{"type", "read"}, {"band", band}, {"sector", sector}, {"sectors_count", count}});
        expect_same(reply, read);
        ASSERT_EQ(reply.data, read ? std::string(expected.begin(), expected.end()) : "");
      } else if (kind < 85) {
        const uint64_t cursor = random.below(42);
        const Status set = direct->set(band, cursor);
        expect_same(client(random).ask(
                        {{"type", "managebands"}, {"action", "set"}, {"band", band}, {"cursor", cursor}}),
                    set);
      } else if (kind < 95) {
        Json cursors = Json::array();
        for (uint64_t each = 0; each < 5; ++each) cursors.push_back(*direct->get(each));
        const Json get = {{"type", "managebands"}, {"action", "get"}, {"band", 0}, {"bands_count", 5}};
        EXPECT_EQ(client(random).ask(get).fields["cursors"], cursors);
      } else if (kind < 97) {
        const Status reset = direct->reset(band);
        expect_same(client(random).ask({{"type", "managebands"}, {"action", "reset"}, {"band", band}}),
                    reset);
      } else if (kind == 97) {
        expect_same(client(random).ask({{"type", "managebands"}, {"action", "reset_all"}}),
                    direct->reset_all());
      } else {
        service.restart();
        connect();
        direct = std::move(*StrictAppendDisk::open(folder_ / "direct", folder_ / "direct.state"));
      }
      ASSERT_FALSE(HasFailure()) << "seed " << seed << ", request " << i;
    }
    service.stop();
    EXPECT_EQ(read_whole_file(folder_ / "state"), read_whole_file(folder_ / "direct.state"));
    forget();
  }
}

// Bytes of no sense at all: the service goes on, and the disk is whole.
TEST_F(ServePropertyTest, AnyBytesLeaveTheServiceAndTheDisk) {
  CallService service(options());
  connect();
  Random random(1);
  client(random).ask({{"type", "create"}, {"unwritten", "zeroes"}});
  const std::vector<std::string> words = {"{",
                                          "}",
                                          "\"type\"",
                                          ":",
                                          ",",
                                          "\"write\"",
                                          "\"read\"",
                                          "\"data_bytes\"",
                                          "\"sector\"",
                                          "4096",
                                          "0",
                                          "\n",
                                          "{\"type\":\"modesense\"}\n",
                                          "{\"type\":\"read\",\"sector\":0,\"sectors_count\":1}\n",
                                          "1e9",
                                          "null",
                                          "[",
                                          "]",
                                          std::string("\0\xff", 2)};
  for (uint32_t seed = 0; seed < property_cases(60); ++seed) {
    const CallClient other(folder_ / "socket");
    std::string bytes;
    for (uint32_t i = random.below(40); i > 0; --i)
      bytes += words[random.below(static_cast<uint32_t>(words.size()))];
    other.send_raw(bytes);
    ASSERT_EQ(client(random).ask({{"type", "modesense"}}).fields["damaged_sectors_count"], 0) << bytes;
  }
  service.stop();
  EXPECT_EQ(read_whole_file(folder_ / "data"), std::string(300 * kSector, '\0'));
}

}  // namespace
}  // namespace patina
