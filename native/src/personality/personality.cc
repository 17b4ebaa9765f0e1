// Sums over a personality, and the names of operations.
#include "personality/personality.h"

#include <algorithm>

namespace patina {
namespace {

constexpr double kMost = 0x1p62;

struct KindRow {
  const char* name;
  bool is_counted;
};

#define PATINA_ROW(enumerator, word, is_counted) {word, is_counted},
constexpr KindRow kKinds[] = {PATINA_FLOW_OPERATIONS(PATINA_ROW){"group", false}};
#undef PATINA_ROW

}  // namespace

const char* flow_kind_name(FlowKind kind) {
  return kKinds[static_cast<size_t>(kind)].name;
}

bool is_counted(FlowKind kind) {
  return kKinds[static_cast<size_t>(kind)].is_counted;
}

uint64_t Personality::threads_count() const {
  uint64_t count = 0;
  for (const ProcessSpec& process : processes) {
    for (const ThreadSpec& thread : process.threads) {
      count += uint64_t{process.instances_count} * thread.instances_count;
    }
  }
  return count;
}

double Personality::files_count() const {
  double count = 0;
  for (const FileSetSpec& set : file_sets) count += set.files_count.expected();
  return count;
}

double Personality::expected_bytes() const {
  double bytes = 0;
  for (const FileSetSpec& set : file_sets) {
    bytes += std::max(set.files_count.expected(), 0.0) * std::max(set.bytes.expected(), 0.0);
  }
  return std::min(bytes, kMost);
}

}  // namespace patina
