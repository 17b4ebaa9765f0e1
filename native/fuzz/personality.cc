// Fuzzes workload files.
#include <cmath>

#include "flow/file_set.h"
#include "fuzzing.h"
#include "personality/scale.h"

namespace patina {
namespace {

constexpr double kMostThreads = 10'000;
constexpr double kMostFilesOfASet = 2000;  // of one that is drawn here

void require_number(const Number& number) {
  Random random(1);
  for (int i = 0; i < 4; ++i) require(std::isfinite(number.sample(random)), "a finite number");
  require(number.whole(random) <= uint64_t{1} << 62U, "a whole number");
}

void require_flow(const std::vector<FlowSpec>& flow, size_t sets_count) {
  for (const FlowSpec& spec : flow) {
    require(spec.file_set < static_cast<int>(sets_count), "a file set that exists");
    for (const Number* number : {&spec.iterations, &spec.io_bytes, &spec.working_set_bytes, &spec.value})
      require_number(*number);
    if (spec.index) require_number(*spec.index);
    require_flow(spec.group, sets_count);
  }
}

bool is_small(const FileSetSpec& spec) {
  return spec.files_count.distribution == Distribution::kConstant &&
         spec.leaf_directories_count.distribution == Distribution::kConstant &&
         spec.files_count.mean + spec.leaf_directories_count.mean <= kMostFilesOfASet;
}

void require_sense(const Personality& personality) {
  require(personality.threads_count() > 0 && static_cast<double>(personality.threads_count()) <= kMostThreads,
          "threads");
  require(personality.expected_bytes() >= 0 && std::isfinite(personality.expected_bytes()), "bytes");
  require(personality.files_count() <= kMaxEntries, "files that fit into memory");
  require(personality.run_s >= 0 && std::isfinite(personality.run_s), "a time");
  for (const FileSetSpec& spec : personality.file_sets) {
    for (const Number* number : {&spec.bytes, &spec.files_count, &spec.directory_width})
      require_number(*number);
    if (!is_small(spec)) continue;
    const FileSet set(spec, 1);
    require(static_cast<double>(set.files_count()) <= kMostFilesOfASet, "the files that it asks for");
  }
  for (const ProcessSpec& process : personality.processes) {
    for (const ThreadSpec& thread : process.threads) require_flow(thread.flow, personality.file_sets.size());
  }
}

}  // namespace
}  // namespace patina

int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  for (const patina::ScaleLimits& limits :
       {patina::ScaleLimits{}, patina::ScaleLimits{std::nullopt, uint64_t{1} << 20U, 100}}) {
    const patina::Result<patina::ScaledPersonality> read =
        patina::read_scaled(patina::text_of(data, size), "fuzz", limits);
    if (!read) {
      patina::require(read.error().code == patina::ErrorCode::kWorkloadInvalid, "kWorkloadInvalid");
      return 0;
    }
    patina::require_sense(read->personality);
  }
  return 0;
}
