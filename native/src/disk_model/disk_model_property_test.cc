// What holds for every model, built in or small, single or in a RAID.
#include <gtest/gtest.h>

#include "testing/disk_model_testing.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

struct Case {
  std::string name;
  nlohmann::json document;
};

void PrintTo(const Case& subject, std::ostream* out) {
  *out << subject.name;
}

std::vector<Case> all_cases() {
  std::vector<Case> cases;
  for (const BuiltinDiskModel& builtin : builtin_disk_models()) {
    std::string name(builtin.name);
    std::replace(name.begin(), name.end(), '-', '_');
    cases.push_back({name, nlohmann::json::parse(builtin.text)});
  }
  cases.push_back({"small_flash", small_flash()});
  nlohmann::json plugged = small_rotating();
  plugged["zones"][0]["cylinders_count"] = 20'000;
  plugged["queue"] = {{"entries_count", 4}, {"resume_count", 2}, {"unplug_ms", 3}};
  plugged["write_cache"] = {{"bytes", 65'536}};
  cases.push_back({"small_rotating", plugged});
  for (const uint32_t level : {0U, 1U, 5U}) {
    cases.push_back({"raid" + std::to_string(level), raid_of(level, 3, builtin_model("hdd-7200"), false)});
  }
  cases.push_back({"raid5_flash", raid_of(5, 4, small_flash(), false)});
  return cases;
}

DiskRequest random_request(Random& random, uint64_t capacity_bytes, uint64_t before_end) {
  DiskRequest request;
  const uint32_t kind = random.below(20);
  request.kind = kind < 9    ? DiskRequest::Kind::kRead
                 : kind < 18 ? DiskRequest::Kind::kWrite
                 : kind < 19 ? DiskRequest::Kind::kFlush
                             : DiskRequest::Kind::kDiscard;
  request.length_bytes = 4096ULL * (1 + random.below(random.coin() ? 4 : 300));
  const uint64_t places = (capacity_bytes - request.length_bytes) / 4096;
  request.offset_bytes =
      random.below(3) == 0 ? std::min(before_end, places * 4096) : random.next() % places * 4096;
  return request;
}

class EveryDisk : public testing::TestWithParam<Case> {};

TEST_P(EveryDisk, EndsARequestAfterItArrivesAndTheSameWithTheSameSeed) {
  const uint64_t capacity = spec_of(GetParam().document).capacity_bytes;
  for (uint32_t seed = 0; seed < property_cases(3); ++seed) {
    Random random(seed);
    const auto disk = disk_of(GetParam().document, seed);
    const auto twin = disk_of(GetParam().document, seed);
    uint64_t arrival_ns = 0;
    uint64_t before_end = 0;
    for (int i = 0; i < 1000; ++i) {
      const DiskRequest request = random_request(random, capacity, before_end);
      before_end = request.offset_bytes + request.length_bytes;
      const uint64_t end = disk->end_ns(request, arrival_ns);
      ASSERT_GE(end, arrival_ns) << "seed " << seed << ", request " << i;
      // No request of these takes minutes: a clock that went back would show.
      ASSERT_LT(end - arrival_ns, 600'000'000'000U) << "seed " << seed << ", request " << i;
      ASSERT_EQ(twin->end_ns(request, arrival_ns), end);
      if (random.coin())
        arrival_ns = std::max(arrival_ns, end) + uint64_t{random.below(3)} * random.below(50'000'000);
    }
    EXPECT_EQ(disk->report(), twin->report());
  }
}

TEST_P(EveryDisk, EndsALongerTransferNotEarlier) {
  const nlohmann::json& document = GetParam().document;
  const uint64_t capacity = spec_of(document).capacity_bytes;
  for (uint32_t seed = 0; seed < property_cases(10); ++seed) {
    Random random(seed);
    std::vector<std::pair<DiskRequest, uint64_t>> past;
    const auto scout = disk_of(document, seed);
    uint64_t arrival_ns = 0;
    uint64_t before_end = 0;
    for (int i = 0; i < 50; ++i) {
      const DiskRequest request = random_request(random, capacity, before_end);
      before_end = request.offset_bytes + request.length_bytes;
      past.emplace_back(request, arrival_ns);
      const uint64_t end = scout->end_ns(request, arrival_ns);
      if (random.coin()) arrival_ns = std::max(arrival_ns, end);
    }
    DiskRequest last = random_request(random, capacity, before_end);
    last.kind = random.coin() ? DiskRequest::Kind::kRead : DiskRequest::Kind::kWrite;
    // A RAID-5 writes a whole stripe faster than a part of it, which it has to read first.
    if (document.value("level", 0) == 5) last.kind = DiskRequest::Kind::kRead;
    uint64_t before = 0;
    const uint64_t longest = std::min<uint64_t>(2 << 20U, capacity - last.offset_bytes);
    for (last.length_bytes = 4096; last.length_bytes <= longest; last.length_bytes *= 2) {
      const auto disk = disk_of(document, seed);
      for (const auto& [request, at] : past) disk->end_ns(request, at);
      const uint64_t end = disk->end_ns(last, arrival_ns);
      ASSERT_GE(end, before) << "seed " << seed << ", " << last.length_bytes << " bytes";
      before = end;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(All, EveryDisk, testing::ValuesIn(all_cases()),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace patina
