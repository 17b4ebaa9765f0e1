// The stream of a history, read as git fast-import reads it: whole, consistent, and the same for the same
// seed.
#include "history/history.h"

#include <gtest/gtest.h>

#include <map>
#include <sstream>

#include "testing/device_testing.h"

namespace patina {
namespace {

struct Written {
  Status status = ok_status();
  CollectingSink sink;
  std::string stream;
};

void write(const HistoryOptions& options, Written& written) {
  const std::atomic<bool> stop{false};
  written.status = run_history(options, written.sink, stop);
  if (written.status) written.stream = read_whole_file(options.out);
}

HistoryOptions options_in(const ScratchFolder& folder) {
  HistoryOptions options;
  options.out = folder / "stream";
  options.commits_count = 200;
  options.files_count = 40;
  return options;
}

// The files after the last commit, by path.
struct Imported {
  std::map<std::string, std::string> files;
  uint64_t commits_count = 0;
  uint64_t edits_count = 0;
  uint64_t additions_count = 0;
  uint64_t removals_count = 0;
  bool is_done = false;
};

std::string data_of(std::istream& stream) {
  std::string word;
  size_t size = 0;
  stream >> word >> size;
  EXPECT_EQ(word, "data");
  EXPECT_EQ(stream.get(), '\n');
  std::string data(size, '\0');
  stream.read(data.data(), static_cast<std::streamsize>(size));
  EXPECT_EQ(stream.get(), '\n');
  return data;
}

Imported import(const std::string& text) {
  Imported imported;
  std::istringstream stream(text);
  for (std::string command; stream >> command;) {
    std::string rest;
    if (command == "commit") {
      EXPECT_TRUE(std::getline(stream, rest) && std::getline(stream, rest)) << "the branch and the committer";
      EXPECT_FALSE(data_of(stream).empty());
      ++imported.commits_count;
    } else if (command == "M") {
      std::string mode;
      std::string place;
      std::string path;
      stream >> mode >> place >> path;
      EXPECT_EQ(mode + place, "100644inline");
      std::string data = data_of(stream);
      EXPECT_FALSE(data.empty()) << path;
      const auto [file, is_new] = imported.files.try_emplace(path);
      ++(is_new ? imported.additions_count : imported.edits_count);
      EXPECT_NE(file->second, data) << path << " is named without a change";
      file->second = std::move(data);
    } else if (command == "D") {
      stream >> rest;
      EXPECT_EQ(imported.files.erase(rest), 1U) << rest << " did not exist";
      ++imported.removals_count;
    } else {
      EXPECT_EQ(command, "done");
      imported.is_done = true;
    }
  }
  return imported;
}

TEST(History, IsAConsistentStreamOfCommits) {
  const ScratchFolder folder;
  Written written;
  write(options_in(folder), written);
  ASSERT_TRUE(written.status.ok()) << written.status.error().message;
  const Imported imported = import(written.stream);
  EXPECT_TRUE(imported.is_done);
  EXPECT_EQ(imported.commits_count, 201U);
  EXPECT_GT(imported.edits_count, 200U);
  EXPECT_GT(imported.additions_count, 40U);
  EXPECT_GT(imported.removals_count, 0U);
  EXPECT_EQ(written.sink.last()["files_count"], imported.files.size());
  EXPECT_EQ(written.sink.last()["written_bytes"], written.stream.size());
  expect_shaped_like_golden(written.sink, "history");
}

TEST(History, DependsOnItsSeedAlone) {
  const ScratchFolder folder;
  HistoryOptions options = options_in(folder);
  Written first;
  Written again;
  Written other;
  write(options, first);
  write(options, again);
  options.seed = 2;
  write(options, other);
  EXPECT_EQ(first.stream, again.stream);
  EXPECT_NE(first.stream, other.stream);
}

TEST(History, OfMoreCommitsBeginsWithThatOfFewer) {
  const ScratchFolder folder;
  HistoryOptions options = options_in(folder);
  Written longer;
  Written shorter;
  write(options, longer);
  options.commits_count = 50;
  write(options, shorter);
  const std::string_view end = "done\n";
  ASSERT_TRUE(shorter.stream.ends_with(end));
  EXPECT_TRUE(longer.stream.starts_with(shorter.stream.substr(0, shorter.stream.size() - end.size())));
}

TEST(History, HasAFileAtTheLeast) {
  const ScratchFolder folder;
  HistoryOptions options = options_in(folder);
  options.files_count = 1;
  Written written;
  write(options, written);
  EXPECT_FALSE(import(written.stream).files.empty());
}

TEST(History, StoppedLeavesNoFile) {
  const ScratchFolder folder;
  const HistoryOptions options = options_in(folder);
  CollectingSink sink;
  std::atomic<bool> stop{false};
  sink.on_event = [&](const nlohmann::ordered_json& event) {
    stop = event["type"] == "progress";
    return true;
  };
  const Status status = run_history(options, sink, stop);
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().code, ErrorCode::kCanceled);
  EXPECT_NE(::access(options.out.c_str(), F_OK), 0);
}

TEST(History, NamesTheFileThatItCannotWrite) {
  const ScratchFolder folder;
  HistoryOptions options = options_in(folder);
  options.out = "/nonexistent/stream";
  Written written;
  write(options, written);
  ASSERT_FALSE(written.status.ok());
  EXPECT_EQ(written.status.error().code, ErrorCode::kIoError);
  EXPECT_NE(written.status.error().message.find("/nonexistent/stream"), std::string::npos);
}

}  // namespace
}  // namespace patina
