// The inputs that the layout digests depend on.
#include "layout/layout_digest.h"

#include <gtest/gtest.h>

#include "testing/layout_testing.h"

namespace patina {
namespace {

TEST(LayoutDigest, TellsPlacesAndNamesAndNothingElse) {
  const SpaceMap space = space_of(1000, {{300, 400}});
  const LayoutDigests first = digest_layout(walk_of({{"a", {{0, 100, 8}}}}), space);
  const LayoutDigests written_in_part =
      digest_layout(walk_of({{"a", {{0, 100, 3}, {3, 103, 5, true}}}}), space);
  EXPECT_EQ(first.layout_digest, written_in_part.layout_digest);
  const LayoutDigests moved = digest_layout(walk_of({{"a", {{0, 101, 8}}}}), space);
  EXPECT_NE(first.extents_digest, moved.extents_digest);
  const LayoutDigests renamed = digest_layout(walk_of({{"b", {{0, 100, 8}}}}), space);
  EXPECT_NE(first.extents_digest, renamed.extents_digest);
  const LayoutDigests other_space =
      digest_layout(walk_of({{"a", {{0, 100, 8}}}}), space_of(1000, {{300, 401}}));
  EXPECT_EQ(first.extents_digest, other_space.extents_digest);
  EXPECT_NE(first.layout_digest, other_space.layout_digest);
}

TEST(LayoutDigest, IsTheSha256OfTheBytesThatAreDocumented) {
  // From another program, over the bytes that docs/design.md describes.
  const LayoutDigests digests =
      digest_layout(walk_of({{"a", {{0, 100, 8}}}, {"b", {}}}), space_of(1000, {{300, 400}}));
  EXPECT_EQ(digests.extents_digest, "be40d765f6fdc4bd56b03f4259fecf3c9245cb1030d2958c3b586f50381a8f1e");
  EXPECT_EQ(digests.layout_digest, "4ad2d3dc2286dd498fc074ec225081db7daa7608b2344a2cb2859e90d719c1f3");
}

}  // namespace
}  // namespace patina
