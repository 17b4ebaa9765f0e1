// The lock of a chunk store: shared by processes that add chunks, or held by one that removes some.
#pragma once

#include "base/descriptor.h"
#include "base/result.h"
#include "store/chunk_store.h"

namespace patina {

enum class StoreUse { kAddChunks, kRemoveChunks };

// Held until the descriptor is closed, however the process ends. Errors: kStoreBusy, kStoreIoError.
Result<Descriptor> lock_store(const ChunkStore& store, StoreUse use);

}  // namespace patina
