// Rapid aging fills, stable aging turns over; every choice is the largest deficit, the largest surplus, or
// the seeded generator's.
#include "plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace patina {
namespace {

// Half-width of the band around the target fullness in which the coin decides.
uint64_t band_bytes(const Forecast& forecast) {
  uint64_t largest = 0;
  for (const SizeBin& bin : forecast.size) {
    if (bin.fraction > 0) {
      largest = std::max(largest, round_up(bin.bytes, forecast.request.block_size_bytes));
    }
  }
  return std::max(forecast.request.capacity_bytes / 400, largest);
}

std::vector<uint64_t> to_counts(const std::vector<double>& counts) {
  return {counts.begin(), counts.end()};
}

}  // namespace

size_t Planner::Balance::largest_deficit(double live_files) const {
  size_t best = 0;
  double most = target[0] * live_files - count[0];
  for (size_t i = 1; i < target.size(); ++i) {
    const double deficit = target[i] * live_files - count[i];
    if (deficit > most) {
      most = deficit;
      best = i;
    }
  }
  return best;
}

// Among the bins that hold a file: an empty one may tie with a surplus of zero.
size_t Planner::Balance::largest_surplus(double live_files) const {
  size_t best = 0;
  double most = -HUGE_VAL;
  for (size_t i = 0; i < target.size(); ++i) {
    const double surplus = count[i] - target[i] * live_files;
    if (surplus > most && count[i] > 0) {
      most = surplus;
      best = i;
    }
  }
  return best;
}

Planner::Planner(const Forecast& forecast)
    : horizon_(forecast.horizon_ops_count),
      tree_(forecast.subdirs_count),
      random_(forecast.request.seed),
      window_(forecast.age.size() - 1) {
  const auto capacity = static_cast<double>(forecast.request.capacity_bytes);
  target_bytes_ = static_cast<uint64_t>(forecast.request.fullness * capacity);
  const uint64_t band = band_bytes(forecast);
  least_bytes_ = target_bytes_ > band ? target_bytes_ - band : 0;
  most_bytes_ = target_bytes_ + band;
  for (const SizeBin& bin : forecast.size) {
    file_bytes_.push_back(bin.bytes);
    rounded_bytes_.push_back(round_up(bin.bytes, forecast.request.block_size_bytes));
    size_.target.push_back(bin.fraction);
  }
  for (const DepthBin& bin : forecast.depth) {
    // A bin without files may be deeper than the tree.
    const bool in_tree = bin.depth < forecast.subdirs_count.size();
    first_directory_.push_back(in_tree ? tree_.first_at(bin.depth) : 0);
    fill_.emplace_back(in_tree ? tree_.count_at(bin.depth) : 1);
    depth_.target.push_back(bin.fraction);
  }
  const auto ticks = static_cast<double>(horizon_);
  double younger_edge = 0;
  for (const AgeBin& bin : forecast.age) {
    window_end_.push_back(static_cast<uint64_t>(std::floor(ticks * (1 - younger_edge))));
    younger_edge = bin.age / forecast.age.back().age;
  }
  age_.target = forecast.age_reachable;
  size_.count.resize(size_.target.size());
  depth_.count.resize(depth_.target.size());
  age_.count.resize(age_.target.size());
  live_.resize(age_.target.size());
  describe_to_digest();
}

void Planner::describe_to_digest() {
  digest_.update("patina plan 1\n");
  const uint64_t sizes_count = file_bytes_.size();
  digest_.update(&sizes_count, sizeof sizes_count);
  digest_.update(file_bytes_.data(), sizes_count * sizeof(uint64_t));
  std::vector<uint32_t> parents(tree_.count());
  for (uint32_t i = 0; i < tree_.count(); ++i) parents[i] = tree_.parent(i);
  const uint64_t directories_count = parents.size();
  digest_.update(&directories_count, sizeof directories_count);
  digest_.update(parents.data(), directories_count * sizeof(uint32_t));
}

size_t Planner::next(std::span<PlanOp> block) {
  const size_t planned = static_cast<size_t>(std::min<uint64_t>(block.size(), horizon_ - tick_));
  for (PlanOp& op : block.first(planned)) {
    ++tick_;
    while (tick_ > window_end_[window_]) --window_;
    op = choose_create() ? create() : remove();
    if (rapid_) {
      rapid_ = live_bytes_ < target_bytes_;
    } else {
      least_stable_bytes_ = std::min(least_stable_bytes_, live_bytes_);
      most_stable_bytes_ = std::max(most_stable_bytes_, live_bytes_);
    }
  }
  digest_.update(block.data(), planned * sizeof(PlanOp));
  return planned;
}

bool Planner::choose_create() {
  if (rapid_) return true;
  bool creates = false;
  if (pair_open_) {
    creates = !pair_creates_;
  } else {
    creates = pair_creates_ = random_.coin();
  }
  pair_open_ = !pair_open_;
  if (live_bytes_ > most_bytes_) return false;
  if (live_bytes_ < least_bytes_) return true;
  return creates || creates_count_ == deletes_count_;
}

PlanOp Planner::create() {
  const auto live_files = static_cast<double>(creates_count_ - deletes_count_ + 1);
  const size_t size_bin = size_.largest_deficit(live_files);
  const size_t depth_bin = depth_.largest_deficit(live_files);
  const uint32_t directory = first_directory_[depth_bin] + fill_[depth_bin].add_to_least_filled();
  const uint64_t ordinal = ++creates_count_;
  live_[window_].push_back(
      {ordinal, directory, static_cast<uint16_t>(size_bin), static_cast<uint16_t>(depth_bin)});
  ++size_.count[size_bin];
  ++depth_.count[depth_bin];
  ++age_.count[window_];
  live_bytes_ += rounded_bytes_[size_bin];
  written_bytes_ += rounded_bytes_[size_bin];
  return {ordinal << 1U, directory, static_cast<uint32_t>(size_bin)};
}

PlanOp Planner::remove() {
  const size_t window = age_.largest_surplus(static_cast<double>(creates_count_ - deletes_count_));
  std::vector<LiveFile>& files = live_[window];
  assert(!files.empty() && files.size() <= UINT32_MAX);
  LiveFile& victim = files[random_.below(static_cast<uint32_t>(files.size()))];
  const LiveFile file = victim;
  victim = files.back();
  files.pop_back();
  ++deletes_count_;
  --size_.count[file.size_bin];
  --depth_.count[file.depth_bin];
  --age_.count[window];
  fill_[file.depth_bin].remove_from(file.directory - first_directory_[file.depth_bin]);
  live_bytes_ -= rounded_bytes_[file.size_bin];
  return {file.ordinal << 1U | 1U, file.directory, file.size_bin};
}

PlanState Planner::state() const {
  PlanState state;
  state.tick = tick_;
  state.creates_count = creates_count_;
  state.deletes_count = deletes_count_;
  state.live_bytes = live_bytes_;
  state.written_bytes = written_bytes_;
  state.rapid = rapid_;
  state.least_stable_bytes = least_stable_bytes_;
  state.most_stable_bytes = most_stable_bytes_;
  state.size_counts = to_counts(size_.count);
  state.depth_counts = to_counts(depth_.count);
  state.age_counts = to_counts(age_.count);
  return state;
}

}  // namespace patina
