// Fuzzes deltas: the input is a delta without its digest, so that the digest is always right.
#include "image/delta.h"

#include "base/digest.h"
#include "fuzzing.h"

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  patina::Sha256 sha;
  sha.update(data, size);
  const std::string whole = std::string(patina::text_of(data, size)) + sha.hex() + "\n";
  const patina::InputFile file(reinterpret_cast<const uint8_t*>(whole.data()), whole.size());
  const patina::Result<patina::Delta> read = patina::read_delta(file.path());
  if (!read) {
    patina::require(read.error().code == patina::ErrorCode::kTraceInvalid, "kTraceInvalid");
    return 0;
  }
  for (size_t i = 0; i < read->extents.size(); ++i) {
    const patina::ByteRange& extent = read->extents[i];
    patina::require(extent.begin_bytes < extent.end_bytes && extent.end_bytes <= read->device_bytes,
                    "extents on the device");
    patina::require(i == 0 || read->extents[i - 1].end_bytes < extent.begin_bytes, "extents in order");
  }
  patina::require(read->touched_bytes() <= read->device_bytes, "no more than there is");
  return 0;
}
