// Draws by coins and small integers only, so that a seed means the same on every machine.
#include "history/source_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <unordered_set>

namespace patina {
namespace {

constexpr uint64_t kSmallestLines = 48;
constexpr uint64_t kMostDoublings = 8;  // of the lines of a file
constexpr uint32_t kFilesPerDirectory = 12;
constexpr uint64_t kMostChangedDoublings = 6;
constexpr uint32_t kChangesPerAddition = 16;
constexpr uint32_t kChangesPerRemoval = 32;
constexpr uint32_t kMostPlaces = 4;
constexpr uint32_t kMostReplacedLines = 8;
constexpr uint32_t kMostNewLines = 12;
constexpr size_t kLeastFiles = 16;  // none is removed below

constexpr std::array<const char*, 32> kWords = {
    "return", "struct", "const", "static", "unsigned", "int",   "long",  "void",  "if",   "else", "while",
    "for",    "switch", "case",  "break",  "index",    "count", "size",  "block", "page", "node", "inode",
    "buffer", "offset", "flags", "error",  "lock",     "list",  "entry", "next",  "head", "data"};
constexpr std::array<const char*, 8> kBetween = {" ", "->", " = ", "(", ") ", ", ", "; ", " + "};

void append_line(uint64_t number, std::string& text) {
  Random random(number);
  text.append(random.below(4), '\t');
  const uint32_t words = 3 + random.below(6);
  for (uint32_t i = 0; i < words; ++i) {
    text += kWords[random.below(kWords.size())];
    if (random.below(4) == 0) fmt::format_to(std::back_inserter(text), "_{}", random.below(1000));
    text += kBetween[random.below(kBetween.size())];
  }
  text += '\n';
}

}  // namespace

void append_text(const SourceFile& file, std::string& text) {
  for (const uint64_t line : file.lines) append_line(line, text);
}

SourceTree::SourceTree(uint64_t seed, uint64_t files_count) : random_(seed) {
  lines_count_ = seed << 40U;  // trees of other seeds have other lines
  files_.reserve(files_count);
  while (files_.size() < files_count) add_file();
}

const std::vector<SourceTree::Change>& SourceTree::change() {
  changes_.clear();
  std::unordered_set<const SourceFile*> changed;  // a commit names a file once
  const uint64_t count = uint64_t{1} << doublings(kMostChangedDoublings);
  for (uint64_t i = 0; i < count; ++i) {
    const uint32_t draw = random_.below(kChangesPerAddition * kChangesPerRemoval);
    if (draw % kChangesPerAddition == 0) {
      const SourceFile& added = add_file();
      changed.insert(&added);
      changes_.push_back({added.path, &added});
      continue;
    }
    const uint32_t at = random_.below(static_cast<uint32_t>(files_.size()));
    if (!changed.insert(files_[at].get()).second) continue;
    if (draw % kChangesPerRemoval == 1 && files_.size() > kLeastFiles) {
      changes_.push_back({files_[at]->path, nullptr});
      std::swap(files_[at], files_.back());
      removed_.push_back(std::move(files_.back()));
      files_.pop_back();
      continue;
    }
    edit(*files_[at]);
    changes_.push_back({files_[at]->path, files_[at].get()});
  }
  removed_.clear();
  return changes_;
}

const SourceFile& SourceTree::add_file() {
  auto file = std::make_unique<SourceFile>();
  file->path = fmt::format("{}f{}.c", drawn_directory(), named_count_++);
  const uint64_t base = kSmallestLines << doublings(kMostDoublings);
  const uint64_t count = base + random_.below(static_cast<uint32_t>(base));
  file->lines.reserve(count);
  for (uint64_t i = 0; i < count; ++i) file->lines.push_back(lines_count_++);
  files_.push_back(std::move(file));
  return *files_.back();
}

std::string SourceTree::drawn_directory() {
  if (random_.below(kFilesPerDirectory) == 0) {
    const std::string parent = directories_[random_.below(static_cast<uint32_t>(directories_.size()))];
    directories_.push_back(fmt::format("{}d{}/", parent, directories_.size()));
  }
  return directories_[random_.below(static_cast<uint32_t>(directories_.size()))];
}

void SourceTree::edit(SourceFile& file) {
  const uint32_t places = 1 + random_.below(kMostPlaces);
  for (uint32_t i = 0; i < places; ++i) {
    const auto length = static_cast<uint32_t>(file.lines.size());
    const uint32_t begin = random_.below(length + 1);
    const uint32_t end = std::min(length, begin + random_.below(kMostReplacedLines + 1));
    std::vector<uint64_t> lines(1 + random_.below(kMostNewLines));
    for (uint64_t& line : lines) line = lines_count_++;
    const auto at = file.lines.erase(file.lines.begin() + begin, file.lines.begin() + end);
    file.lines.insert(at, lines.begin(), lines.end());
  }
}

uint64_t SourceTree::doublings(uint64_t most) {
  uint64_t count = 0;
  while (count < most && random_.coin()) ++count;
  return count;
}

}  // namespace patina
