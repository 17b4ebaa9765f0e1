// The rules of ext2, ext3 and ext4: what is placed is kept, and everywhere else what looks like metadata.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "base/all_zero.h"
#include "squash/bytes.h"
#include "squash/ext_content.h"
#include "squash/ext_geometry.h"
#include "squash/ext_journal.h"
#include "squash/ext_links.h"
#include "squash/ext_places.h"
#include "squash/piece_ranges.h"
#include "squash/rules.h"

namespace patina {
namespace {

class ExtRules final : public Rules {
 public:
  ExtRules(uint64_t size_bytes, const PieceReader& reader) : size_bytes_(size_bytes), reader_(reader) {
    read_places(geometry_in(super_block_on_disk()));
  }

  void classify(uint64_t first_piece, std::span<const uint8_t> data,
                std::span<Verdict> verdicts) const override {
    const PieceRanges::Range* range = kept_.after(first_piece);
    for (size_t i = 0; i < verdicts.size(); ++i) {
      const uint64_t piece = first_piece + i;
      while (range != kept_.end() && range->end <= piece) ++range;
      const bool is_placed = (range != kept_.end() && range->begin <= piece) || piece >= end_piece_;
      verdicts[i] =
          is_placed ? verdict_on_placed(piece) : verdict_on(data.subspan(i * kPieceBytes, kPieceBytes));
      if (verdicts[i] == Verdict::kKeepForNow && !links_.is_mounted()) verdicts[i] = Verdict::kKeep;
    }
  }

  void keep_for_now(uint64_t piece) override {
    if (journal_log_.touches(piece, piece + 1)) {
      links_.keep_log_for_now(piece);
    } else {
      links_.keep_for_now(piece);
    }
  }
  bool is_due() const override { return links_.is_due(); }

  // What was written since over a piece, or was placed, has another verdict.
  void settle(std::vector<uint64_t>& dropped) override {
    std::array<uint8_t, kPieceBytes> content;
    const std::vector<uint64_t> log = links_.log();
    const bool is_dead = !log.empty() && is_journal_empty();
    for (const uint64_t piece : log) {
      if (!is_dead) break;
      const bool is_in_log = journal_log_.touches(piece, piece + 1);
      if (is_in_log && reader_(piece, content) && !is_all_zero(content)) dropped.push_back(piece);
    }
    for (const uint64_t piece : links_.settle(geometry_, *places_, reader_)) {
      const bool is_placed = kept_.touches(piece, piece + 1) || piece >= end_piece_;
      if (is_placed || !reader_(piece, content) || is_all_zero(content)) continue;
      if (verdict_on(content) == Verdict::kKeepForNow) dropped.push_back(piece);
    }
    std::ranges::sort(dropped);
  }

  bool watches(uint64_t first_piece, uint64_t pieces_count) const override {
    return watched_.touches(first_piece, first_piece + pieces_count);
  }

  void learn(uint64_t first_piece, uint64_t pieces_count) override {
    if (first_piece == 0) read_super_block_again();
    if (!places_) return;
    bool changed = places_->read_descriptors(reader_, first_piece, pieces_count);
    changed |= read_journal(changed || touches_journal_map(first_piece, pieces_count));
    if (changed) place();
  }

  bool learns_super_block() const override { return true; }

  std::string reason() const override {
    return geometry_reason_.empty() ? journal_reason_ : geometry_reason_;
  }

  uint64_t memory_bytes() const override {
    return kept_.memory_bytes() + watched_.memory_bytes() + journal_log_.memory_bytes() +
           links_.memory_bytes() + (places_ ? places_->memory_bytes() : 0);
  }

 private:
  // Nothing reads the log of a journal that has been unmounted cleanly.
  Verdict verdict_on_placed(uint64_t piece) const {
    return journal_log_.touches(piece, piece + 1) ? Verdict::kKeepForNow : Verdict::kKeep;
  }

