// One churn, over either way to place files.
#include "shingle/cleaning.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "shingle/file_churn.h"

namespace patina {
namespace {

constexpr uint64_t kBlockBytes = 4096;

// Files by number, on a disk of one interface.
class PlacedFiles {
 public:
  PlacedFiles() = default;
  virtual ~PlacedFiles() = default;
  PlacedFiles(const PlacedFiles&) = delete;
  PlacedFiles& operator=(const PlacedFiles&) = delete;

  // Returns whether it has found a place.
  virtual bool create(uint64_t file, uint64_t blocks_count) = 0;
  virtual void remove(uint64_t file) = 0;
  virtual void report(CleaningResult& result) const = 0;
};

class CaveatFiles final : public PlacedFiles {
 public:
  explicit CaveatFiles(const CleaningOptions& options)
      : space_(options.size_bytes / kBlockBytes, {options.did_blocks, options.dnor_blocks}, *options.policy) {
  }

  bool create(uint64_t file, uint64_t blocks_count) override {
    std::vector<BlockExtent> places = space_.allocate(blocks_count);
    if (places.empty()) return false;
    files_.emplace(file, std::move(places));
    return true;
  }
  void remove(uint64_t file) override {
    const auto found = files_.find(file);
    for (const BlockExtent& each : found->second) space_.release(each);
    files_.erase(found);
  }
  void report(CleaningResult& result) const override {
    result.total_blocks = space_.free_extents().blocks_count();
    result.live_blocks = space_.allocated_count();
  }

 private:
  ShingledSpace space_;
  std::map<uint64_t, std::vector<BlockExtent>> files_;
};

uint64_t bands_count_of(const CleaningOptions& options) {
  const uint64_t blocks_count = options.size_bytes / kBlockBytes;
  // The last band needs no gap.
  return (blocks_count + options.did_blocks) / (options.band_bytes / kBlockBytes + options.did_blocks);
}

class BandedFiles final : public PlacedFiles {
 public:
  explicit BandedFiles(const CleaningOptions& options)
      : space_(bands_count_of(options), options.band_bytes / kBlockBytes, *options.cleaning) {}

  bool create(uint64_t file, uint64_t blocks_count) override {
    std::vector<BlockExtent> places = space_.allocate(blocks_count, PlacedBy::kUser);
    while (places.empty() && clean()) places = space_.allocate(blocks_count, PlacedBy::kUser);
    for (const BlockExtent& each : places) owned_.emplace(each.first, Owned{each.count, file});
    if (places.empty()) return false;
    files_.emplace(file, std::move(places));
    return true;
  }
  void remove(uint64_t file) override {
    const auto found = files_.find(file);
    for (const BlockExtent& each : found->second) give_back(each);
    files_.erase(found);
  }
  void report(CleaningResult& result) const override {
    result.total_blocks = space_.blocks_count();
    result.live_blocks = space_.live_count();
    result.moved_blocks = moved_blocks_;
    result.cleanings_count = cleanings_count_;
  }

 private:
  struct Owned {
    uint64_t count;
    uint64_t file;
  };

  void give_back(const BlockExtent& extent) {
    space_.release(extent);
    owned_.erase(extent.first);
  }

  // Moves the extents of the band in the order of their addresses, as SMRfs does.
  bool clean() {
    const std::optional<uint64_t> band = space_.begin_cleaning();
    if (!band) return false;
    ++cleanings_count_;
    const uint64_t end = (*band + 1) * space_.band_blocks();
    for (auto each = owned_.lower_bound(*band * space_.band_blocks());
         each != owned_.end() && each->first < end; each = owned_.lower_bound(*band * space_.band_blocks())) {
      const BlockExtent from{each->first, each->second.count};
      const uint64_t file = each->second.file;
      const std::vector<BlockExtent> places = space_.allocate(from.count, PlacedBy::kCleaner);
      if (places.empty()) return false;
      give_back(from);
      owned_.emplace(places.front().first, Owned{from.count, file});
      std::ranges::replace(files_[file], from, places.front());
      moved_blocks_ += from.count;
    }
    return space_.has_gained();
  }

