// Images: capture a device into a chunk store and restore it (docs/file-formats.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "base/event.h"
#include "base/result.h"

namespace patina {

inline constexpr uint64_t kDefaultChunkSizeBytes = uint64_t{256} << 10;

// The part of a device that an image contains (docs/file-formats.md, "What capture reads").
enum class CaptureMode {
  kExact,      // every byte
  kAllocated,  // what the file system uses and has written; the rest reads as zero
  kMetadata,   // as before, and the content of files reads as zero too; of an emulated disk, what it keeps
};

const char* capture_mode_name(CaptureMode mode);

struct CaptureOptions {
  std::string device;      // block device, or a regular file
  std::string store;       // folder; made when missing
  std::string index_file;  // .caibx, written last, durably
  CaptureMode mode = CaptureMode::kExact;
  uint64_t chunk_size_bytes = kDefaultChunkSizeBytes;
  int threads = 0;  // 0: as many as cores
};

// Emits hello, progress, and a CaptureSummary (backend/patina/core/contract/age.py).
// Errors: kDeviceBusy, kDeviceUnusable, kLayoutUnsupported, kIoError, kStoreNoSpace, kStoreIoError,
// kCanceled.
Status run_capture(const CaptureOptions& options, EventSink& sink, const std::atomic<bool>& stop);

struct RestoreOptions {
  std::string index_file;
  std::string store;
  std::string device;
  std::string assume = "";        // assumed device content: an index, or "zero"; empty: unknown
  bool drops_data = false;        // the device is an emulated disk: what was written is not compared
  std::string index_digest = "";  // SHA-256 of the index, hex, where it is known
  int threads = 0;
};

// Emits hello, progress, and a RestoreSummary. Opens the device O_EXCL; verifies by hash as it goes and by
// reading back all of it. Errors: kDeviceBusy, kDeviceUnusable, kDeviceTooSmall, kIndexInvalid,
// kChunkMissing, kChunkCorrupt, kVerifyMismatch, kIoError, kStoreIoError, kCanceled.
Status run_restore(const RestoreOptions& options, EventSink& sink, const std::atomic<bool>& stop);

struct VerifyOptions {
  std::string index_file;
  std::string store = "";   // its chunks are read; empty: skipped
  std::string device = "";  // compared with the image; empty: skipped
  std::string index_digest = "";
  int threads = 0;
};

// Emits hello, progress and a VerifySummary. Changes nothing. Errors: kIndexInvalid, kChunkMissing,
// kChunkCorrupt (the first of all, with their number), kVerifyMismatch (the same), kDeviceBusy,
// kDeviceUnusable, kDeviceTooSmall, kIoError, kStoreIoError, kCanceled.
Status run_verify(const VerifyOptions& options, EventSink& sink, const std::atomic<bool>& stop);

struct RollbackOptions {
  std::string index_file;  // of the image that the device held when the trace was armed
  std::string store;
  std::string device;
  std::string delta_file = "";  // empty: everything is compared
  std::string index_digest = "";
  bool verify_all = false;  // hash the whole device in the end, not only the bytes rewritten
  bool drops_data = false;  // the device is an emulated disk: what was written is not compared
  int threads = 0;
};

// Emits hello, progress and a RollbackSummary. A delta that is incomplete, or a device that was written to
// since the trace ended, makes it compare everything. Errors: those of restore, and kTraceInvalid.
Status run_rollback(const RollbackOptions& options, EventSink& sink, const std::atomic<bool>& stop);

struct CollectOptions {
  std::string store;
  std::string keep_file;       // a list of indexes, one path a line: the chunks they name stay
  uint64_t grace_seconds = 0;  // younger chunks stay too: those of images in no list yet
  bool dry_run = false;
};

// Emits hello and a CollectSummary (backend/patina/core/contract/image.py); removes chunks that no listed
// index names. Errors: kStoreBusy (a capture adds chunks to it), kIndexInvalid, kStoreIoError, kCanceled.
Status run_collect(const CollectOptions& options, EventSink& sink, const std::atomic<bool>& stop);

constexpr uint64_t kMaxDiffCells = 65536;

struct DiffOptions {
  std::string index_file;
  std::string other_index_file;
  std::string store = "";    // for the stored sizes of shared chunks; empty: no sizes
  uint64_t cells_count = 0;  // of the map of changes, at most kMaxDiffCells; 0: no map
};

// Emits hello and a DiffSummary. Errors: kIndexInvalid, kStoreIoError, kCanceled.
Status run_diff(const DiffOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
