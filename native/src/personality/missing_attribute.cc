#include "personality/missing_attribute.h"

namespace patina {

std::string_view missing_attribute(const FlowSpec& spec) {
  switch (spec.kind) {
    case FlowKind::kOpen:
    case FlowKind::kCreate:
    case FlowKind::kSyncSet:
    case FlowKind::kMakeDirectory:
    case FlowKind::kRemoveDirectory:
    case FlowKind::kListDirectory:
      return spec.file_set < 0 ? "filesetname" : "";
    case FlowKind::kRead:
    case FlowKind::kWrite:
    case FlowKind::kAppend:
    case FlowKind::kAppendRandom:
    case FlowKind::kAsyncWrite:
      return spec.io_bytes.expected() <= 0 ? "iosize" : "";
    case FlowKind::kWakeUp:
    case FlowKind::kSemaphorePost:
      return spec.target.empty() ? "target" : "";
    default:
      return "";
  }
}

}  // namespace patina
