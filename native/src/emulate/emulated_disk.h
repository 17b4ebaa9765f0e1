// A disk that keeps metadata, drops file data, and generates it on reading (Agrawal et al., "Emulating
// Goliath storage systems with David", ACM TOS 7(4), 2012).
#pragma once

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <shared_mutex>
#include <span>
#include <string>

#include "base/result.h"
#include "emulate/content.h"
#include "emulate/faults.h"
#include "emulate/pace.h"
#include "fuse/served_file.h"
#include "piece_log/piece_log.h"
#include "squash/squash.h"

namespace patina {

enum class KeepKind : uint8_t {
  kMetadata,  // what may be metadata of the file system
  kAll,
  kNothing,  // of a raw device without a file system
};

struct EmulatedDiskOptions {
  std::string folder;
  uint64_t size_bytes = 0;
  uint64_t available_bytes = 0;  // 0: no limit
  std::string model = "";        // name or file; "": none
  TimeKind time = TimeKind::kFast;
  uint32_t raid_level = 0;
  uint32_t raid_disks_count = 0;      // of the model each; 0: the model is the disk
  uint64_t stretch_pieces_count = 0;  // laid over the modelled disk in so many; 0: it is the first part of it
  uint64_t stretch_bytes = 0;         // over so much of it; 0: over all
  KeepKind keep = KeepKind::kMetadata;
  uint64_t hold_bytes =
      0;  // most data that is held until a selection decides on it; 0: data is dropped at once
  ContentOptions content = {};
};

// Thread safe.
class EmulatedDisk final : public ServedFile {
 public:
  // Errors: kBackingInvalid, kModelInvalid, kUsage (the stretch), kIoError.
  static Result<std::unique_ptr<EmulatedDisk>> open(const EmulatedDiskOptions& options);

  uint64_t size_bytes() const override { return options_.size_bytes; }
  uint64_t writes_count() const override { return writes_count_; }
  int read(uint64_t offset_bytes, std::span<uint8_t> data) override;
  int write(uint64_t offset_bytes, std::span<const uint8_t> data) override;
  int zero(uint64_t offset_bytes, uint64_t length_bytes) override;
  int flush() override;
  uint64_t next_data(uint64_t offset_bytes) const override;
  uint64_t next_hole(uint64_t offset_bytes) const override;
  std::optional<std::vector<ByteRange>> kept_ranges(uint64_t offset_bytes, size_t most) const override;

  // Makes a fault. kUsage: the request is wrong.
  Status make_fault(const nlohmann::ordered_json& request);
  // As those of PieceLog. Ranges are widened to whole pieces; one behind the end of the disk is kUsage.
  Result<uint64_t> begin_selection() { return log_->begin_selection(); }
  // Returns the bytes of pieces that are dropped already.
  Result<uint64_t> name_chosen(uint64_t selection, std::span<const ByteRange> ranges);
  Status end_selection(uint64_t selection) { return log_->end_selection(selection); }
  // Flushes, so that the next open() takes no time. kStoreNoSpace, kIoError.
  Status close();
  // Reports whether the host failed to store what was written: every request fails from then on.
  bool has_failed() const { return log_->has_failed(); }
  // The fields of the status and of the summary.
  nlohmann::ordered_json report() const;

 private:
  struct Modelled {
    std::unique_ptr<DiskModel> model;  // null: none
    Stretch stretch;
  };
  EmulatedDisk(EmulatedDiskOptions options, std::unique_ptr<PieceLog> log, Modelled modelled);
  static Result<Modelled> modelled_disk(const EmulatedDiskOptions& options);

  int begin(DiskRequest::Kind kind, uint64_t offset_bytes, uint64_t length_bytes);
  void wait_for_faults() const;
  Status read_pieces(uint64_t first, std::span<uint8_t> data) const;
  Status write_pieces(uint64_t first, std::span<const uint8_t> data);
  Status write_part(uint64_t offset_bytes, std::span<const uint8_t> data);
  Status zero_pieces(uint64_t first, uint64_t count);
  Status do_read(uint64_t offset_bytes, std::span<uint8_t> data) const;
  Status do_write(uint64_t offset_bytes, std::span<const uint8_t> data);
  Status do_zero(uint64_t offset_bytes, uint64_t length_bytes);
  Status do_flush();
  Status settle();
  Status drop_settled(std::span<const uint64_t> pieces);
  // Remembers the last error, for the status, and returns its errno.
  int errno_of(const Status& status);

  const EmulatedDiskOptions options_;
  const std::unique_ptr<PieceLog> log_;
  const Content content_;
  Squash squash_;
  Faults faults_;
  Pace pace_;
  // Shared by writes, exclusive while pieces that were kept for now are settled, and when the power is cut.
  std::shared_mutex writes_;
  std::atomic<std::chrono::steady_clock::time_point> settled_at_ = std::chrono::steady_clock::now();
  // One writer of a part of a piece at a time: it reads the rest.
  std::array<std::mutex, 64> parts_;
  std::atomic<uint64_t> requests_count_ = 0;
  std::atomic<uint64_t> writes_count_ = 0;
  std::atomic<uint64_t> squashed_bytes_ = 0;
  std::atomic<bool> is_lost_ = false;
  mutable std::mutex error_mutex_;
  std::optional<Error> error_;
  std::chrono::steady_clock::time_point error_at_;
};

}  // namespace patina
