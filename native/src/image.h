// Images: capture a device into a chunk store and give it back (images.md).
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "event.h"
#include "result.h"

namespace patina {

inline constexpr uint64_t kDefaultChunkSizeBytes = uint64_t{256} << 10;

struct CaptureOptions {
  std::string device;      // block device, or a regular file
  std::string store;       // folder; made when missing
  std::string index_file;  // .caibx, written last, durably
  std::string mode = "exact";
  uint64_t chunk_size_bytes = kDefaultChunkSizeBytes;
  int threads = 0;  // 0: as many as cores
};

// Emits hello, progress, and a CaptureSummary (backend/patina/run/event.py).
// Errors: kDeviceBusy, kDeviceUnusable, kIoError, kStoreNoSpace, kStoreIoError, kCanceled.
Status run_capture(const CaptureOptions& options, EventSink& sink, const std::atomic<bool>& stop);

struct RestoreOptions {
  std::string index_file;
  std::string store;
  std::string device;
  int threads = 0;
};

// Emits hello, progress, and a RestoreSummary. Opens the device O_EXCL; verifies by hash as it goes and by
// reading back. Errors: kDeviceBusy, kDeviceUnusable, kDeviceTooSmall, kIndexInvalid, kChunkMissing,
// kChunkCorrupt, kVerifyMismatch, kIoError, kStoreIoError, kCanceled.
Status run_restore(const RestoreOptions& options, EventSink& sink, const std::atomic<bool>& stop);

}  // namespace patina