  // By its super block (journal_superblock_s of jbd2): the log begins nowhere.
  bool is_journal_empty() const {
    constexpr uint32_t kMagic = 0xc03b3998;
    std::vector<uint8_t> block;
    if (journal_.blocks.empty()) return false;
    if (!read_ext_block(geometry_, reader_, journal_.blocks.front().begin, block)) return false;
    return big_at<uint32_t>(block, 0) == kMagic && big_at<uint32_t>(block, 0x1c) == 0;
  }

  // On a piece that is not placed. For now: it is metadata only if it has the target of a symbolic link.
  Verdict verdict_on(std::span<const uint8_t> piece) const {
    Verdict verdict = Verdict::kDrop;
    for (size_t at = 0; at < kPieceBytes; at += geometry_.block_bytes) {
      const std::span<const uint8_t> block = piece.subspan(at, geometry_.block_bytes);
      if (content_.may_be_metadata(block)) return Verdict::kKeep;
      if (content_.may_be_link(block)) verdict = Verdict::kKeepForNow;
    }
    return verdict;
  }

  static constexpr size_t kSuperBlockBytes = 1024;
  using SuperBlock = std::array<uint8_t, kSuperBlockBytes>;

  std::optional<SuperBlock> super_block_on_disk() const {
    std::array<uint8_t, kPieceBytes> piece;
    if (!reader_(0, piece)) return std::nullopt;
    SuperBlock super_block;
    std::copy_n(piece.begin() + kSuperBlockBytes, kSuperBlockBytes, super_block.begin());
    return super_block;
  }

  ReadExtGeometry geometry_in(const std::optional<SuperBlock>& super_block) const {
    if (!super_block) return {{}, "Its super block is not kept."};
    return read_ext_geometry(*super_block, size_bytes_);
  }

  // The kernel writes it often, and rarely with other places.
  void read_super_block_again() {
    const std::optional<SuperBlock> super_block = super_block_on_disk();
    ReadExtGeometry read = geometry_in(super_block);
    const bool is_same = geometry_reason_.empty() && read.reason.empty() && read.geometry == geometry_;
    if (!is_same) read_places(std::move(read));
    if (super_block && geometry_reason_.empty() && geometry_.has_journal)
      links_.read_super_block(*super_block);
  }

  void read_places(ReadExtGeometry read) {
    links_.forget();
    places_.reset();
    journal_inode_.reset();
    journal_ = {};
    journal_reason_.clear();
    geometry_reason_ = std::move(read.reason);
    geometry_ = read.geometry;
    watched_ = {};
    watched_.add(0, 1);
    watched_.finish();
    if (!geometry_reason_.empty()) return;
    places_ = std::make_unique<ExtPlaces>(geometry_);
    places_->read_descriptors(reader_, 0, size_bytes_ / kPieceBytes);
    read_journal(true);
    place();
  }

  bool touches_journal_map(uint64_t first_piece, uint64_t pieces_count) const {
    return std::any_of(journal_.map_blocks.begin(), journal_.map_blocks.end(), [&](uint64_t block) {
      const uint64_t piece = block * geometry_.block_bytes / kPieceBytes;
      return piece >= first_piece && piece - first_piece < pieces_count;
    });
  }

  // Returns whether the journal has other places, or has become known or unknown.
  bool read_journal(bool map_changed) {
    if (!geometry_.has_journal) return false;
    const std::optional<ExtInodeMap> inode = journal_inode_on_disk();
    // An unknown journal may become known by any write that is watched.
    if (!map_changed && inode == journal_inode_ && journal_reason_.empty()) return false;
    journal_inode_ = inode;
    std::optional<ExtJournal> found;
    if (inode) found = resolve_ext_journal(geometry_, reader_, *inode);
    const std::string before = journal_reason_;
    journal_reason_ = found ? "" : "The places of its journal cannot be read.";
    ExtJournal journal = found ? *found : ExtJournal{};
    has_two_journals_ = false;
    if (found && geometry_.has_journal_backup) add_backup(journal);
    const bool changed = journal != journal_ || before != journal_reason_;
    journal_ = std::move(journal);
    return changed;
  }

