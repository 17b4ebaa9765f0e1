// Threads take directories from one queue, and add the directories in them to it.
#include "layout/extent_walk.h"

#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/openat2.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <optional>

#include "base/descriptor.h"
#include "base/workers.h"

namespace patina {
namespace {

constexpr size_t kListingBytes = size_t{64} << 10;

struct Entry {
  std::string name;
  uint64_t inode = 0;
};

// A directory's names by type.
struct Listing {
  std::vector<Entry> files;
  std::vector<std::string> directories;
};

enum class Missed { kVanished, kUnreadable, kOtherMount };

// Returns why a name just listed does not open; nothing when that is an error.
std::optional<Missed> missed_by(int error_number) {
  switch (error_number) {
    case ENOENT:
    case ENOTDIR:
    case ELOOP:
    case ESTALE:
    case ENXIO:
      return Missed::kVanished;  // removed or replaced
    case EACCES:
    case EPERM:
    case ENAMETOOLONG:
      return Missed::kUnreadable;
    case EXDEV:
      return Missed::kOtherMount;
    default:
      return std::nullopt;
  }
}

Error walk_error(const std::string& path, int error_number) {
  const bool too_many = error_number == EMFILE || error_number == ENFILE;
  return {ErrorCode::kIoError,
          fmt::format("cannot read '{}' in the mounted file system: {}{}", path.empty() ? "." : path,
                      std::strerror(error_number), too_many ? "; raise the limit (ulimit -n)" : "")};
}

// Never opens through a symbolic link or into another mount. Access times stay unchanged where the kernel
// permits O_NOATIME, which requires ownership.
Descriptor open_below(int directory_fd, const std::string& path, uint64_t flags) {
  open_how how = {};
  how.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_XDEV;
  for (const uint64_t atime : {uint64_t{O_NOATIME}, uint64_t{0}}) {
    how.flags = O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | flags | atime;
    const long fd = ::syscall(SYS_openat2, directory_fd, path.empty() ? "." : path.c_str(), &how, sizeof how);
    if (fd >= 0 || errno != EPERM) return Descriptor(static_cast<int>(fd));
  }
  return Descriptor();
}

class Walk {
 public:
  Walk(int root_fd, const WalkSettings& settings, const std::atomic<bool>& stop)
      : root_fd_(root_fd), settings_(settings), stop_(stop), pending_({std::string()}) {}

  Result<ExtentWalk> run();

 private:
  // A thread's buffers, reused for each directory.
  struct Tools {
    FileExtentReader reader;
    std::vector<char> listing;
  };

  Status work(std::atomic<bool>& halt);
  // Returns the next directory; nothing once there is none left or the walk ends.
  std::optional<std::string> take(const std::atomic<bool>& halt);
  void give_back(std::vector<std::string> subdirectories, WalkedDirectory walked);
  void leave();
  Status visit(const std::string& path, Tools& tools);
  Status read_files(int directory_fd, std::vector<Entry> entries, WalkedDirectory& walked, Tools& tools);
  Status read_file(int fd, Entry entry, WalkedDirectory& walked, Tools& tools);
  Status list(int directory_fd, const std::string& path, Listing& listing, Tools& tools);
  void sort_in(int directory_fd, const dirent64& entry, Listing& listing);
  Status count_missed(const std::string& path, int error_number);

  const int root_fd_;
  const WalkSettings& settings_;
  const std::atomic<bool>& stop_;
  std::atomic<uint64_t> vanished_count_{0};
  std::atomic<uint64_t> unreadable_count_{0};
  std::atomic<uint64_t> entries_count_{0};

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::string> pending_;  // paths; guarded by mutex_, as are the members below
  size_t visiting_ = 0;
  std::vector<WalkedDirectory> done_;
};

Result<ExtentWalk> Walk::run() {
  const Status walked = run_workers(worker_count(settings_.threads_count),
                                    [this](std::atomic<bool>& halt) { return work(halt); });
  if (!walked) return walked.error();
  std::sort(done_.begin(), done_.end(),
            [](const WalkedDirectory& one, const WalkedDirectory& other) { return one.path < other.path; });
  return ExtentWalk{std::move(done_), vanished_count_, unreadable_count_};
}

Status Walk::work(std::atomic<bool>& halt) {
  Tools tools{FileExtentReader(settings_.max_extents_per_file, settings_.syncs_files),
              std::vector<char>(kListingBytes)};
  while (const std::optional<std::string> path = take(halt)) {
    if (stop_.load()) {
      halt.store(true);
      leave();
      return Error{ErrorCode::kCanceled, "stopped before the layout was measured"};
    }
    Status visited = visit(*path, tools);
    // Before the others check for directories left.
    if (!visited) halt.store(true);
    leave();
    if (!visited) return visited;
  }
  return ok_status();
}

std::optional<std::string> Walk::take(const std::atomic<bool>& halt) {
  std::unique_lock<std::mutex> lock(mutex_);
  changed_.wait(lock, [&] { return !pending_.empty() || visiting_ == 0 || halt.load(); });
  if (pending_.empty() || halt.load()) return std::nullopt;
  std::string path = std::move(pending_.back());
  pending_.pop_back();
  ++visiting_;
  return path;
}

void Walk::give_back(std::vector<std::string> subdirectories, WalkedDirectory walked) {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    for (std::string& path : subdirectories) pending_.push_back(std::move(path));
    done_.push_back(std::move(walked));
  }
  changed_.notify_all();
}

void Walk::leave() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    --visiting_;
  }
  changed_.notify_all();
}

