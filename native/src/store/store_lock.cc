// A flock(2) on the store's folder.
#include "store/store_lock.h"

#include <fcntl.h>
#include <sys/file.h>

#include <cerrno>

namespace patina {

Result<Descriptor> lock_store(const ChunkStore& store, StoreUse use) {
  // Opened anew, because a lock belongs to an open file description.
  Descriptor folder(::openat(store.folder_fd(), ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!folder.valid()) return store.io_error("opening its folder", errno);
  const bool adds = use == StoreUse::kAddChunks;
  if (::flock(folder.get(), (adds ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0) return folder;
  if (errno != EWOULDBLOCK) return store.io_error("locking its folder", errno);
  return Error{ErrorCode::kStoreBusy,
               "the chunk store " + store.path() +
                   (adds ? " is being collected: chunks are being removed from it; try again"
                         : " is in use: a capture adds chunks to it; try again when it is done")};
}

}  // namespace patina
