// The stream is in the format of git-fast-import(1); `done` ends it, so that a truncated one is refused.
#include "history/history.h"

#include <fmt/format.h>

#include <iterator>
#include <nlohmann/json.hpp>

#include "base/durable_file.h"
#include "base/stopwatch.h"
#include "history/source_tree.h"

namespace patina {
namespace {

constexpr uint64_t kFirstCommitSeconds = 1'700'000'000;  // of the epoch; a commit an hour
constexpr uint64_t kCommitsPerProgress = 100;
constexpr size_t kPieceBytes = 1 << 20;

// Collects the stream, and passes it on in pieces.
class Stream {
 public:
  explicit Stream(DurableFile& file) : file_(file) {}

  void begin_commit(uint64_t number) {
    const std::string message = number == 0 ? "Begin" : fmt::format("Change {}", number);
    put(fmt::format("commit refs/heads/main\ncommitter Patina <patina@localhost> {} +0000\ndata {}\n{}\n",
                    kFirstCommitSeconds + number * 3600, message.size(), message));
  }
  void put_file(const SourceFile& file) {
    text_.clear();
    append_text(file, text_);
    put(fmt::format("M 100644 inline {}\ndata {}\n", file.path, text_.size()));
    put(text_);
    put("\n");
  }
  void remove_file(const std::string& path) { put(fmt::format("D {}\n", path)); }
  void put(std::string_view bytes) { buffer_ += bytes; }

  // Writes what has been collected. Error: kIoError.
  Status pass_on(bool last) {
    if (!last && buffer_.size() < kPieceBytes) return ok_status();
    written_bytes_ += buffer_.size();
    Status appended = file_.append(buffer_);
    buffer_.clear();
    return appended;
  }
  uint64_t written_bytes() const { return written_bytes_; }

 private:
  DurableFile& file_;
  std::string buffer_;
  std::string text_;
  uint64_t written_bytes_ = 0;
};

Error canceled() {
  return Error{ErrorCode::kCanceled, "stopped before the history was complete"};
}

Status write_first(const SourceTree& tree, Stream& stream, const std::atomic<bool>& stop) {
  stream.begin_commit(0);
  for (const std::unique_ptr<SourceFile>& file : tree.files()) {
    if (stop.load()) return canceled();
    stream.put_file(*file);
    if (Status passed = stream.pass_on(/*last=*/false); !passed) return passed;
  }
  return ok_status();
}

Status write_change(uint64_t number, SourceTree& tree, Stream& stream) {
  stream.begin_commit(number);
  for (const auto& [path, file] : tree.change()) {
    if (file == nullptr) {
      stream.remove_file(path);
    } else {
      stream.put_file(*file);
    }
  }
  return stream.pass_on(/*last=*/false);
}

}  // namespace

Status run_history(const HistoryOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  const Stopwatch watch;
  if (!sink.emit(hello_event("history"))) return canceled();
  Result<std::unique_ptr<DurableFile>> file = DurableFile::create(options.out, "the history");
  if (!file) return file.error();
  Stream stream(**file);
  SourceTree tree(options.seed, options.files_count);
  if (Status written = write_first(tree, stream, stop); !written) return written;
  for (uint64_t number = 1; number <= options.commits_count; ++number) {
    if (stop.load()) return canceled();
    if (Status written = write_change(number, tree, stream); !written) return written;
    if (number % kCommitsPerProgress != 0) continue;
    if (!sink.emit({{"type", "progress"}, {"command", "history"}, {"commits_count", number}}))
      return canceled();
  }
  stream.put("done\n");
  if (Status passed = stream.pass_on(/*last=*/true); !passed) return passed;
  if (Status published = (*file)->publish(); !published) return published;
  const bool is_read = sink.emit({{"type", "summary"},
                                  {"command", "history"},
                                  {"commits_count", options.commits_count},
                                  {"files_count", tree.files().size()},
                                  {"written_bytes", stream.written_bytes()},
                                  {"elapsed_s", watch.elapsed_s()}});
  return is_read ? ok_status() : Status(canceled());
}

}  // namespace patina
