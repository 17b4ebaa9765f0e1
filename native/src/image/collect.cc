// Collects garbage: removes the chunks that no image of a list names, once they are old enough.
#include <dirent.h>
#include <fcntl.h>
#include <fmt/core.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

#include "base/stopwatch.h"
#include "image/image.h"
#include "store/chunk_store.h"
#include "store/index.h"
#include "store/seen_chunks.h"
#include "store/store_lock.h"

namespace patina {
namespace {

constexpr const char* kSuffix = ".cacnk";
constexpr size_t kNameBytes = 64 + 6;

std::optional<uint8_t> digit_of(char c) {
  if (c >= '0' && c <= '9') return static_cast<uint8_t>(c - '0');
  if (c >= 'a' && c <= 'f') return static_cast<uint8_t>(c - 'a' + 10);
  return std::nullopt;
}

// Returns the chunk of this file name; Patina uses no other names.
std::optional<ChunkId> chunk_of_name(std::string_view name) {
  if (name.size() != kNameBytes || !name.ends_with(kSuffix)) return std::nullopt;
  ChunkId id;
  for (size_t i = 0; i < id.bytes.size(); ++i) {
    const std::optional<uint8_t> high = digit_of(name[2 * i]);
    const std::optional<uint8_t> low = digit_of(name[2 * i + 1]);
    if (!high || !low) return std::nullopt;
    id.bytes[i] = static_cast<uint8_t>(*high << 4U | *low);
  }
  return id;
}

// Returns the folders of chunks, named by the first four digits of their digests.
Result<std::vector<std::string>> folders_of(const ChunkStore& store) {
  std::vector<std::string> folders;
  const int fd = ::openat(store.folder_fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR* root = fd < 0 ? nullptr : ::fdopendir(fd);
  if (root == nullptr) return store.io_error("reading its folder", errno);
  while (const dirent* entry = ::readdir(root)) {
    const std::string_view name = entry->d_name;
    constexpr size_t kNameDigits = 4;
    if (name.size() == kNameDigits &&
        std::all_of(name.begin(), name.end(), [](char c) { return digit_of(c).has_value(); }))
      folders.emplace_back(name);
  }
  ::closedir(root);
  return folders;
}

struct ChunkCount {
  uint64_t chunks_count = 0;
  uint64_t bytes = 0;

  void add(uint64_t size_bytes) {
    ++chunks_count;
    bytes += size_bytes;
  }
};

class Collection {
 public:
  Collection(const ChunkStore& store, const CollectOptions& options)
      : store_(store),
        dry_run_(options.dry_run),
        youngest_removed_(::time(nullptr) - static_cast<time_t>(options.grace_seconds)) {}

  // Keeps every chunk that the listed indexes name. kIndexInvalid.
  Status keep(const std::string& keep_file);
  // Collects one folder: the chunks whose digests begin alike.
  Status collect_folder(const std::string& name);

  uint64_t images_count() const { return images_count_; }
  const ChunkCount& kept() const { return kept_; }
  const ChunkCount& young() const { return young_; }
  const ChunkCount& removed() const { return removed_; }

 private:
  Status keep_index(const std::string& path);
  Status collect_file(int folder_fd, const char* name);

  const ChunkStore& store_;
  const bool dry_run_;
  const time_t youngest_removed_;
  // By 64 bits of their digests: a chunk that shares them with a named one is kept as well.
  SeenChunks named_;
  uint64_t images_count_ = 0;
  ChunkCount kept_;
  ChunkCount young_;
  ChunkCount removed_;
};

Status Collection::keep(const std::string& keep_file) {
  std::ifstream list(keep_file);
  std::string path;
  while (std::getline(list, path)) {
    if (path.empty()) continue;
    if (Status status = keep_index(path); !status) return status;
  }
  if (list.eof()) return ok_status();
  // A list that cannot be read must not pass for an empty one.
  return Error{ErrorCode::kIndexInvalid,
               fmt::format("the list {} cannot be read to its end; nothing was removed", keep_file)};
}

Status Collection::keep_index(const std::string& path) {
  const Result<std::unique_ptr<IndexReader>> index = IndexReader::open(path);
  if (!index) {
    return Error{index.error().code, index.error().message + "; nothing was removed"};
  }
  while (!(*index)->at_end()) {
    const Result<IndexEntry> entry = (*index)->next();
    if (!entry) return entry.error();
    named_.insert(entry->id);
  }
  ++images_count_;
  return ok_status();
}

Status Collection::collect_folder(const std::string& name) {
  const int fd = ::openat(store_.folder_fd(), name.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
  if (fd < 0 && errno == ENOENT) return ok_status();
  DIR* folder = fd < 0 ? nullptr : ::fdopendir(fd);
  if (folder == nullptr) return store_.io_error("reading folder " + name, errno);
  Status status = ok_status();
  while (const dirent* entry = status.ok() ? ::readdir(folder) : nullptr) {
    if (entry->d_name[0] != '.') status = collect_file(::dirfd(folder), entry->d_name);
  }
  ::closedir(folder);
  // Removes the folder only if it is empty.
  if (status && !dry_run_) ::unlinkat(store_.folder_fd(), name.c_str(), AT_REMOVEDIR);
  return status;
}

Status Collection::collect_file(int folder_fd, const char* name) {
  const std::optional<ChunkId> id = chunk_of_name(name);
  struct stat file = {};
  if (!id || ::fstatat(folder_fd, name, &file, AT_SYMLINK_NOFOLLOW) != 0) return ok_status();
  const auto size_bytes = static_cast<uint64_t>(file.st_size);
  if (named_.contains(*id)) {
    kept_.add(size_bytes);
  } else if (std::max(file.st_mtim.tv_sec, file.st_atim.tv_sec) > youngest_removed_) {
    young_.add(size_bytes);
  } else {
    if (!dry_run_ && ::unlinkat(folder_fd, name, 0) != 0 && errno != ENOENT) {
      return store_.io_error(std::string("removing chunk ") + name, errno);
    }
    removed_.add(size_bytes);
  }
  return ok_status();
}

nlohmann::ordered_json summary_of(const CollectOptions& options, const Collection& collection,
                                  double elapsed_s) {
  return {{"type", "summary"},
          {"command", "gc"},
          {"dry_run", options.dry_run},
          {"images_count", collection.images_count()},
          {"kept_chunks_count", collection.kept().chunks_count},
          {"kept_bytes", collection.kept().bytes},
          {"young_chunks_count", collection.young().chunks_count},
          {"young_bytes", collection.young().bytes},
          {"removed_chunks_count", collection.removed().chunks_count},
          {"removed_bytes", collection.removed().bytes},
          {"elapsed_s", elapsed_s}};
}

}  // namespace

Status run_collect(const CollectOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const Error stdout_closed{ErrorCode::kCanceled, "stdout is closed"};
  if (!sink.emit(hello_event("gc"))) return stdout_closed;
  const Stopwatch watch;
  Result<std::unique_ptr<ChunkStore>> store = ChunkStore::open(options.store);
  if (!store) return store.error();
  const Result<Descriptor> lock = lock_store(**store, StoreUse::kRemoveChunks);
  if (!lock) return lock.error();
  Collection collection(**store, options);
  if (Status status = collection.keep(options.keep_file); !status) return status;
  const Result<std::vector<std::string>> folders = folders_of(**store);
  if (!folders) return folders.error();
  for (const std::string& folder : *folders) {
    if (stop.load()) {
      return Error{ErrorCode::kCanceled, fmt::format("stopped after {} chunks were removed; run it again",
                                                     collection.removed().chunks_count)};
    }
    if (Status status = collection.collect_folder(folder); !status) return status;
  }
  return sink.emit(summary_of(options, collection, watch.elapsed_s())) ? ok_status() : Status(stdout_closed);
}

}  // namespace patina
