// The files, or the block device, that keep the data and the state of a shingled disk.
#pragma once

#include <cstdint>
#include <string>

#include "base/byte_range.h"
#include "base/descriptor.h"
#include "base/result.h"

namespace patina {

// Opens it for reads and writes, or to read where the file system is mounted read-only. kBackingInvalid: it
// cannot be opened.
Result<Descriptor> open_backing(const std::string& path);
// For data: the kernel does not read ahead of what is asked for. kDeviceTooSmall: it has fewer bytes.
Result<Descriptor> open_backing(const std::string& path, uint64_t least_bytes);
// Returns the size of the file or device. kBackingInvalid; kDeviceTooSmall: it has fewer bytes.
Result<uint64_t> backing_bytes(const std::string& path, uint64_t least_bytes);
// Makes a range of it zero, durably. kIoError.
Status zero_backing(const Descriptor& file, const std::string& path, const ByteRange& range);
// Keeps others from serving the same disk, until the descriptor is closed. kBackingInvalid: one does.
Result<Descriptor> lock_backing(const std::string& path);

}  // namespace patina
