// Generated content: always the same, and as compressible as asked for.
#include "emulate/content.h"

#include <gtest/gtest.h>
#include <zstd.h>

#include <algorithm>
#include <cctype>
#include <vector>

#include "squash/piece.h"

namespace patina {
namespace {

constexpr uint64_t kPieces = 64;

std::vector<uint8_t> generated(const ContentOptions& options) {
  const Content content(options);
  std::vector<uint8_t> bytes(kPieces * kPieceBytes);
  for (uint64_t piece = 0; piece < kPieces; ++piece) {
    content.generate(piece, std::span(bytes).subspan(piece * kPieceBytes, kPieceBytes));
  }
  return bytes;
}

double compressed_fraction(const std::vector<uint8_t>& bytes) {
  std::vector<uint8_t> packed(ZSTD_compressBound(bytes.size()));
  return static_cast<double>(ZSTD_compress(packed.data(), packed.size(), bytes.data(), bytes.size(), 1)) /
         static_cast<double>(bytes.size());
}

TEST(Content, DependsOnSeedAndPieceOnly) {
  for (const ContentKind kind : {ContentKind::kRandom, ContentKind::kText}) {
    const std::vector<uint8_t> first = generated({.kind = kind, .seed = 1});
    EXPECT_EQ(first, generated({.kind = kind, .seed = 1}));
    EXPECT_NE(first, generated({.kind = kind, .seed = 2}));
    EXPECT_FALSE(std::equal(first.begin(), first.begin() + kPieceBytes, first.begin() + kPieceBytes));
  }
}

TEST(Content, OfTheKindZeroesIsZero) {
  EXPECT_TRUE(std::ranges::all_of(generated({}), [](uint8_t byte) { return byte == 0; }));
}

TEST(Content, OfTheKindTextIsWords) {
  const std::vector<uint8_t> text = generated({.kind = ContentKind::kText, .compressible_fraction = 0.3});
  EXPECT_TRUE(std::ranges::all_of(
      text, [](uint8_t byte) { return byte == ' ' || byte == '\n' || std::islower(byte); }));
}

TEST(Content, IsAsCompressibleAsAskedFor) {
  for (const double fraction : {0.0, 0.25, 0.5, 1.0}) {
    const auto bytes = generated({.kind = ContentKind::kRandom, .compressible_fraction = fraction});
    EXPECT_NEAR(compressed_fraction(bytes), 1 - fraction, 0.03) << fraction;
  }
}

}  // namespace
}  // namespace patina
