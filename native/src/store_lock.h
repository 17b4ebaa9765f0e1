// Who may use a chunk store now: many that add chunks, or one that removes some.
#pragma once

#include "chunk_store.h"
#include "posix_file_system.h"
#include "result.h"

namespace patina {

enum class StoreUse { kAddChunks, kRemoveChunks };

// Held until the descriptor is closed, however the process ends. Errors: kStoreBusy, kStoreIoError.
Result<Descriptor> lock_store(const ChunkStore& store, StoreUse use);

}  // namespace patina
