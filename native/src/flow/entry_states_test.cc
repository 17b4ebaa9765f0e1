// The states of entries, compared with a list.
#include "flow/entry_states.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "testing/property_testing.h"

namespace patina {
namespace {

class Model {
 public:
  explicit Model(size_t count) : exists(count), busy(count) {}

  std::optional<size_t> find(bool existing, size_t from) const {
    const size_t count = exists.size();
    for (size_t i = 0; i < count; ++i) {
      const size_t entry = ((from < count ? from : 0) + i) % count;
      if (exists[entry] == existing && !busy[entry]) return entry;
    }
    return std::nullopt;
  }
  size_t busy_count() const { return static_cast<size_t>(std::count(busy.begin(), busy.end(), true)); }

  std::vector<bool> exists;
  std::vector<bool> busy;
};

TEST(EntryStates, AreThoseOfAList) {
  for (uint32_t seed = 0; seed < property_cases(60); ++seed) {
    Random random(seed);
    const size_t count = seed < 3 ? seed : 1 + random.below(300);
    EntryStates states(count);
    Model model(count);
    EXPECT_EQ(states.count(), count);
    // Some cases are nearly full or nearly empty, so that a search passes many words.
    const uint32_t tenths = random.below(11);
    for (int step = 0; step < 400; ++step) {
      const bool existing = random.coin();
      const size_t from = random.below(static_cast<uint32_t>(count) + 3);
      ASSERT_EQ(states.find(existing, from), model.find(existing, from))
          << "seed " << seed << ", step " << step;
      ASSERT_EQ(states.busy_count(), model.busy_count());
      if (count == 0) continue;
      const size_t entry = random.below(static_cast<uint32_t>(count));
      const bool value = random.below(10) < tenths;
      if (random.coin()) {
        states.set_exists(entry, value);
        model.exists[entry] = value;
      } else {
        states.set_busy(entry, value);
        model.busy[entry] = value;
      }
      ASSERT_EQ(states.exists(entry), model.exists[entry]);
      ASSERT_EQ(states.is_busy(entry), model.busy[entry]);
    }
  }
}

}  // namespace
}  // namespace patina
