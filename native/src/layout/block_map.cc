// Assigns free space and files to the device's cells; the rest is metadata.
#include "layout/block_map.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <tuple>

namespace patina {
namespace {

struct Piece {
  ByteRange range;  // on the device
  bool unwritten = false;
};

class Painter {
 public:
  Painter(const SpaceMap& map, uint32_t max_cells) : empty_(map.empty_on_device) {
    const uint64_t blocks = map.device_bytes / map.block_size_bytes;
    const uint64_t cell_blocks = std::max<uint64_t>(1, (blocks + max_cells - 1) / max_cells);
    map_.device_bytes = blocks * map.block_size_bytes;
    map_.block_size_bytes = map.block_size_bytes;
    map_.cell_bytes = cell_blocks * map.block_size_bytes;
    map_.cells.resize((blocks + cell_blocks - 1) / cell_blocks);
    paint(empty_, &BlockMapCell::free_blocks);
    // While files are written, ranges that were read one after the other may contradict each other.
    const std::vector<ByteRange> unusable = common_of(map.unusable, empty_);
    const std::vector<ByteRange> damaged = common_of(map.damaged, empty_);
    paint(unusable, &BlockMapCell::unusable_blocks);
    paint(damaged, &BlockMapCell::damaged_blocks);
    paint(common_of(unusable, damaged), &BlockMapCell::unusable_and_damaged_blocks);
  }

  // Pieces in ascending order. Blocks that several files share count once, and blocks that the file system
  // reports as free are free: a file may have released them since its extents were read.
  void add(const Piece& piece) {
    const auto kind = piece.unwritten ? &BlockMapCell::unwritten_blocks : &BlockMapCell::data_blocks;
    uint64_t at = std::max(piece.range.begin_bytes, painted_to_bytes_);
    while (at < piece.range.end_bytes) {
      while (next_empty_ < empty_.size() && empty_[next_empty_].end_bytes <= at) ++next_empty_;
      const bool more = next_empty_ < empty_.size();
      const uint64_t end =
          more ? std::min(piece.range.end_bytes, empty_[next_empty_].begin_bytes) : piece.range.end_bytes;
      if (at < end) paint({at, end}, kind);
      at = std::max(at, end);
      if (at < piece.range.end_bytes) at = std::min(piece.range.end_bytes, empty_[next_empty_].end_bytes);
    }
    painted_to_bytes_ = std::max(painted_to_bytes_, at);
  }

  BlockMap finish() {
    for (size_t i = 0; i < map_.cells.size(); ++i) {
      BlockMapCell& cell = map_.cells[i];
      const uint64_t cell_bytes = std::min(map_.cell_bytes, map_.device_bytes - i * map_.cell_bytes);
      cell.metadata_blocks =
          cell_bytes / map_.block_size_bytes - cell.free_blocks - cell.data_blocks - cell.unwritten_blocks;
    }
    return std::move(map_);
  }

 private:
  void paint(const std::vector<ByteRange>& ranges, uint64_t BlockMapCell::* kind) {
    for (const ByteRange& range : ranges) paint(range, kind);
  }
  void paint(const ByteRange& range, uint64_t BlockMapCell::* kind) {
    const uint64_t end = std::min(range.end_bytes, map_.device_bytes);
    for (uint64_t at = range.begin_bytes; at < end;) {
      const uint64_t cell = at / map_.cell_bytes;
      const uint64_t step = std::min(end, (cell + 1) * map_.cell_bytes) - at;
      map_.cells[cell].*kind += step / map_.block_size_bytes;
      at += step;
    }
  }

  const std::vector<ByteRange>& empty_;
  BlockMap map_;
  uint64_t painted_to_bytes_ = 0;
  size_t next_empty_ = 0;
};

nlohmann::ordered_json column(const BlockMap& map, uint64_t BlockMapCell::* kind) {
  nlohmann::ordered_json array = nlohmann::ordered_json::array();
  for (const BlockMapCell& cell : map.cells) array.push_back(cell.*kind);
  return array;
}

}  // namespace

BlockMap make_block_map(const SpaceMap& map, const ExtentWalk& walk, uint32_t max_cells) {
  std::vector<Piece> pieces;
  std::vector<ByteRange> places;
  for (const WalkedDirectory& directory : walk.directories) {
    for (const FileExtent& extent : directory.extents) {
      places.clear();
      add_places_on_device({extent.physical_bytes, extent.physical_end_bytes()}, map, places);
      for (const ByteRange& place : places) pieces.push_back({place, extent.unwritten});
    }
  }
  std::sort(pieces.begin(), pieces.end(), [](const Piece& one, const Piece& other) {
    return std::tie(one.range.begin_bytes, one.unwritten) <
           std::tie(other.range.begin_bytes, other.unwritten);
  });
  Painter painter(map, max_cells);
  for (const Piece& piece : pieces) painter.add(piece);
  return painter.finish();
}

nlohmann::ordered_json block_map_json(const BlockMap& map) {
  nlohmann::ordered_json json = {{"device_bytes", map.device_bytes},
                                 {"block_size_bytes", map.block_size_bytes},
                                 {"cell_bytes", map.cell_bytes},
                                 {"free_blocks", column(map, &BlockMapCell::free_blocks)},
                                 {"metadata_blocks", column(map, &BlockMapCell::metadata_blocks)},
                                 {"data_blocks", column(map, &BlockMapCell::data_blocks)},
                                 {"unwritten_blocks", column(map, &BlockMapCell::unwritten_blocks)}};
  add_shingled_blocks(map, json);
  return json;
}

void add_shingled_blocks(const BlockMap& map, nlohmann::ordered_json& json) {
  const auto is_none = [](const BlockMapCell& cell) {
    return cell.unusable_blocks == 0 && cell.damaged_blocks == 0;
  };
  if (std::ranges::all_of(map.cells, is_none)) return;
  json["shingled"] = {
      {"unusable_blocks", column(map, &BlockMapCell::unusable_blocks)},
      {"damaged_blocks", column(map, &BlockMapCell::damaged_blocks)},
      {"unusable_and_damaged_blocks", column(map, &BlockMapCell::unusable_and_damaged_blocks)}};
}

}  // namespace patina
