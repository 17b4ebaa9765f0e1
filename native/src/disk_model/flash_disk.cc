// Each die and each channel has a clock: the time at which it is free.
#include "disk_model/flash_disk.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

namespace patina {
namespace {

constexpr uint64_t kLeastBlocks = 64;  // of the mapping, so that greedy choice has a choice
// A page waits at most this many times its own program for garbage collection.
constexpr double kMostDebtPrograms = 16;

uint64_t group_units(const FlashSpec& spec, uint64_t capacity_bytes, uint64_t max_sampled_units) {
  const uint64_t units = capacity_bytes / spec.mapping_unit_bytes;
  return std::max<uint64_t>(1, (units + max_sampled_units - 1) / max_sampled_units);
}

uint64_t block_units(const FlashSpec& spec) {
  return spec.block_pages_count * (spec.page_bytes / spec.mapping_unit_bytes);
}

FlashMapShape shape_of(const FlashSpec& spec, uint64_t capacity_bytes, uint64_t group) {
  const uint64_t units = capacity_bytes / spec.mapping_unit_bytes;
  FlashMapShape shape;
  shape.units_count = (units + group - 1) / group;
  shape.block_units_count =
      static_cast<uint32_t>(std::clamp<uint64_t>(shape.units_count / kLeastBlocks, 1, block_units(spec)));
  shape.over_provisioning_fraction = spec.over_provisioning_fraction;
  return shape;
}

uint64_t mixed(uint64_t value) {
  value = (value ^ (value >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27U)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31U);
}

uint64_t transfer_ns(uint64_t bytes, uint64_t bytes_per_s) {
  return static_cast<uint64_t>(static_cast<double>(bytes) * 1e9 / static_cast<double>(bytes_per_s));
}

}  // namespace

FlashDisk::FlashDisk(const FlashSpec& spec, uint64_t capacity_bytes, uint64_t seed,
                     uint64_t max_sampled_units)
    : spec_(spec),
      seed_(seed),
      group_units_(group_units(spec, capacity_bytes, max_sampled_units)),
      map_(shape_of(spec, capacity_bytes, group_units_)),
      page_units_(spec.page_bytes / spec.mapping_unit_bytes),
      dies_count_(uint64_t{spec.channels_count} * spec.channel_dies_count),
      buffer_pages_((spec.write_buffer_bytes + spec.page_bytes - 1) / spec.page_bytes),
      page_transfer_ns_(transfer_ns(spec.page_bytes, spec.channel_bytes_per_s)),
      die_free_ns_(dies_count_),
      die_read_ns_(dies_count_),
      channel_free_ns_(spec.channels_count),
      channel_write_ns_(spec.channels_count) {}

FlashDisk::UnitRange FlashDisk::units_of(const DiskRequest& request) const {
  const uint64_t unit = spec_.mapping_unit_bytes;
  return {request.offset_bytes / unit, (request.offset_bytes + request.length_bytes + unit - 1) / unit};
}

template <typename Action>
void FlashDisk::for_sampled(UnitRange units, const Action& action) {
  for (uint64_t group = units.first / group_units_; group * group_units_ < units.end; ++group) {
    // The last group may be short: then its unit may lie behind the disk's end, and is never written.
    const uint64_t sampled =
        group * group_units_ + (group_units_ == 1 ? 0 : mixed(group ^ seed_) % group_units_);
    if (units.first <= sampled && sampled < units.end) action(static_cast<uint32_t>(group));
  }
}

uint64_t FlashDisk::over_bus(uint64_t bytes, uint64_t start_ns) {
  bus_free_ns_ = std::max(bus_free_ns_, start_ns) + transfer_ns(bytes, spec_.bus_bytes_per_s);
  return bus_free_ns_;
}

uint64_t FlashDisk::end_ns(const DiskRequest& request, uint64_t arrival_ns) {
  use_idle_time(arrival_ns);
  controller_free_ns_ = std::max(arrival_ns, controller_free_ns_) + spec_.controller_overhead_ns;
  const uint64_t start_ns = controller_free_ns_ + spec_.latency_ns;
  uint64_t end = start_ns;
  switch (request.kind) {
    case DiskRequest::Kind::kRead:
      ++reads_count_;
      if (request.length_bytes > 0) end = read(request, start_ns);
      break;
    case DiskRequest::Kind::kWrite:
      ++writes_count_;
      if (request.length_bytes > 0) end = write(request, start_ns);
      break;
    case DiskRequest::Kind::kFlush:
      ++flushes_count_;
      end = flush(start_ns);
      break;
    case DiskRequest::Kind::kDiscard: {
      ++discards_count_;
      const uint64_t unit = spec_.mapping_unit_bytes;
      // A unit that is discarded in part stays.
      for_sampled(
          {(request.offset_bytes + unit - 1) / unit, (request.offset_bytes + request.length_bytes) / unit},
          [this](uint32_t sampled) { map_.discard(sampled); });
      break;
    }
  }
  busy_until_ns_ = std::max({busy_until_ns_, end, programmed_ns_});
  return end;
}

uint64_t FlashDisk::read_page(uint64_t page, uint64_t bytes, uint64_t start_ns) {
  const uint64_t die = page % dies_count_;
  const uint64_t channel = die % spec_.channels_count;
  uint64_t begin_ns = start_ns;
  if (die_free_ns_[die] > start_ns) {
    // The program that is under way ends first; those behind it wait.
    const uint64_t program_ns = std::max<uint64_t>(1, page_transfer_ns_ + spec_.page_program_ns);
    begin_ns += (die_free_ns_[die] - start_ns) % program_ns;
    die_free_ns_[die] += spec_.page_read_ns;
  }
  begin_ns = std::max(begin_ns, die_read_ns_[die]);
  die_read_ns_[die] = begin_ns + spec_.page_read_ns;
  channel_free_ns_[channel] =
      std::max(die_read_ns_[die], channel_free_ns_[channel]) + transfer_ns(bytes, spec_.channel_bytes_per_s);
  return channel_free_ns_[channel];
}

uint64_t FlashDisk::read(const DiskRequest& request, uint64_t start_ns) {
  uint64_t end = over_bus(request.length_bytes, start_ns);
  const uint64_t last_byte = request.offset_bytes + request.length_bytes;
  for (uint64_t at = request.offset_bytes; at < last_byte;) {
    const uint64_t page = at / spec_.page_bytes;
    const uint64_t page_end = std::min(last_byte, (page + 1) * spec_.page_bytes);
    end = std::max(end, read_page(page, page_end - at, start_ns));
    at = page_end;
  }
  return end;
}

uint64_t FlashDisk::program_page(uint64_t start_ns) {
  const uint64_t die = next_die_;
  next_die_ = next_die_ + 1 == dies_count_ ? 0 : next_die_ + 1;
  uint64_t& channel_ns = channel_write_ns_[die % spec_.channels_count];
  const uint64_t begin_ns = std::max({start_ns, die_free_ns_[die], die_read_ns_[die], channel_ns});
  channel_ns = begin_ns + page_transfer_ns_;
  const double program_ns = static_cast<double>(spec_.page_program_ns);
  const double paid_ns = std::min(debt_ns_, kMostDebtPrograms * program_ns);
  debt_ns_ -= paid_ns;
  die_free_ns_[die] = channel_ns + static_cast<uint64_t>(program_ns + paid_ns);
  programmed_ns_ = std::max(programmed_ns_, die_free_ns_[die]);
  return programmed_ns_;
}

uint64_t FlashDisk::write(const DiskRequest& request, uint64_t start_ns) {
  const uint64_t sent_ns = over_bus(request.length_bytes, start_ns);
  const UnitRange units = units_of(request);
  uint64_t ready_ns = start_ns;
  // The rest of a unit that is written in part is read first.
  const uint64_t unit = spec_.mapping_unit_bytes;
  if (request.offset_bytes % unit != 0) {
    ready_ns = std::max(ready_ns, read_page(units.first / page_units_, unit, start_ns));
  }
  if ((request.offset_bytes + request.length_bytes) % unit != 0) {
    ready_ns = std::max(ready_ns, read_page((units.end - 1) / page_units_, unit, start_ns));
  }
  for_sampled(units, [this](uint32_t sampled) { map_.write(sampled); });
  add_collection_debt();
  host_units_ += units.end - units.first;
  waiting_units_ += units.end - units.first;
  while (!programs_.empty() && programs_.front() <= start_ns) programs_.pop_front();
  uint64_t accepted_ns = ready_ns;
  for (; waiting_units_ >= page_units_; waiting_units_ -= page_units_) {
    while (!programs_.empty() && programs_.size() >= buffer_pages_) {
      accepted_ns = std::max(accepted_ns, programs_.front());
      programs_.pop_front();
    }
    programs_.push_back(program_page(buffer_pages_ == 0 ? ready_ns : accepted_ns));
    if (buffer_pages_ == 0) programs_.clear();
  }
  if (buffer_pages_ > 0) return std::max(sent_ns, accepted_ns);
  return std::max(sent_ns, flush(ready_ns));
}

uint64_t FlashDisk::flush(uint64_t start_ns) {
  if (spec_.power_loss_protection && buffer_pages_ > 0) return start_ns;
  if (waiting_units_ > 0) {
    padded_units_ += page_units_ - waiting_units_;
    waiting_units_ = 0;
    programs_.push_back(program_page(start_ns));
  }
  return std::max(start_ns, programmed_ns_);
}

void FlashDisk::add_collection_debt() {
  const uint64_t moves = map_.moved_count() - counted_moves_;
  const uint64_t erases = map_.erased_count() - counted_erases_;
  counted_moves_ += moves;
  counted_erases_ += erases;
  const auto group = static_cast<double>(group_units_);
  const auto page_ns = static_cast<double>(spec_.page_read_ns + spec_.page_program_ns);
  const double moved_pages = static_cast<double>(moves) * group / static_cast<double>(page_units_);
  const double erased_blocks = static_cast<double>(erases) * group *
                               static_cast<double>(map_.block_units_count()) /
                               static_cast<double>(block_units(spec_));
  debt_ns_ += moved_pages * page_ns + erased_blocks * static_cast<double>(spec_.block_erase_ns);
}

void FlashDisk::use_idle_time(uint64_t now_ns) {
  if (now_ns <= busy_until_ns_) return;
  const double idle_ns = static_cast<double>(now_ns - busy_until_ns_) * static_cast<double>(dies_count_);
  debt_ns_ = std::max(0.0, debt_ns_ - idle_ns);
}

double FlashDisk::write_amplification() const {
  if (host_units_ == 0) return 1;
  const double moved = static_cast<double>(map_.moved_count()) * static_cast<double>(group_units_);
  return 1 + (moved + static_cast<double>(padded_units_)) / static_cast<double>(host_units_);
}

nlohmann::ordered_json FlashDisk::report() const {
  return {{"kind", "flash"},
          {"reads_count", reads_count_},
          {"writes_count", writes_count_},
          {"flushes_count", flushes_count_},
          {"discards_count", discards_count_},
          {"written_bytes", host_units_ * spec_.mapping_unit_bytes},
          {"flash_write_amplification", write_amplification()},
          {"erased_blocks_count", map_.erased_count() * group_units_},
          {"sample_unit_bytes", group_units_ * spec_.mapping_unit_bytes},
          {"memory_bytes", map_.memory_bytes()}};
}

}  // namespace patina
