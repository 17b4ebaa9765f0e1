// Rapid aging fills, stable aging turns over; every choice is the largest deficit, the largest surplus, or
// the seeded generator's.
#include "model/plan.h"

#include <algorithm>
#include <cassert>
#include <cmath>

namespace patina {
namespace {

// Returns half the width of the band around the target fullness in which the generator decides.
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

double fullness_band(const Forecast& forecast) {
  return static_cast<double>(band_bytes(forecast)) / static_cast<double>(forecast.request.capacity_bytes);
}

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

// Considers only bins with a file: an empty one may tie with a surplus of zero.
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

Sha256 stream_digest_of(const DirectoryTree& tree) {
  Sha256 digest;
  digest.update("patina plan 2\n");
  std::vector<uint32_t> parents(tree.count());
  for (uint32_t i = 0; i < tree.count(); ++i) parents[i] = tree.parent(i);
  const uint64_t directories_count = parents.size();
  digest.update(&directories_count, sizeof directories_count);
  digest.update(parents.data(), directories_count * sizeof(uint32_t));
  return digest;
}

Planner::Planner(const Forecast& forecast)
    : horizon_(forecast.horizon_ops_count),
      block_size_bytes_(forecast.request.block_size_bytes),
      sizes_(forecast.size, forecast.request.size_draw, forecast.request.seed),
      mix_(forecast.request.mix),
      tree_(forecast.subdirs_count),
      random_(forecast.request.seed),
      window_(forecast.age.size() - 1) {
  const auto capacity = static_cast<double>(forecast.request.capacity_bytes);
  target_bytes_ = static_cast<uint64_t>(forecast.request.fullness * capacity);
  const uint64_t band = band_bytes(forecast);
  least_bytes_ = target_bytes_ > band ? target_bytes_ - band : 0;
  most_bytes_ = target_bytes_ + band;
  for (const SizeBin& bin : forecast.size) size_.target.push_back(bin.fraction);
  for (const DepthBin& bin : forecast.depth) {
    // A bin without files may be deeper than the tree.
    const bool in_tree = bin.depth < forecast.subdirs_count.size();
    first_directory_.push_back(in_tree ? tree_.first_at(bin.depth) : 0);
    fill_.emplace_back(in_tree ? tree_.count_at(bin.depth) : 1);
    depth_.target.push_back(bin.fraction);
  }
  size_.count.resize(size_.target.size());
  depth_.count.resize(depth_.target.size());
  age_.count.resize(forecast.age.size());
  live_.resize(forecast.age.size());
  place_windows(forecast);
  digest_ = stream_digest_of(tree_);
}

void Planner::place_windows(const Forecast& forecast) {
  const auto ticks = static_cast<double>(horizon_);
  window_end_.clear();
  double younger_edge = 0;
  for (const AgeBin& bin : forecast.age) {
    window_end_.push_back(static_cast<uint64_t>(std::floor(ticks * (1 - younger_edge))));
    younger_edge = bin.age / forecast.age.back().age;
  }
  age_.target = forecast.age_reachable;
  first_ordinal_.assign(forecast.age.size(), UINT64_MAX);
  first_ordinal_.back() = 0;
}

void Planner::revise(const Forecast& revised) {
  assert(revised.horizon_ops_count >= tick_ + mix_.owing_count());
  horizon_ = revised.horizon_ops_count;
  place_windows(revised);
  std::vector<LiveFile> files;
  for (LiveFiles& window : live_) {
    if (window.empty()) continue;
    files.insert(files.end(), window.begin(), window.end());
    window.clear();
  }
  // By ordinal, so that the windows' order does not depend on how often the plan was revised.
  std::sort(files.begin(), files.end(),
            [](const LiveFile& a, const LiveFile& b) { return a.ordinal < b.ordinal; });
  std::fill(age_.count.begin(), age_.count.end(), 0);
  window_ = live_.size() - 1;
  for (const LiveFile& file : files) {
    while (file.tick > window_end_[window_]) first_ordinal_[--window_] = file.ordinal;
    live_[window_].push_back(file);
    ++age_.count[window_];
  }
  digest_.update("revise\n");
  digest_.update(&tick_, sizeof tick_);
  digest_.update(&horizon_, sizeof horizon_);
}

std::vector<uint64_t> Planner::live_ticks() const {
  std::vector<uint64_t> ticks;
  ticks.reserve(creates_count_ - deletes_count_);
  for (const LiveFiles& window : live_) {
    for (const LiveFile& file : window) ticks.push_back(file.tick);
  }
  std::sort(ticks.begin(), ticks.end());
  return ticks;
}

std::vector<Operation> Planner::live_files() const {
  std::vector<Operation> files;
  files.reserve(creates_count_ - deletes_count_);
  for (const LiveFiles& window : live_) {
    for (const LiveFile& file : window) files.push_back(operation_on(file, OperationKind::kCreate));
  }
  std::sort(files.begin(), files.end(),
            [](const Operation& a, const Operation& b) { return a.file < b.file; });
  return files;
}

// Ordinals ascend with ticks: a window begins with the first ordinal that lives in it.
size_t Planner::window_of_ordinal(uint64_t ordinal) const {
  size_t window = live_.size() - 1;
  for (size_t i = live_.size(); i-- > 0;) {
    if (first_ordinal_[i] <= ordinal) window = i;
  }
  return window;
}

size_t Planner::next(std::span<Operation> block) {
  const size_t planned = static_cast<size_t>(std::min<uint64_t>(block.size(), horizon_ - tick_));
  for (Operation& operation : block.first(planned)) {
    ++tick_;
    while (tick_ > window_end_[window_]) first_ordinal_[--window_] = creates_count_ + 1;
    operation = step();
    if (rapid_) {
      rapid_ = live_bytes_ < target_bytes_;
    } else {
      least_stable_bytes_ = std::min(least_stable_bytes_, live_bytes_);
      most_stable_bytes_ = std::max(most_stable_bytes_, live_bytes_);
    }
  }
  digest_.update(block.data(), planned * sizeof(Operation));
  return planned;
}

Operation Planner::step() {
  if (rapid_) return create();
  if (mix_.active()) {
    if (mix_.owing_count() >= operations_left()) {
      const std::optional<Operation> due = append();
      assert(due);
      return *due;
    }
    const OperationKind kind = mix_.draw(random_);
    if (kind != OperationKind::kCreate) {
      if (std::optional<Operation> modification = modify(kind)) return *modification;
    }
  }
  return choose_create() ? create() : remove();
}

bool Planner::choose_create() {
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

Operation Planner::operation_on(const LiveFile& file, OperationKind kind) const {
  Operation operation;
  operation.file = file.ordinal;
  operation.bytes = bytes_of(file);
  operation.directory = file.directory;
  operation.kind = kind;
  operation.renamed = file.renamed;
  return operation;
}

Operation Planner::create() {
  const auto live_files = static_cast<double>(creates_count_ - deletes_count_ + 1);
  const size_t size_bin = size_.largest_deficit(live_files);
  const size_t depth_bin = depth_.largest_deficit(live_files);
  const uint32_t directory = first_directory_[depth_bin] + fill_[depth_bin].add_to_least_filled();
  const LiveFile file{++creates_count_,
                      tick_,
                      directory,
                      static_cast<uint16_t>(size_bin),
                      static_cast<uint8_t>(depth_bin),
                      0};
  live_[window_].push_back(file);
  ++size_.count[size_bin];
  ++depth_.count[depth_bin];
  ++age_.count[window_];
  Operation operation = operation_on(file, OperationKind::kCreate);
  const uint64_t rounded_bytes = round_up(operation.bytes, block_size_bytes_);
  live_bytes_ += rounded_bytes;
  written_bytes_ += rounded_bytes;
  if (!rapid_ && may_owe() && operation.bytes > 0 && mix_.take_short_create()) {
    operation.place = static_cast<uint16_t>(1 + random_.below(UINT16_MAX));
    written_bytes_ -= rounded_bytes - touched_range(operation, block_size_bytes_).begin_bytes;
    mix_.owe(operation);
  }
  return operation;
}

Operation Planner::remove() {
  const size_t window = age_.largest_surplus(static_cast<double>(creates_count_ - deletes_count_));
  LiveFiles& files = live_[window];
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
  if (mix_.owes(file.ordinal)) mix_.forget(file.ordinal);
  const Operation operation = operation_on(file, OperationKind::kDelete);
  live_bytes_ -= round_up(operation.bytes, block_size_bytes_);
  return operation;
}

// Returns nothing when no file qualifies.
std::optional<Operation> Planner::modify(OperationKind kind) {
  if (kind == OperationKind::kAppend) {
    if (mix_.owing_count() == 0) mix_.want_short_create();
    return append();
  }
  const bool leaves_debt = kind == OperationKind::kTruncate || kind == OperationKind::kPunchHole;
  if (leaves_debt && !may_owe()) return append();
  if (creates_count_ == deletes_count_) return std::nullopt;
  LiveFile& file = any_live_file();
  if (kind == OperationKind::kRename) {
    const Operation operation = operation_on(file, kind);
    file.renamed ^= 1U;
    if (mix_.owes(file.ordinal)) mix_.rename(file.ordinal);
    ++modifications_count_;
    return operation;
  }
  Operation operation = operation_on(file, kind);
  if (operation.bytes == 0 || mix_.owes(file.ordinal)) return std::nullopt;
  operation.place = static_cast<uint16_t>(random_.below(UINT16_MAX + 1));
  if (leaves_debt) {
    mix_.owe(operation);
  } else {
    written_bytes_ += touched_range(operation, block_size_bytes_).length_bytes();
  }
  ++modifications_count_;
  return operation;
}

std::optional<Operation> Planner::append() {
  std::optional<Operation> operation = mix_.pay();
  if (!operation) return std::nullopt;
  const ByteRange lacking = touched_range(*operation, block_size_bytes_);
  const bool is_hole = operation->kind == OperationKind::kPunchHole;
  written_bytes_ += is_hole ? lacking.length_bytes() : operation->bytes - lacking.begin_bytes;
  operation->kind = OperationKind::kAppend;
  ++modifications_count_;
  return operation;
}

Planner::LiveFile& Planner::any_live_file() {
  const uint64_t live_files = creates_count_ - deletes_count_;
  assert(live_files > 0 && live_files <= UINT32_MAX);
  uint64_t at = random_.below(static_cast<uint32_t>(live_files));
  size_t window = 0;
  while (at >= live_[window].size()) at -= live_[window++].size();
  return live_[window][at];
}

PlanState Planner::state() const {
  PlanState state;
  state.tick = tick_;
  state.creates_count = creates_count_;
  state.deletes_count = deletes_count_;
  state.modifications_count = modifications_count_;
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

Turnover turnover_of(const Forecast& forecast, const Planner& planner) {
  return {forecast.expected_files, forecast.request.mix.churn_fraction(), static_cast<double>(planner.tick()),
          planner.live_ticks()};
}

}  // namespace patina
