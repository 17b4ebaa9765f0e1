// Asynchronous writes to real files.
#include "flow/async_writes.h"

#include "base/descriptor.h"
#include "testing/device_testing.h"

namespace patina {
namespace {

constexpr uint64_t kPiece = 4096;

TEST(AsyncWrites, DataArriveAlsoWhenMoreAreStartedThanMayBeOutstanding) {
  const ScratchFolder folder;
  const std::string data = random_bytes(kPiece * 1000, 1);
  const Descriptor file(::open((folder / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  AsyncWrites writes;
  for (uint64_t i = 0; i < 1000; ++i) {
    const uint64_t at = i * 7 % 1000 * kPiece;  // each piece once, in another order
    ASSERT_EQ(writes.start(file.get(), data.data() + at, kPiece, static_cast<int64_t>(at)), 0);
    EXPECT_LE(writes.outstanding_count(), 256U);
  }
  EXPECT_EQ(writes.wait(writes.outstanding_count()), 0);
  EXPECT_EQ(writes.outstanding_count(), 0U);
  EXPECT_TRUE(read_whole_file(folder / "file") == data);
}

TEST(AsyncWrites, AWaitEndsAtLeastSoMany) {
  const ScratchFolder folder;
  const std::string data = random_bytes(kPiece, 1);
  const Descriptor file(::open((folder / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  AsyncWrites writes;
  EXPECT_EQ(writes.wait(5), 0);
  for (int i = 0; i < 20; ++i) ASSERT_EQ(writes.start(file.get(), data.data(), kPiece, 0), 0);
  EXPECT_EQ(writes.wait(8), 0);
  EXPECT_LE(writes.outstanding_count(), 12U);
}

TEST(AsyncWrites, TheEndWaitsForWhatIsOutstanding) {
  const ScratchFolder folder;
  const std::string data = random_bytes(kPiece, 1);
  {
    const Descriptor file(::open((folder / "file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
    AsyncWrites writes;
    ASSERT_EQ(writes.start(file.get(), data.data(), kPiece, 0), 0);
  }
  EXPECT_TRUE(read_whole_file(folder / "file") == data);
}

TEST(AsyncWrites, AWriteThatCannotStartIsAnError) {
  const std::string data(kPiece, 'x');
  AsyncWrites writes;
  EXPECT_EQ(writes.start(-1, data.data(), kPiece, 0), EBADF);
  EXPECT_EQ(writes.outstanding_count(), 0U);
}

// A tmpfs of one page takes half of a write of two, and then nothing.
TEST(AsyncWrites, AWriteThatIsCutOrFailsIsAnErrorOfTheWait) {
  PATINA_REQUIRE_ROOT();
  const ScratchFolder folder;
  keep_mounts_private();
  const Mount mount("tmpfs", folder / "mount", "tmpfs", "size=4k");
  const std::string data(2 * kPiece, 'x');
  const Descriptor file(::open((mount.folder() + "/file").c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600));
  AsyncWrites writes;
  ASSERT_EQ(writes.start(file.get(), data.data(), 2 * kPiece, 0), 0);
  EXPECT_EQ(writes.wait(1), ENOSPC);
  ASSERT_EQ(writes.start(file.get(), data.data(), kPiece, kPiece), 0);
  EXPECT_EQ(writes.wait(1), ENOSPC);
  EXPECT_EQ(writes.wait(1), 0);
}

}  // namespace
}  // namespace patina
