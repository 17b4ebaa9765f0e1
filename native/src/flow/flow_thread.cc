// The loop of a thread, and the operations that wait or end the run.
#include "flow/flow_thread.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <thread>

#include "executor/file_system.h"
#include "flow/async_writes.h"
#include "flow/flow_timer.h"

namespace patina {
namespace {

constexpr uint64_t kMostDelayS = 1'000'000'000;

}  // namespace

void FlowRun::request_stop() {
  stop = true;
  for (const std::unique_ptr<FileSet>& set : file_sets) set->wake_all();
  for (const auto& [name, semaphore] : semaphores) semaphore->wake_all();
  for (const auto& [name, block] : blocks) block->wake_all();
  events.wake_all();
}

FlowThread::FlowThread(FlowRun& run, const ThreadSpec& spec, uint64_t number)
    : run_(run),
      random_(run.seed * 1'000'003 + number + 1),
      slots_(kFlowSlots),
      implicit_(run.file_sets.size()),
      rotating_(run.file_sets.size()),
      rotating_at_(run.file_sets.size()),
      rotors_(run.file_sets.size()) {
  for (const FlowSpec& operation : spec.flow) flow_.push_back(node_of(operation));
}

FlowThread::~FlowThread() = default;

FlowThread::Node FlowThread::node_of(const FlowSpec& spec) {
  Node node;
  node.spec = &spec;
  all_figures_.push_back(std::make_unique<FlowFigures>());
  all_specs_.push_back(&spec);
  node.figures = all_figures_.back().get();
  if (spec.kind == FlowKind::kSemaphoreWait) {
    auto semaphore = std::make_unique<FlowSemaphore>(spec.high_water.whole(random_));
    node.semaphore = semaphore.get();
    run_.semaphores.emplace(spec.name, std::move(semaphore));
  }
  if (spec.kind == FlowKind::kBlock) {
    auto block = std::make_unique<FlowBlock>();
    node.block = block.get();
    run_.blocks.emplace(spec.name, std::move(block));
  }
  for (const FlowSpec& inner : spec.group) node.group.push_back(node_of(inner));
  return node;
}

std::vector<FlowThread::Named> FlowThread::figures() const {
  std::vector<Named> named;
  named.reserve(all_specs_.size());
  for (size_t i = 0; i < all_specs_.size(); ++i) named.push_back({all_specs_[i], all_figures_[i].get()});
  return named;
}

void FlowThread::work() {
  Outcome outcome = Outcome::kDone;
  while (outcome == Outcome::kDone && !is_stopped()) outcome = carry_out(flow_);
  const EndMode mode = run_.personality.end_mode;
  if (outcome == Outcome::kFinished || (outcome == Outcome::kNoFile && mode == EndMode::kFirstDone))
    run_.request_stop();
  if (async_ != nullptr) {
    if (const int code = async_->wait(async_->outstanding_count()); code != 0) {
      run_.failure.set({file_system_error(code),
                        fmt::format("an asynchronous write has failed: {}", std::strerror(code))});
    }
    async_.reset();
  }
  if (run_.failure.happened()) run_.request_stop();
  run_.running_count.fetch_sub(1);
}

FlowThread::Outcome FlowThread::carry_out(std::vector<Node>& nodes) {
  for (Node& node : nodes) {
    const FlowSpec& spec = *node.spec;
    const bool is_once = spec.iterations.distribution == Distribution::kConstant && spec.iterations.mean == 1;
    const uint64_t count = is_once ? 1 : spec.iterations.whole(random_);
    for (uint64_t i = 0; i < count; ++i) {
      if (is_stopped()) return Outcome::kStopped;
      const Outcome outcome = spec.kind == FlowKind::kGroup ? carry_out(node.group) : carry_out_once(node);
      if (outcome != Outcome::kDone) return outcome;
    }
  }
  return Outcome::kDone;
}

FlowThread::Outcome FlowThread::carry_out_once(Node& node) {
  switch (node.spec->kind) {
    case FlowKind::kRead:
      return read(node);
    case FlowKind::kWrite:
      return write(node);
    case FlowKind::kReadWholeFile:
      return read_whole(node);
    case FlowKind::kWriteWholeFile:
      return write_whole(node);
    case FlowKind::kAppend:
      return append(node, /*is_random=*/false);
    case FlowKind::kAppendRandom:
      return append(node, /*is_random=*/true);
    case FlowKind::kAsyncWrite:
      return async_write(node);
    case FlowKind::kAsyncWait:
      return async_wait(node);
    case FlowKind::kOpen:
      return open(node);
    case FlowKind::kCreate:
      return create(node);
    case FlowKind::kClose:
      return close(node);
    case FlowKind::kDelete:
      return remove(node);
    case FlowKind::kStat:
      return stat(node);
    case FlowKind::kSync:
      return sync(node);
    case FlowKind::kSyncSet:
      return sync_set(node);
    case FlowKind::kMakeDirectory:
      return make_directory(node);
    case FlowKind::kRemoveDirectory:
      return remove_directory(node);
    case FlowKind::kListDirectory:
      return list_directory(node);
    default:
      return wait_or_limit(node);
  }
}

FlowThread::Outcome FlowThread::wait_or_limit(Node& node) {
  const FlowSpec& spec = *node.spec;
  if (!node.is_resolved) resolve(node);
  const FlowTimer timer;
  bool goes_on = true;
  switch (spec.kind) {
    case FlowKind::kBlock:
      goes_on = node.block->wait(run_.stop);
      break;
    case FlowKind::kWakeUp:
      for (FlowBlock* block : node.woken) block->wake_all();
      break;
    case FlowKind::kSemaphoreWait:
      goes_on = node.semaphore->wait(spec.value.whole(random_), run_.stop);
      break;
    case FlowKind::kSemaphorePost:
      for (FlowSemaphore* semaphore : node.posted) {
        goes_on = goes_on && semaphore->post(spec.value.whole(random_), spec.blocking, run_.stop);
      }
      break;
    case FlowKind::kHog: {
      volatile char burnt = 0;
      for (uint64_t left = spec.value.whole(random_); left > 0 && !is_stopped(); --left) burnt = 1;
      static_cast<void>(burnt);
      break;
    }
    case FlowKind::kDelay: {
      const uint64_t seconds = std::min(spec.value.whole(random_), kMostDelayS);
      const auto due = std::chrono::steady_clock::now() + std::chrono::seconds(seconds);
      while (!run_.stop && std::chrono::steady_clock::now() < due)
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
      break;
    }
    case FlowKind::kEventLimit:
      goes_on = run_.events.take(1, run_.stop);
      break;
    case FlowKind::kReadWriteLimit:
      goes_on = limit(node, &FlowTotals::io_count, 1);
      break;
    case FlowKind::kOperationLimit:
      goes_on = limit(node, &FlowTotals::ops_count, 1);
      break;
    case FlowKind::kBandwidthLimit:
      goes_on = limit(node, nullptr, 0x1p20);
      break;
    case FlowKind::kFinishOnCount:
      if (measured(node, &FlowTotals::ops_count) >= spec.value.whole(random_)) return Outcome::kFinished;
      break;
    case FlowKind::kFinishOnBytes:
      if (measured(node, nullptr) > spec.value.whole(random_)) return Outcome::kFinished;
      break;
    default:
      break;
  }
  if (!goes_on) return Outcome::kStopped;
  timer.note(run_, *node.figures);
  return Outcome::kDone;
}

void FlowThread::resolve(Node& node) {
  node.is_resolved = true;
  const std::string& target = node.spec->target;
  if (target.empty()) return;
  const auto [first_semaphore, last_semaphore] = run_.semaphores.equal_range(target);
  for (auto it = first_semaphore; it != last_semaphore; ++it) node.posted.push_back(it->second.get());
  const auto [first_block, last_block] = run_.blocks.equal_range(target);
  for (auto it = first_block; it != last_block; ++it) node.woken.push_back(it->second.get());
  for (size_t i = 0; i < all_specs_.size(); ++i) {
    if (all_specs_[i]->name == target) node.measured.push_back(all_figures_[i].get());
  }
}

// Returns the count, or with null the bytes, of the target in this thread; without a target those of the
// whole process.
uint64_t FlowThread::measured(const Node& node, std::atomic<uint64_t> FlowTotals::* total) const {
  uint64_t sum = 0;
  if (!node.spec->target.empty()) {
    for (const FlowFigures* figures : node.measured)
      sum += total == nullptr ? figures->all_bytes : figures->all_count;
    return sum;
  }
  for (const FlowThread* thread : process_) {
    const FlowTotals& totals = thread->totals_;
    sum += total == nullptr ? totals.read_bytes.load(std::memory_order_relaxed) +
                                  totals.written_bytes.load(std::memory_order_relaxed)
                            : (totals.*total).load(std::memory_order_relaxed);
  }
  return sum;
}

// Takes an event for each `unit` that was done since the last call; the first call only looks.
bool FlowThread::limit(Node& node, std::atomic<uint64_t> FlowTotals::* total, double unit) {
  if (!run_.events.is_limited()) return true;
  const uint64_t now = measured(node, total);
  const uint64_t before = std::exchange(node.seen_count, now);
  if (before == 0) return true;
  return run_.events.take(static_cast<double>(now - before) / unit, run_.stop);
}

FlowThread::Outcome FlowThread::fail(const Node& node, const char* what, int code) {
  run_.failure.set(
      {file_system_error(code), fmt::format("operation {} ({}): cannot {}: {}", node.spec->name,
                                            flow_kind_name(node.spec->kind), what, std::strerror(code))});
  return Outcome::kStopped;
}

FlowThread::Outcome FlowThread::refuse(const Node& node, const std::string& why) {
  run_.failure.set({ErrorCode::kWorkloadInvalid, fmt::format("operation {} ({}): {}", node.spec->name,
                                                             flow_kind_name(node.spec->kind), why)});
  return Outcome::kStopped;
}

FlowThread::Outcome FlowThread::no_file(const Node& node, const FileSet& set) {
  if (run_.stop) return Outcome::kStopped;
  if (run_.personality.end_mode != EndMode::kTimeout) return Outcome::kNoFile;
  return refuse(
      node,
      fmt::format("no suitable file is left in '{}' ({} files). Give it more files, run it shorter, or add "
                  "'set mode quit firstdone'",
                  set.spec().name, set.files_count()));
}

}  // namespace patina
