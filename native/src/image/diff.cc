// Compares two images by their indexes: the chunks they share, and the cost of keeping the second.
#include <algorithm>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/stopwatch.h"
#include "image/image.h"
#include "store/chunk_store.h"
#include "store/index.h"
#include "store/seen_chunks.h"

namespace patina {
namespace {

// Distinct chunks of one image.
struct Distinct {
  uint64_t chunks_count = 0;
  uint64_t bytes = 0;
  uint64_t stored_bytes = 0;
};

void add(Distinct& distinct, const IndexEntry& entry, const ChunkStore* store) {
  ++distinct.chunks_count;
  distinct.bytes += entry.length_bytes;
  if (store != nullptr) distinct.stored_bytes += store->stored_bytes(entry.id);
}

nlohmann::ordered_json distinct_json(const Distinct& distinct, bool with_stored) {
  nlohmann::ordered_json json = {{"chunks_count", distinct.chunks_count}, {"bytes", distinct.bytes}};
  json["stored_bytes"] =
      with_stored ? nlohmann::ordered_json(distinct.stored_bytes) : nlohmann::ordered_json(nullptr);
  return json;
}

// Bytes of the second image that differ or are at other places, up to the shorter size, and the excess size
// of one; and their number in each cell of equal size, over the longer image.
struct Changed {
  uint64_t bytes = 0;
  uint64_t extents_count = 0;
  uint64_t cell_bytes = 0;
  std::vector<uint64_t> cells;

  void make_cells(uint64_t image_bytes, uint64_t cells_count) {
    if (cells_count == 0 || image_bytes == 0) return;
    cell_bytes = image_bytes / cells_count + (image_bytes % cells_count == 0 ? 0 : 1);
    cells.resize(image_bytes / cell_bytes + (image_bytes % cell_bytes == 0 ? 0 : 1));
  }

  void add(uint64_t begin_bytes, uint64_t end_bytes) {
    bytes += end_bytes - begin_bytes;
    while (!cells.empty() && begin_bytes < end_bytes) {
      const uint64_t cell = begin_bytes / cell_bytes;
      const uint64_t next = std::min(end_bytes, (cell + 1) * cell_bytes);
      cells[cell] += next - begin_bytes;
      begin_bytes = next;
    }
  }
};

Result<Changed> changed_between(IndexReader& one, IndexReader& other, uint64_t cells_count) {
  Changed changed;
  const uint64_t longer = std::max(one.image_bytes(), other.image_bytes());
  changed.make_cells(longer, cells_count);
  IndexEntry left;
  IndexEntry right;
  uint64_t at = 0;
  bool was_changed = false;
  const uint64_t end_bytes = std::min(one.image_bytes(), other.image_bytes());
  const auto advance = [&at](IndexReader& index, IndexEntry& entry) -> Status {
    while (entry.offset_bytes + entry.length_bytes <= at) {
      const Result<IndexEntry> next = index.next();
      if (!next) return next.error();
      entry = *next;
    }
    return ok_status();
  };
  while (at < end_bytes) {
    if (Status status = advance(one, left); !status) return status.error();
    if (Status status = advance(other, right); !status) return status.error();
    const uint64_t next =
        std::min({left.offset_bytes + left.length_bytes, right.offset_bytes + right.length_bytes, end_bytes});
    const bool same = left.id == right.id && left.offset_bytes == right.offset_bytes;
    if (!same) {
      changed.add(at, next);
      changed.extents_count += was_changed ? 0 : 1;
    }
    was_changed = !same;
    at = next;
  }
  changed.add(end_bytes, longer);
  if (longer > end_bytes && !was_changed) ++changed.extents_count;
  return changed;
}

// Counts of chunks in one only, in the other only, in both. Of each chunk 64 bits are compared.
struct Sharing {
  Distinct shared;
  Distinct only_first;
  Distinct only_second;
};

Result<Sharing> sharing_of(IndexReader& first, IndexReader& second, const ChunkStore* store) {
  const auto all_of = [](IndexReader& index) -> Result<SeenChunks> {
    SeenChunks seen;
    for (index.rewind(); !index.at_end();) {
      const Result<IndexEntry> entry = index.next();
      if (!entry) return entry.error();
      seen.insert(entry->id);
    }
    return seen;
  };
  const Result<SeenChunks> in_first = all_of(first);
  if (!in_first) return in_first.error();
  const Result<SeenChunks> in_second = all_of(second);
  if (!in_second) return in_second.error();
  Sharing sharing;
  const auto count = [store](IndexReader& index, const SeenChunks& other, Distinct* both,
                             Distinct& only) -> Status {
    SeenChunks counted;
    for (index.rewind(); !index.at_end();) {
      const Result<IndexEntry> entry = index.next();
      if (!entry) return entry.error();
      if (!counted.insert(entry->id)) continue;
      if (!other.contains(entry->id)) {
        add(only, *entry, store);
      } else if (both != nullptr) {
        add(*both, *entry, store);
      }
    }
    return ok_status();
  };
  if (Status status = count(first, *in_second, &sharing.shared, sharing.only_first); !status) {
    return status.error();
  }
  if (Status status = count(second, *in_first, nullptr, sharing.only_second); !status) return status.error();
  return sharing;
}

}  // namespace

Status run_diff(const DiffOptions& options, EventSink& sink, const std::atomic<bool>& /*stop*/) {
  const Error stdout_closed{ErrorCode::kCanceled, "stdout is closed"};
  if (!sink.emit(hello_event("diff"))) return stdout_closed;
  const Stopwatch watch;
  const Result<std::unique_ptr<IndexReader>> first = IndexReader::open(options.index_file);
  if (!first) return first.error();
  const Result<std::unique_ptr<IndexReader>> second = IndexReader::open(options.other_index_file);
  if (!second) return second.error();
  std::unique_ptr<ChunkStore> store;
  if (!options.store.empty()) {
    Result<std::unique_ptr<ChunkStore>> opened = ChunkStore::open(options.store);
    if (!opened) return opened.error();
    store = std::move(*opened);
  }
  const Result<Changed> changed = changed_between(**first, **second, options.cells_count);
  if (!changed) return changed.error();
  const Result<Sharing> sharing = sharing_of(**first, **second, store.get());
  if (!sharing) return sharing.error();
  const bool with_stored = store != nullptr;
  const nlohmann::ordered_json map =
      changed->cells.empty()
          ? nlohmann::ordered_json(nullptr)
          : nlohmann::ordered_json{{"cell_bytes", changed->cell_bytes}, {"changed_bytes", changed->cells}};
  const bool read = sink.emit({{"type", "summary"},
                               {"command", "diff"},
                               {"first_bytes", (*first)->image_bytes()},
                               {"second_bytes", (*second)->image_bytes()},
                               {"changed_bytes", changed->bytes},
                               {"changed_extents_count", changed->extents_count},
                               {"shared", distinct_json(sharing->shared, with_stored)},
                               {"only_first", distinct_json(sharing->only_first, with_stored)},
                               {"only_second", distinct_json(sharing->only_second, with_stored)},
                               {"map", map},
                               {"elapsed_s", watch.elapsed_s()}});
  return read ? ok_status() : Status(stdout_closed);
}

}  // namespace patina
