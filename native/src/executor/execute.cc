// Spreads directories and passes operations to the lanes in batches.
#include "executor/execute.h"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>
#include <cstring>
#include <numeric>

namespace patina {

std::vector<uint16_t> spread_directories(const Forecast& forecast, const DirectoryTree& tree,
                                         int lanes_count) {
  std::vector<double> load(tree.count(), 0);
  for (const DepthBin& bin : forecast.depth) {
    if (bin.fraction <= 0) continue;
    for (uint32_t i = 0; i < tree.count_at(bin.depth); ++i) {
      load[tree.first_at(bin.depth) + i] = bin.fraction / tree.count_at(bin.depth);
    }
  }
  // Assigns the heaviest first, each to the lane with the least load.
  std::vector<uint32_t> order(tree.count());
  std::iota(order.begin(), order.end(), 0);
  std::stable_sort(order.begin(), order.end(), [&load](uint32_t a, uint32_t b) { return load[a] > load[b]; });
  std::vector<double> lane_load(static_cast<size_t>(lanes_count), 0);
  std::vector<uint16_t> lane_of_directory(tree.count());
  for (const uint32_t directory : order) {
    const auto lightest = std::min_element(lane_load.begin(), lane_load.end());
    *lightest += load[directory];
    lane_of_directory[directory] = static_cast<uint16_t>(lightest - lane_load.begin());
  }
  return lane_of_directory;
}

Executor::Executor(FileSystem& file_system, std::vector<uint16_t> lane_of_directory, int lanes_count,
                   const WritebackRule& writeback)
    : file_system_(file_system),
      lane_of_directory_(std::move(lane_of_directory)),
      gathering_(static_cast<size_t>(lanes_count)),
      submitted_(static_cast<size_t>(lanes_count), 0) {
  assert(lanes_count > 0);
  for (int i = 0; i < lanes_count; ++i) {
    lanes_.push_back(std::make_unique<Lane>(file_system, failure_, writeback));
  }
}

void Executor::submit(std::span<const Operation> ops) {
  for (const Operation& op : ops) {
    if (op.kind == OperationKind::kMakeDirectory) {
      make_directory(op);
      continue;
    }
    const size_t lane = lane_of_directory_[op.directory];
    Batch& batch = gathering_[lane];
    if (batch.capacity() == 0) batch.reserve(kBatchOps);
    batch.push_back(op);
    if (batch.size() < kBatchOps) continue;
    submitted_[lane] += batch.size();
    lanes_[lane]->push(std::exchange(batch, {}));
  }
}

void Executor::make_directory(const Operation& op) {
  drain();
  assert(op.directory == lane_of_directory_.size());
  lane_of_directory_.push_back(static_cast<uint16_t>(op.directory % lanes_.size()));
  ++made_count_;
  if (failure_.happened()) return;
  if (const int code = file_system_.carry_out(op); code != 0) {
    failure_.set({file_system_error(code),
                  fmt::format("cannot make directory {}: {}", op.directory, std::strerror(code))});
  }
}

void Executor::flush() {
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (gathering_[lane].empty()) continue;
    submitted_[lane] += gathering_[lane].size();
    lanes_[lane]->push(std::exchange(gathering_[lane], {}));
  }
}

void Executor::drain() {
  flush();
  for (size_t lane = 0; lane < lanes_.size(); ++lane) lanes_[lane]->wait_for(submitted_[lane]);
}

void Executor::end_writeback_batch() {
  for (const std::unique_ptr<Lane>& lane : lanes_) lane->end_writeback_batch();
}

uint64_t Executor::executed_count() const {
  uint64_t count = made_count_;
  for (const std::unique_ptr<Lane>& lane : lanes_) count += lane->done_count();
  return count;
}

uint64_t Executor::no_space_count() const {
  uint64_t count = 0;
  for (const std::unique_ptr<Lane>& lane : lanes_) count += lane->no_space_count();
  return count;
}

uint64_t Executor::given_up_count() const {
  uint64_t count = 0;
  for (const std::unique_ptr<Lane>& lane : lanes_) count += lane->given_up_count();
  return count;
}

std::vector<uint64_t> Executor::mark() {
  flush();
  return submitted_;
}

bool Executor::reached(const std::vector<uint64_t>& mark) const {
  for (size_t lane = 0; lane < lanes_.size(); ++lane) {
    if (lanes_[lane]->done_count() < mark[lane]) return false;
  }
  return true;
}

}  // namespace patina
