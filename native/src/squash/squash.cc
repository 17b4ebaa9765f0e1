// Finds the kind of file system on the disk, and asks its rules.
#include "squash/squash.h"

#include <fmt/format.h>

#include <algorithm>
#include <mutex>
#include <utility>

#include "base/all_zero.h"
#include "squash/bytes.h"

namespace patina {
namespace {

struct Kind {
  const char* name;
  uint64_t piece;  // of its super block
  bool (*is_on)(std::span<const uint8_t> piece);
  MadeRules (*make)(uint64_t size_bytes, const PieceReader& reader);
  uint64_t (*used_bytes)(std::span<const uint8_t> piece);
};

// s_blocks_count less s_free_blocks_count; both have a high half with the feature 64bit (0x80).
uint64_t used_by_ext(std::span<const uint8_t> piece) {
  const std::span<const uint8_t> super_block = piece.subspan(1024);
  const bool is_64bit = (little_at<uint32_t>(super_block, 0x60) & 0x80U) != 0;
  const auto count_at = [&](size_t low, size_t high) {
    return little_at<uint32_t>(super_block, low) +
           (is_64bit ? uint64_t{little_at<uint32_t>(super_block, high)} << 32U : 0);
  };
  const uint64_t shift = 10 + std::min<uint32_t>(little_at<uint32_t>(super_block, 0x18), 6);
  const uint64_t blocks = count_at(0x4, 0x150);
  const uint64_t free = count_at(0xc, 0x158);
  return free > blocks ? 0 : (blocks - free) << shift;
}

// sb_dblocks less sb_fdblocks.
uint64_t used_by_xfs(std::span<const uint8_t> piece) {
  const auto blocks = big_at<uint64_t>(piece, 8);
  const auto free = big_at<uint64_t>(piece, 144);
  return free > blocks ? 0 : (blocks - free) * big_at<uint32_t>(piece, 4);
}

// bytes_used.
uint64_t used_by_btrfs(std::span<const uint8_t> piece) {
  return little_at<uint64_t>(piece, 0x78);
}

constexpr std::array kKinds = {
    Kind{"ext4", kFirstSuperPiece,
         [](std::span<const uint8_t> piece) { return little_at<uint16_t>(piece, 0x438) == 0xef53; },
         make_ext_rules, used_by_ext},
    Kind{"xfs", kFirstSuperPiece,
         [](std::span<const uint8_t> piece) { return big_at<uint32_t>(piece, 0) == 0x58465342; },
         make_xfs_rules, used_by_xfs},
    Kind{"btrfs", kBtrfsSuperPiece,
         [](std::span<const uint8_t> piece) { return std::memcmp(piece.data() + 0x40, "_BHRfS_M", 8) == 0; },
         make_btrfs_rules, used_by_btrfs},
};

bool has_super_block(uint64_t first_piece, uint64_t pieces_count) {
  const auto has = [&](uint64_t piece) { return piece >= first_piece && piece - first_piece < pieces_count; };
  return has(kFirstSuperPiece) || has(kBtrfsSuperPiece);
}

}  // namespace

Squash::Squash(uint64_t size_bytes, PieceReader reader)
    : size_bytes_(size_bytes), reader_(std::move(reader)), reason_("The disk has not been read yet.") {}

void Squash::classify(uint64_t first_piece, std::span<const uint8_t> data,
                      std::span<Verdict> verdicts) const {
  assert(data.size() == verdicts.size() * kPieceBytes);
  const std::shared_lock lock(mutex_);
  // A super block may bring another file system, with places that are not known before it is stored.
  if (rules_ == nullptr || has_super_block(first_piece, verdicts.size()) ||
      rules_->watches(first_piece, verdicts.size()) || !rules_->reason().empty()) {
    std::fill(verdicts.begin(), verdicts.end(), Verdict::kKeep);
    return;
  }
  rules_->classify(first_piece, data, verdicts);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] != Verdict::kKeep && is_all_zero(data.subspan(i * kPieceBytes, kPieceBytes)))
      verdicts[i] = Verdict::kKeep;
  }
}

