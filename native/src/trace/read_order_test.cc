// The order of reads: sequential, jumping, and seen by several processors.
#include "trace/read_order.h"

#include <gtest/gtest.h>

namespace patina {
namespace {

TEST(ReadOrder, CountsEachReadThatDoesNotBeginWhereTheLastEnded) {
  ReadOrder order;
  order.add(1, {0, 4096});
  order.add(2, {4096, 12288});
  order.add(3, {20480, 24576});
  order.add(4, {12288, 16384});
  order.settle();
  EXPECT_EQ(order.reads_count(), 4U);
  EXPECT_EQ(order.read_bytes(), 20480U);
  EXPECT_EQ(order.jumps_count(), 3U);
}

TEST(ReadOrder, IsThatOfTheTimesAndGoesOnAcrossCalls) {
  ReadOrder order;
  order.add(2, {4096, 8192});
  order.add(1, {0, 4096});
  order.settle();
  order.add(3, {8192, 12288});
  order.settle();
  order.settle();
  EXPECT_EQ(order.reads_count(), 3U);
  EXPECT_EQ(order.jumps_count(), 1U);
}

}  // namespace
}  // namespace patina
