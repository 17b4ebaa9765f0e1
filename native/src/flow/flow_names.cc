// Operations on the names of files and directories.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cmath>
#include <cstring>

#include "flow/flow_thread.h"
#include "flow/flow_timer.h"

namespace patina {
namespace {

// Files of a set that an operation with open_next keeps open in one thread.
constexpr size_t kMaxRotating = 64;

int open_flags(const FlowSpec& spec, const FileSetSpec& set) {
  int flags = O_CLOEXEC | O_NOFOLLOW;
  flags |= set.read_only ? O_RDONLY : set.write_only ? O_WRONLY : O_RDWR;
  if (spec.data_sync) flags |= O_SYNC;
  if (spec.direct) flags |= O_DIRECT;
  return flags;
}

}  // namespace

FlowThread::Outcome FlowThread::done(const Node& node, const FlowTimer& timer) {
  timer.note(run_, *node.figures);
  FlowTotals::add(totals_.ops_count, 1);
  return Outcome::kDone;
}

// The value is a position from the set's begin in halves of the set, as in Filebench 1.4.
std::optional<size_t> FlowThread::index_of(const Node& node, size_t count) {
  if (!node.spec->index || count == 0) return std::nullopt;
  const double place = std::max(node.spec->index->sample(random_), 0.0) * (static_cast<double>(count) / 2);
  return static_cast<size_t>(std::fmod(place, static_cast<double>(count)));
}

FlowThread::OpenFile* FlowThread::file_of(const Node& node, Outcome& outcome) {
  const FlowSpec& spec = *node.spec;
  if (spec.file_set < 0 || spec.fd > 0) {
    OpenFile& slot = slots_[static_cast<size_t>(spec.fd)];
    if (slot.is_open()) return &slot;
    if (spec.file_set < 0) {
      outcome = refuse(node, fmt::format("no file is open as fd {}", spec.fd));
      return nullptr;
    }
    outcome = open_into(slot, node, nullptr);
    return outcome == Outcome::kDone ? &slot : nullptr;
  }
  const auto at = static_cast<size_t>(spec.file_set);
  if (!spec.open_next) {
    // The first set without a slot has slot 0, which an fsync or a close without an fd means.
    OpenFile& first = slots_[0];
    OpenFile& plain = first.set == nullptr || first.set == &set_of(node) ? first : implicit_[at];
    if (plain.is_open()) return &plain;
    outcome = open_into(plain, node, nullptr);
    return outcome == Outcome::kDone ? &plain : nullptr;
  }
  std::vector<OpenFile>& files = rotating_[at];
  if (set_of(node).files_count() == 0) {
    outcome = no_file(node, set_of(node));
    return nullptr;
  }
  if (files.empty()) files.resize(std::min(set_of(node).files_count(), kMaxRotating));
  OpenFile& next = files[rotating_at_[at]++ % files.size()];
  if (next.is_open()) return &next;
  outcome = open_into(next, node, &rotors_[at]);
  return outcome == Outcome::kDone ? &next : nullptr;
}

FlowThread::Outcome FlowThread::open_into(OpenFile& slot, const Node& node, size_t* rotor) {
  FileSet& set = set_of(node);
  const std::optional<size_t> file = set.acquire(rotor, index_of(node, set.files_count()), run_.stop);
  if (!file) return no_file(node, set);
  const int flags = open_flags(*node.spec, set.spec());
  const FlowTimer timer;
  const int fd = openat(set.root_fd(), set.path_of(*file), flags);
  if (fd < 0) {
    const int code = errno;
    set.release(*file);
    return fail(node, "open a file", code);
  }
  // Opening for an operation on data is not an operation of its own.
  if (node.spec->kind == FlowKind::kOpen) done(node, timer);
  slot = OpenFile{Descriptor(fd), &set, *file};
  if (node.spec->no_read_ahead) posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  return Outcome::kDone;
}

FlowThread::Outcome FlowThread::open(Node& node) {
  OpenFile& slot = slots_[static_cast<size_t>(node.spec->fd)];
  if (slot.is_open()) return refuse(node, fmt::format("fd {} is still open", node.spec->fd));
  return open_into(slot, node,
                   node.spec->open_next ? &rotors_[static_cast<size_t>(node.spec->file_set)] : nullptr);
}

FlowThread::Outcome FlowThread::create(Node& node) {
  OpenFile& slot = slots_[static_cast<size_t>(node.spec->fd)];
  if (slot.is_open()) return refuse(node, fmt::format("fd {} is still open", node.spec->fd));
  FileSet& set = set_of(node);
  const std::optional<size_t> file = set.begin_create(index_of(node, set.files_count()), run_.stop);
  if (!file) return no_file(node, set);
  const int flags = open_flags(*node.spec, set.spec()) | O_CREAT;
  const FlowTimer timer;
  const int fd = openat(set.root_fd(), set.path_of(*file), flags, 0644);
  if (fd < 0) {
    const int code = errno;
    set.end_create(*file, /*was_made=*/false);
    return fail(node, "create a file", code);
  }
  const Outcome created = done(node, timer);
  set.end_create(*file, /*was_made=*/true);
  slot = OpenFile{Descriptor(fd), &set, *file};
  if (node.spec->no_read_ahead) posix_fadvise(fd, 0, 0, POSIX_FADV_RANDOM);
  return created;
}

FlowThread::Outcome FlowThread::close(Node& node) {
  OpenFile& slot = slots_[static_cast<size_t>(node.spec->fd)];
  if (!slot.is_open()) return refuse(node, fmt::format("fd {} is not open", node.spec->fd));
  const FlowTimer timer;
  ::close(slot.fd.release());
  const Outcome closed = done(node, timer);
  if (slot.is_forgotten) {
    slot.set = nullptr;
  } else {
    slot.set->release(slot.file);
  }
  return closed;
}

// Removes the file of its slot, also after it was closed, or the next of its set. A file that is open
// elsewhere stays.
FlowThread::Outcome FlowThread::remove(Node& node) {
  OpenFile& slot = slots_[static_cast<size_t>(node.spec->fd)];
  FileSet* set = nullptr;
  size_t file = 0;
  if (node.spec->fd > 0 && slot.set != nullptr) {
    if (slot.is_forgotten) return Outcome::kDone;
    set = slot.set;
    file = slot.file;
    if (!slot.is_open()) slot.set = nullptr;
    if (!set->begin_remove_open(file, slot.is_open())) return Outcome::kDone;
    slot.is_forgotten = slot.is_open();
  } else {
    if (node.spec->file_set < 0) return refuse(node, "it names no file set, and its fd has no file");
    set = &set_of(node);
    const std::optional<FileSet::Removal> removal =
        set->begin_remove(index_of(node, set->files_count()), run_.stop);
    if (!removal) return no_file(node, *set);
    if (removal->in_use) return Outcome::kDone;
    file = removal->file;
  }
  const FlowTimer timer;
  const int code = unlinkat(set->root_fd(), set->path_of(file), 0) == 0 ? 0 : errno;
  const Outcome removed = done(node, timer);
  set->end_remove(file, code == 0 || code == ENOENT);
  return code == 0 || code == ENOENT ? removed : fail(node, "remove a file", code);
}

FlowThread::Outcome FlowThread::stat(Node& node) {
  struct stat found{};
  const OpenFile& slot = slots_[static_cast<size_t>(node.spec->fd)];
  if (node.spec->fd > 0 && slot.is_open()) {
    const FlowTimer timer;
    if (fstat(slot.fd.get(), &found) != 0) return fail(node, "stat", errno);
    return done(node, timer);
  }
  if (node.spec->file_set < 0) return refuse(node, "it names no file set, and its fd has no file");
  FileSet& set = set_of(node);
  const std::optional<size_t> file = set.acquire(nullptr, index_of(node, set.files_count()), run_.stop);
  if (!file) return no_file(node, set);
  const FlowTimer timer;
  const int code = fstatat(set.root_fd(), set.path_of(*file), &found, AT_SYMLINK_NOFOLLOW) == 0 ? 0 : errno;
  const Outcome seen = done(node, timer);
  set.release(*file);
  return code == 0 ? seen : fail(node, "stat", code);
}

FlowThread::Outcome FlowThread::sync(Node& node) {
  const OpenFile& slot = slots_[static_cast<size_t>(node.spec->fd)];
  if (!slot.is_open()) return refuse(node, fmt::format("fd {} is not open", node.spec->fd));
  const FlowTimer timer;
  if (fsync(slot.fd.get()) != 0) return fail(node, "fsync", errno);
  return done(node, timer);
}

FlowThread::Outcome FlowThread::sync_set(Node& node) {
  for (const OpenFile& slot : slots_) {
    if (!slot.is_open() || slot.set != &set_of(node)) continue;
    const FlowTimer timer;
    if (fsync(slot.fd.get()) != 0) return fail(node, "fsync", errno);
    done(node, timer);
  }
  return Outcome::kDone;
}

FlowThread::Outcome FlowThread::make_directory(Node& node) {
  FileSet& set = set_of(node);
  const std::optional<size_t> leaf = set.begin_leaf(/*existing=*/false, run_.stop);
  if (!leaf) return no_file(node, set);
  const FlowTimer timer;
  const int code = mkdirat(set.root_fd(), set.leaf_directory_path(*leaf), 0755) == 0 ? 0 : errno;
  const Outcome made = done(node, timer);
  set.end_leaf(*leaf, /*exists=*/code == 0);
  return code == 0 ? made : fail(node, "make a directory", code);
}

FlowThread::Outcome FlowThread::remove_directory(Node& node) {
  FileSet& set = set_of(node);
  const std::optional<size_t> leaf = set.begin_leaf(/*existing=*/true, run_.stop);
  if (!leaf) return no_file(node, set);
  const FlowTimer timer;
  const int code = unlinkat(set.root_fd(), set.leaf_directory_path(*leaf), AT_REMOVEDIR) == 0 ? 0 : errno;
  const Outcome removed = done(node, timer);
  set.end_leaf(*leaf, /*exists=*/code != 0);
  return code == 0 ? removed : fail(node, "remove a directory", code);
}

FlowThread::Outcome FlowThread::list_directory(Node& node) {
  FileSet& set = set_of(node);
  const char* path = set.directory_path(set.next_directory());
  uint64_t bytes = 0;
  const FlowTimer timer;
  const int fd = openat(set.root_fd(), *path == '\0' ? "." : path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return fail(node, "open a directory", errno);
  DIR* listing = fdopendir(fd);
  if (listing == nullptr) {
    const int code = errno;
    ::close(fd);
    return fail(node, "list a directory", code);
  }
  while (const dirent* entry = readdir(listing)) bytes += std::strlen(entry->d_name);
  closedir(listing);
  timer.note(run_, *node.figures, bytes);
  FlowTotals::add(totals_.ops_count, 1);
  return Outcome::kDone;
}

}  // namespace patina