  // Where e2fsck would look for the journal if the inode were lost.
  void add_backup(ExtJournal& journal) {
    const auto backup = resolve_ext_journal(geometry_, reader_, ext_journal_backup(geometry_));
    has_two_journals_ = backup && *backup != journal;
    if (!has_two_journals_) return;
    journal.blocks.insert(journal.blocks.end(), backup->blocks.begin(), backup->blocks.end());
    journal.map_blocks.insert(journal.map_blocks.end(), backup->map_blocks.begin(), backup->map_blocks.end());
  }

  std::optional<ExtInodeMap> journal_inode_on_disk() const {
    const ExtPlaces::InodePlace place = places_->inode(geometry_.journal_inode);
    std::vector<uint8_t> block;
    if (place.block == 0 || !read_ext_block(geometry_, reader_, place.block, block)) return std::nullopt;
    return ext_inode_map(std::span(block).subspan(place.offset, geometry_.inode_bytes));
  }

  void add_block(PieceRanges& ranges, BlockRange blocks) const {
    const uint64_t bytes = geometry_.block_bytes;
    ranges.add(blocks.begin * bytes / kPieceBytes, (blocks.end * bytes + kPieceBytes - 1) / kPieceBytes);
  }

  // All of the journal but its super block, unless other metadata is placed there, or two journals are named.
  // Smaller blocks share pieces.
  void find_journal_log() {
    journal_log_ = {};
    if (geometry_.block_bytes != kPieceBytes || has_two_journals_) return;
    for (size_t i = 0; i < journal_.blocks.size(); ++i) {
      const BlockRange& blocks = journal_.blocks[i];
      if (kept_.touches(blocks.begin, blocks.end)) {
        journal_log_ = {};
        return;
      }
      journal_log_.add(blocks.begin + (i == 0 ? 1 : 0), blocks.end);
    }
    journal_log_.finish();
  }

  void place() {
    kept_ = {};
    places_->add_to(kept_);
    for (const uint64_t block : journal_.map_blocks) add_block(kept_, {block, block + 1});
    kept_.finish();
    find_journal_log();
    for (const BlockRange& blocks : journal_.blocks) add_block(kept_, blocks);
    kept_.finish();
    watched_ = {};
    watched_.add(0, 1);
    places_->add_descriptors_to(watched_);
    const uint64_t inode_block = places_->inode(geometry_.journal_inode).block;
    if (inode_block != 0) add_block(watched_, {inode_block, inode_block + 1});
    for (const uint64_t block : journal_.map_blocks) add_block(watched_, {block, block + 1});
    // Until the journal is known, any write may complete its map.
    if (!journal_reason_.empty()) watched_.add(0, size_bytes_ / kPieceBytes);
    watched_.finish();
    end_piece_ = geometry_.blocks_count * geometry_.block_bytes / kPieceBytes;
    content_ = {geometry_.blocks_count, geometry_.is_encrypted};
  }

  const uint64_t size_bytes_;
  const PieceReader& reader_;
  ExtLinks links_;
  ExtGeometry geometry_;
  std::string geometry_reason_;
  std::unique_ptr<ExtPlaces> places_;  // none while geometry_reason_ is set
  std::optional<ExtInodeMap> journal_inode_;
  ExtJournal journal_;
  std::string journal_reason_;
  bool has_two_journals_ = false;  // that of the inode, and another one in the super block
  PieceRanges journal_log_;
  PieceRanges kept_;
  PieceRanges watched_;
  uint64_t end_piece_ = 0;
  ExtContent content_;
};

}  // namespace

MadeRules make_ext_rules(uint64_t size_bytes, const PieceReader& reader) {
  return {std::make_unique<ExtRules>(size_bytes, reader), ""};
}

}  // namespace patina