  BandedSpace space_;
  std::map<uint64_t, std::vector<BlockExtent>> files_;
  std::map<uint64_t, Owned> owned_;  // by the first block; an extent is within a band
  uint64_t moved_blocks_ = 0;
  uint64_t cleanings_count_ = 0;
};

std::unique_ptr<PlacedFiles> make_files(const CleaningOptions& options) {
  if (options.policy != nullptr) return std::make_unique<CaveatFiles>(options);
  return std::make_unique<BandedFiles>(options);
}

Status check(const CleaningOptions& options) {
  if ((options.policy == nullptr) == (options.cleaning == nullptr)) {
    return Error{ErrorCode::kUsage,
                 "give --policy for a Caveat-Scriptor disk, or --clean for a strict-append one"};
  }
  if (options.dnor_blocks > options.did_blocks) {
    return Error{ErrorCode::kUsage, fmt::format("DNOR is {} blocks, and more than DID, {}",
                                                options.dnor_blocks, options.did_blocks)};
  }
  constexpr uint64_t kLeastBands = 2;
  const bool has_bands = options.band_bytes >= kBlockBytes && bands_count_of(options) >= kLeastBands;
  if (options.size_bytes < kBlockBytes || (options.cleaning != nullptr && !has_bands)) {
    return Error{ErrorCode::kUsage,
                 "the disk needs a block of 4096 bytes, or two bands: choose a larger --size"};
  }
  return ok_status();
}

}  // namespace

Result<CleaningResult> measure_cleaning(const CleaningOptions& options, const std::atomic<bool>& stop) {
  const std::unique_ptr<PlacedFiles> files = make_files(options);
  CleaningResult result;
  files->report(result);
  const auto total = static_cast<double>(result.total_blocks);
  const auto most_written = static_cast<uint64_t>(options.times * total);
  FileChurn churn(static_cast<uint64_t>(options.fullness * total), options.seed);
  while (result.written_blocks < most_written && !result.is_full) {
    if (stop) return Error{ErrorCode::kCanceled, "stopped before all was written"};
    const ChurnOperation operation = churn.next();
    if (operation.blocks_count == 0) {
      files->remove(operation.file);
    } else if (files->create(operation.file, operation.blocks_count)) {
      result.written_blocks += operation.blocks_count;
    } else {
      result.is_full = true;
    }
  }
  files->report(result);
  return result;
}

Status run_cleaning(const CleaningOptions& options, EventSink& sink, const std::atomic<bool>& stop) {
  if (Status status = check(options); !status) return status;
  const Error closed{ErrorCode::kCanceled, "standard output is closed"};
  if (!sink.emit(hello_event("shingle cleaning"))) return closed;
  const Result<CleaningResult> result = measure_cleaning(options, stop);
  if (!result) return result.error();
  const bool is_caveat = options.policy != nullptr;
  const bool is_open = sink.emit({{"type", "summary"},
                                  {"command", "shingle cleaning"},
                                  {"interface", is_caveat ? "caveat" : "strict-append"},
                                  {"policy", is_caveat ? options.policy->name : options.cleaning->name},
                                  {"did_blocks", options.did_blocks},
                                  {"dnor_blocks", options.dnor_blocks},
                                  {"fullness", options.fullness},
                                  {"seed", options.seed},
                                  {"total_blocks", result->total_blocks},
                                  {"written_blocks", result->written_blocks},
                                  {"moved_blocks", result->moved_blocks},
                                  {"cleanings_count", result->cleanings_count},
                                  {"live_blocks", result->live_blocks},
                                  {"is_full", result->is_full}});
  return is_open ? ok_status() : Status(closed);
}

}  // namespace patina
