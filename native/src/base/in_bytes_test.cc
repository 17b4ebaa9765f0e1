// Sizes in words.
#include "base/in_bytes.h"

#include <gtest/gtest.h>

namespace patina {
namespace {

TEST(InBytes, HasThreeDigitsAndAnIecUnit) {
  EXPECT_EQ(in_bytes(0), "0 B");
  EXPECT_EQ(in_bytes(999), "999 B");
  EXPECT_EQ(in_bytes(1000), "0.98 KiB");
  EXPECT_EQ(in_bytes(uint64_t{4} << 30U), "4.00 GiB");
  EXPECT_EQ(in_bytes(80'026'361'856), "74.5 GiB");
  EXPECT_EQ(in_bytes(uint64_t{512} << 50U), "512 PiB");
}

TEST(InBytes, ExactOnesHaveEveryDigitToo) {
  EXPECT_EQ(exactly_bytes(512), "512 B");
  EXPECT_EQ(exactly_bytes((uint64_t{1} << 30U) + 1), "1.00 GiB (1073741825 bytes)");
}

}  // namespace
}  // namespace patina
