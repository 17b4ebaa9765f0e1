// Counts operations, keeps deleted files open, and moves the thread between processors.
#include "executor/writeback.h"

#include <fmt/format.h>

#include <cstring>
#include <utility>

#include "model/file_name.h"

namespace patina {

Writeback::Writeback(FileSystem& file_system, const WritebackRule& rule)
    : file_system_(file_system), rule_(rule) {
  if (!rule_.on_any_processor || sched_getaffinity(0, sizeof allowed_, &allowed_) != 0) return;
  for (int i = 0; i < CPU_SETSIZE; ++i) {
    if (CPU_ISSET(i, &allowed_)) processors_.push_back(i);
  }
}

void Writeback::before(const Operation& op) {
  if (!rule_.keeps_freed || rule_.interval_ops == 0 || !op.is_delete()) return;
  Descriptor kept = file_system_.keep(op);
  if (kept.valid()) kept_.push_back(std::move(kept));
}

Status Writeback::after(const Operation& op) {
  if (rule_.interval_ops == 0) return ok_status();
  const bool writes =
      op.is_create() || op.kind == OperationKind::kAppend || op.kind == OperationKind::kOverwrite;
  if (writes) written_.push_back(op);
  return ++ops_count_ < rule_.interval_ops ? ok_status() : write_back();
}

bool Writeback::release_freed() {
  const bool any = !kept_.empty();
  kept_.clear();
  return any;
}

void Writeback::end_batch() {
  ops_count_ = 0;
  written_.clear();
  kept_.clear();
}

Status Writeback::write_back() {
  const bool moves = processors_.size() > 1;
  if (moves) move_to_any_processor();
  Status done = ok_status();
  for (const Operation& written : written_) {
    const int code = file_system_.write_back(written);
    if (code == 0) continue;
    done = Error{file_system_error(code),
                 fmt::format("cannot write back file '{}' in directory {}: {}", name_of(written).c_str(),
                             written.directory, std::strerror(code))};
    break;
  }
  if (moves) sched_setaffinity(0, sizeof allowed_, &allowed_);
  end_batch();
  return done;
}

// If the processor may no longer be used, the thread does not move.
void Writeback::move_to_any_processor() {
  const int processor = processors_[random_.below(static_cast<uint32_t>(processors_.size()))];
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(processor, &one);
  sched_setaffinity(0, sizeof one, &one);
}

}  // namespace patina
