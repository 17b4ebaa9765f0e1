// Sockets that are there, are stale, or are something else.
#include "base/unix_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <filesystem>

#include "testing/device_testing.h"

namespace patina {
namespace {

ErrorCode refusal_of(const std::string& path) {
  const auto listener = UnixListener::listen(path);
  return listener.ok() ? ErrorCode::kInternal : listener.error().code;
}

TEST(UnixSocket, IsItsOwnersAndIsRemovedAtTheEnd) {
  const ScratchFolder folder;
  const std::string path = folder / "socket";
  {
    const auto listener = UnixListener::listen(path);
    ASSERT_TRUE(listener.ok()) << listener.error().message;
    struct stat found = {};
    ASSERT_EQ(::lstat(path.c_str(), &found), 0);
    EXPECT_TRUE(S_ISSOCK(found.st_mode));
    EXPECT_EQ(found.st_mode & 0777U, 0600U);
    EXPECT_FALSE((*listener)->accept(0).valid());
    const Descriptor client = connect_unix(path);
    ASSERT_TRUE(client.valid());
    const Descriptor served = (*listener)->accept(-1);
    ASSERT_TRUE(send_whole(served.get(), "abc"));
    std::array<char, 3> bytes{};
    EXPECT_EQ(::recv(client.get(), bytes.data(), bytes.size(), MSG_WAITALL), 3);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(connect_unix(path).valid());
}

TEST(UnixSocket, AStaleSocketIsReplacedAndALiveOneRefused) {
  const ScratchFolder folder;
  const std::string path = folder / "socket";
  {
    const auto first = UnixListener::listen(path);
    ASSERT_TRUE(first.ok());
    std::filesystem::rename(path, folder / "left");  // as after a kill: a file at which no process listens
  }
  std::filesystem::rename(folder / "left", path);
  const auto listener = UnixListener::listen(path);
  ASSERT_TRUE(listener.ok()) << listener.error().message;
  EXPECT_EQ(refusal_of(path), ErrorCode::kBackingInvalid);
  EXPECT_TRUE(connect_unix(path).valid());
}

TEST(UnixSocket, AnotherFileIsKept) {
  const ScratchFolder folder;
  std::ofstream(folder / "file") << "mine";
  EXPECT_EQ(refusal_of(folder / "file"), ErrorCode::kBackingInvalid);
  EXPECT_EQ(read_whole_file(folder / "file"), "mine");
  EXPECT_EQ(refusal_of(folder / "none/socket"), ErrorCode::kBackingInvalid);
  EXPECT_EQ(refusal_of(folder / std::string(120, 'n')), ErrorCode::kBackingInvalid);
}

TEST(UnixSocket, ASocketThatTookItsPlaceStays) {
  const ScratchFolder folder;
  const std::string path = folder / "socket";
  auto first = UnixListener::listen(path);
  ASSERT_TRUE(first.ok());
  std::filesystem::remove(path);
  const auto second = UnixListener::listen(path);
  ASSERT_TRUE(second.ok());
  first->reset();
  EXPECT_TRUE(connect_unix(path).valid());
}

TEST(UnixSocket, ThePathOfItsFolderMayBeLong) {
  const ScratchFolder folder;
  const std::string deep = folder / std::string(200, 'd');
  ASSERT_EQ(::mkdir(deep.c_str(), 0700), 0);
  const auto listener = UnixListener::listen(deep + "/socket");
  ASSERT_TRUE(listener.ok()) << listener.error().message;
  EXPECT_TRUE(connect_unix(deep + "/socket").valid());
}

}  // namespace
}  // namespace patina