void Squash::stored(uint64_t first_piece, uint64_t pieces_count, std::span<const Verdict> verdicts) {
  const bool has_super = has_super_block(first_piece, pieces_count);
  const bool is_for_now = std::ranges::find(verdicts, Verdict::kKeepForNow) != verdicts.end();
  {
    const std::shared_lock lock(mutex_);
    const bool is_of_interest =
        has_super || is_for_now ||
        (rules_ != nullptr && (rules_->watches(first_piece, pieces_count) ||
                               NodeGroups::concern(*rules_, first_piece, pieces_count)));
    if (!is_of_interest) return;
  }
  const std::unique_lock lock(mutex_);
  if (has_super) find_kind();
  if (rules_ == nullptr) return;
  if (rules_->watches(first_piece, pieces_count)) rules_->learn(first_piece, pieces_count);
  for (size_t i = 0; i < verdicts.size(); ++i) {
    if (verdicts[i] == Verdict::kKeepForNow) rules_->keep_for_now(first_piece + i);
  }
  node_groups_.note(*rules_, reader_, first_piece, pieces_count, std::chrono::steady_clock::now(),
                    flushes_count_);
}

void Squash::flushed() {
  const std::unique_lock lock(mutex_);
  ++flushes_count_;
}

void Squash::reload() {
  const std::unique_lock lock(mutex_);
  rules_.reset();
  kind_.clear();
  node_groups_.clear();
  find_kind();
}

void Squash::find_kind() {
  std::array<uint8_t, kPieceBytes> piece;
  std::vector<const Kind*> found;
  for (const Kind& kind : kKinds) {
    if ((kind.piece + 1) * kPieceBytes > size_bytes_) continue;
    if (reader_(kind.piece, piece) && kind.is_on(piece)) found.push_back(&kind);
  }
  const std::string kind = found.size() == 1 ? found[0]->name : "";
  // Such rules compare their super block with the one before.
  if (rules_ != nullptr && kind == kind_ && rules_->learns_super_block()) return;
  const uint64_t node_pieces_before = rules_ == nullptr ? 1 : rules_->node_pieces();
  rules_.reset();
  reason_.clear();
  kind_ = kind;
  if (found.empty()) reason_ = "It has no file system that Patina can classify.";
  if (found.size() > 1) {
    reason_ = fmt::format("It has super blocks of {} and {}. Wipe it before a file system is made.",
                          found[0]->name, found[1]->name);
  }
  if (found.size() == 1) {
    MadeRules made = found[0]->make(size_bytes_, reader_);
    rules_ = std::move(made.rules);
    reason_ = std::move(made.reason);
  }
  if (rules_ == nullptr || rules_->node_pieces() != node_pieces_before) node_groups_.clear();
}

bool Squash::is_due() const {
  const std::shared_lock lock(mutex_);
  return rules_ != nullptr && rules_->is_due();
}

Squash::Settlement Squash::settle(TimePoint now) {
  Settlement settlement;
  const std::unique_lock lock(mutex_);
  if (rules_ == nullptr || !rules_->reason().empty()) return settlement;
  settlement.lost = node_groups_.settle(*rules_, reader_, now, flushes_count_, {kSettleAfter, kSettleFlushes},
                                        settlement.dropped);
  rules_->settle(settlement.dropped);
  return settlement;
}

std::string Squash::file_system() const {
  const std::shared_lock lock(mutex_);
  return kind_;
}

std::optional<uint64_t> Squash::used_bytes() const {
  const std::shared_lock lock(mutex_);
  const auto* kind = std::ranges::find(kKinds, kind_, &Kind::name);
  std::array<uint8_t, kPieceBytes> piece;
  if (kind == kKinds.end() || !reader_(kind->piece, piece) || !kind->is_on(piece)) return std::nullopt;
  return std::min(kind->used_bytes(piece), size_bytes_);
}

std::string Squash::reason() const {
  return rules_ == nullptr ? reason_ : rules_->reason();
}

std::string Squash::kept_whole_reason() const {
  const std::shared_lock lock(mutex_);
  const std::string why = reason();
  if (why.empty()) return "";
  return fmt::format("Every piece of the disk is kept. {}", why);
}

uint64_t Squash::memory_bytes() const {
  const std::shared_lock lock(mutex_);
  return node_groups_.memory_bytes() + (rules_ == nullptr ? 0 : rules_->memory_bytes());
}

}  // namespace patina
