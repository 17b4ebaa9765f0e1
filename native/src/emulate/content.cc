// Random bytes by the one generator, seeded for each piece; text by copies from a text that is made once.
#include "emulate/content.h"

#include <array>
#include <cstring>
#include <string_view>

#include "base/random.h"
#include "squash/piece.h"

namespace patina {
namespace {

constexpr uint32_t kWordsBytes = uint32_t{64} << 10U;

constexpr std::array<std::string_view, 48> kWords = {
    "the",     "disk",  "block",  "of",    "a",      "file",   "is",     "written", "in",     "order",
    "to",      "read",  "it",     "and",   "then",   "free",   "space",  "on",      "system", "that",
    "holds",   "an",    "extent", "with",  "many",   "small",  "parts",  "by",      "age",    "each",
    "journal", "for",   "first",  "inode", "name",   "table",  "before", "commit",  "after",  "time",
    "data",    "moved", "when",   "full",  "sector", "remain", "group",  "large"};

std::string text_of(uint64_t seed) {
  Random random(seed);
  std::string text;
  size_t line_bytes = 0;
  while (text.size() < kWordsBytes + kPieceBytes) {
    const std::string_view word = kWords[random.below(kWords.size())];
    text.append(word);
    line_bytes += word.size() + 1;
    constexpr size_t kLineBytes = 72;
    text.push_back(line_bytes > kLineBytes ? '\n' : ' ');
    if (line_bytes > kLineBytes) line_bytes = 0;
  }
  return text;
}

}  // namespace

Content::Content(const ContentOptions& options)
    : options_(options),
      base_(Random(options.seed).next()),
      varied_bytes_(static_cast<uint64_t>((1 - options.compressible_fraction) * kPieceBytes) /
                    sizeof(uint64_t) * sizeof(uint64_t)),
      words_(options.kind == ContentKind::kText ? text_of(options.seed) : "") {}

void Content::generate(uint64_t piece, std::span<uint8_t> out) const {
  Random random(base_ ^ piece);
  switch (options_.kind) {
    case ContentKind::kZeroes:
      std::memset(out.data(), 0, out.size());
      break;
    case ContentKind::kRandom:
      for (uint64_t at = 0; at < varied_bytes_; at += sizeof(uint64_t)) {
        const uint64_t word = random.next();
        std::memcpy(&out[at], &word, sizeof word);
      }
      std::memset(out.data() + varied_bytes_, 0, out.size() - varied_bytes_);
      break;
    case ContentKind::kText: {
      std::memcpy(out.data(), words_.data() + random.below(kWordsBytes), varied_bytes_);
      static constexpr std::string_view kSame = "the same ";
      for (uint64_t at = varied_bytes_; at < out.size(); ++at) {
        out[at] = static_cast<uint8_t>(kSame[at % kSame.size()]);
      }
      break;
    }
  }
}

}  // namespace patina
