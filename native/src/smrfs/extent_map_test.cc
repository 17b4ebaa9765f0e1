// Against a plain table of blocks.
#include "smrfs/extent_map.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

constexpr uint64_t kFileBlocks = 60;

class Model {
 public:
  void set(uint64_t block, const BlockExtent& place) {
    for (uint64_t i = 0; i < place.count; ++i) blocks_[block + i] = place.first + i;
  }
  void erase(uint64_t block, uint64_t end) {
    blocks_.erase(blocks_.lower_bound(block), blocks_.lower_bound(end));
  }
  const std::map<uint64_t, uint64_t>& blocks() const { return blocks_; }

 private:
  std::map<uint64_t, uint64_t> blocks_;
};

std::set<uint64_t> blocks_of(const std::vector<BlockExtent>& extents) {
  std::set<uint64_t> blocks;
  for (const BlockExtent& each : extents) {
    for (uint64_t i = 0; i < each.count; ++i) EXPECT_TRUE(blocks.insert(each.first + i).second);
  }
  return blocks;
}

void expect_same(const ExtentMap& map, const Model& model) {
  for (uint64_t block = 0; block < kFileBlocks + 20; ++block) {
    const ExtentMap::Found found = map.find(block);
    const auto known = model.blocks().find(block);
    ASSERT_EQ(found.is_hole, known == model.blocks().end()) << block;
    if (!found.is_hole) {
      ASSERT_EQ(found.place.first, known->second) << block;
    }
    // The run is as long as is said.
    for (uint64_t i = 0; i < std::min<uint64_t>(found.place.count, 5); ++i) {
      ASSERT_EQ(model.blocks().contains(block + i), !found.is_hole);
    }
  }
  ASSERT_EQ(map.blocks_count(), model.blocks().size());
}

TEST(ExtentMap, AnyChangesGiveTheSameBlocksAndItsBytesTheSameMap) {
  for (uint32_t seed = 0; seed < property_cases(50); ++seed) {
    Random random(seed);
    ExtentMap map;
    Model model;
    uint64_t placed = 1000;  // no block of the disk is used twice
    for (int i = 0; i < 60; ++i) {
      const ExtentMap before = map;
      const uint64_t block = random.below(kFileBlocks);
      const uint64_t count = 1 + random.below(12);
      if (random.coin()) {
        if (random.coin()) placed += random.below(3);
        map.set(block, {placed, count});
        model.set(block, {placed, count});
        placed += count;
      } else {
        const uint64_t end = random.below(10) == 0 ? UINT64_MAX : block + count;
        map.erase(block, end);
        model.erase(block, end);
      }
      expect_same(map, model);
      const std::optional<ExtentMap> again = ExtentMap::decoded(map.encoded());
      ASSERT_TRUE(again == map);
      std::set<uint64_t> released = blocks_of(before.places());
      for (const uint64_t kept : blocks_of(map.places())) released.erase(kept);
      ASSERT_EQ(blocks_of(map.released_since(before)), released);
    }
  }
}

TEST(ExtentMap, BytesOfNoMapAreRefused) {
  Random random(1);
  ExtentMap map;
  map.set(3, {70, 500});
  map.set(900, {10, 7});
  const std::string bytes = map.encoded();
  for (size_t length = 1; length < bytes.size(); ++length) {
    const std::optional<ExtentMap> found = ExtentMap::decoded(bytes.substr(0, length));
    EXPECT_TRUE(!found || found->blocks_count() < map.blocks_count()) << length;
  }
  for (int i = 0; i < 2000; ++i) {
    std::string any(1 + random.below(40), '\0');
    for (char& each : any) each = static_cast<char>(random.below(256));
    const std::optional<ExtentMap> found = ExtentMap::decoded(any);
    EXPECT_TRUE(!found || found->blocks_count() <= uint64_t{1} << 52U);
  }
  EXPECT_FALSE(ExtentMap::decoded(std::string(3, '\0')).has_value());  // a run of no block
}

}  // namespace
}  // namespace patina