Status Walk::visit(const std::string& path, Tools& tools) {
  const Descriptor directory = open_below(root_fd_, path, O_DIRECTORY);
  if (!directory.valid()) return count_missed(path, errno);
  Listing listing;
  if (Status listed = list(directory.get(), path, listing, tools); !listed) return listed;
  WalkedDirectory walked;
  walked.path = path;
  Status read = read_files(directory.get(), std::move(listing.files), walked, tools);
  if (!read) return read;
  for (std::string& name : listing.directories) {
    if (!path.empty()) name.insert(0, path + "/");
  }
  if (settings_.takes_directory) {
    std::erase_if(listing.directories,
                  [this](const std::string& name) { return !settings_.takes_directory(name); });
  }
  give_back(std::move(listing.directories), std::move(walked));
  return ok_status();
}

Status Walk::list(int directory_fd, const std::string& path, Listing& listing, Tools& tools) {
  const auto too_many = [this] {
    return Error{ErrorCode::kIoError, fmt::format("the mounted file system lists more than {} names",
                                                  settings_.max_entries_count)};
  };
  for (;;) {
    const ssize_t bytes = ::getdents64(directory_fd, tools.listing.data(), tools.listing.size());
    if (bytes == 0) return ok_status();
    if (bytes < 0) return count_missed(path, errno);
    for (ssize_t at = 0; at < bytes;) {
      const auto* entry = reinterpret_cast<const dirent64*>(&tools.listing[static_cast<size_t>(at)]);
      at += entry->d_reclen;
      // Bounds an endless directory as well.
      if (++entries_count_ > settings_.max_entries_count) return too_many();
      sort_in(directory_fd, *entry, listing);
    }
  }
}

void Walk::sort_in(int directory_fd, const dirent64& entry, Listing& listing) {
  const std::string_view name = entry.d_name;
  if (name == "." || name == "..") return;
  unsigned char type = entry.d_type;
  struct stat found = {};
  if (type == DT_UNKNOWN && ::fstatat(directory_fd, entry.d_name, &found, AT_SYMLINK_NOFOLLOW) == 0) {
    type = static_cast<unsigned char>(IFTODT(found.st_mode));
  }
  if (type == DT_DIR) listing.directories.emplace_back(name);
  if (type == DT_REG) listing.files.push_back({std::string(name), entry.d_ino});
}

Status Walk::read_files(int directory_fd, std::vector<Entry> entries, WalkedDirectory& walked, Tools& tools) {
  // On a device that seeks, inodes are read fastest in their own order.
  std::sort(entries.begin(), entries.end(),
            [](const Entry& one, const Entry& other) { return one.inode < other.inode; });
  walked.files.reserve(entries.size());
  for (Entry& entry : entries) {
    const std::string path = walked.path.empty() ? entry.name : walked.path + "/" + entry.name;
    if (settings_.takes_file && !settings_.takes_file(path)) continue;
    const Descriptor file = open_below(directory_fd, entry.name, 0);
    const int code = errno;
    Status read =
        file.valid() ? read_file(file.get(), std::move(entry), walked, tools) : count_missed(path, code);
    if (!read && file.valid()) {
      return Error{read.error().code, fmt::format("'{}': {}", path, read.error().message)};
    }
    if (!read) return read;
  }
  std::sort(walked.files.begin(), walked.files.end(),
            [](const WalkedFile& one, const WalkedFile& other) { return one.name < other.name; });
  return ok_status();
}

Status Walk::read_file(int fd, Entry entry, WalkedDirectory& walked, Tools& tools) {
  struct stat found = {};
  if (::fstat(fd, &found) != 0) return walk_error(entry.name, errno);
  // Another file may have taken the name.
  if (!S_ISREG(found.st_mode)) {
    ++vanished_count_;
    return ok_status();
  }
  WalkedFile file;
  file.name = std::move(entry.name);
  file.device = found.st_dev;
  file.inode = found.st_ino;
  file.links_count = found.st_nlink;
  file.first_extent = walked.extents.size();
  // Without blocks there are no extents: half of the files of some trees are empty.
  if (found.st_blocks > 0 || settings_.syncs_files || settings_.reads_extents) {
    Status read = settings_.reads_extents ? settings_.reads_extents(fd, walked.extents)
                                          : tools.reader.read(fd, walked.extents);
    if (!read) return read;
  }
  file.extents_count = walked.extents.size() - file.first_extent;
  walked.files.push_back(std::move(file));
  return ok_status();
}

Status Walk::count_missed(const std::string& path, int error_number) {
  const std::optional<Missed> missed = missed_by(error_number);
  if (!missed) return walk_error(path, error_number);
  if (*missed == Missed::kVanished) ++vanished_count_;
  if (*missed == Missed::kUnreadable) ++unreadable_count_;
  return ok_status();
}

}  // namespace

Result<ExtentWalk> walk_extents(int root_fd, const WalkSettings& settings, const std::atomic<bool>& stop) {
  return Walk(root_fd, settings, stop).run();
}

}  // namespace patina
