// Chooses operation kinds; tracks files with a pending append.
#include "model/mix.h"

#include <algorithm>
#include <cassert>

namespace patina {

MixDirector::MixDirector(const Mix& mix)
    : active_(mix.sum() > 0), debt_fraction_(mix.append + mix.truncate + mix.punch_hole) {
  const auto fraction_of = [&mix](OperationKind kind) {
    switch (kind) {
      case OperationKind::kAppend:
        return mix.append;
      case OperationKind::kOverwrite:
        return mix.overwrite;
      case OperationKind::kTruncate:
        return mix.truncate;
      case OperationKind::kRename:
        return mix.rename;
      case OperationKind::kPunchHole:
        return mix.punch_hole;
      case OperationKind::kCreate:
      case OperationKind::kDelete:
      case OperationKind::kMakeDirectory:
        return 0.0;
    }
    return 0.0;
  };
  double sum = 0;
  for (size_t i = 0; i < below_.size(); ++i) {
    sum += fraction_of(static_cast<OperationKind>(i));
    below_[i] = static_cast<uint64_t>(sum * 4294967296.0);
  }
}

OperationKind MixDirector::draw(Random& random) {
  const uint64_t drawn = random.next() >> 32U;
  for (size_t i = 0; i < below_.size(); ++i) {
    if (drawn < below_[i]) return static_cast<OperationKind>(i);
  }
  return OperationKind::kCreate;
}

void MixDirector::owe(const Operation& operation) {
  assert(!full());
  owing_.push_back(operation);
  files_.insert(operation.file);
}

std::optional<Operation> MixDirector::pay() {
  if (owing_.empty()) return std::nullopt;
  const Operation operation = owing_.front();
  owing_.pop_front();
  files_.erase(operation.file);
  return operation;
}

void MixDirector::forget(uint64_t file) {
  files_.erase(file);
  std::erase_if(owing_, [file](const Operation& operation) { return operation.file == file; });
}

void MixDirector::rename(uint64_t file) {
  for (Operation& operation : owing_) {
    if (operation.file == file) operation.renamed ^= 1U;
  }
}

bool MixDirector::take_short_create() {
  if (short_creates_wanted_ == 0 || full()) return false;
  --short_creates_wanted_;
  return true;
}

}  // namespace patina
