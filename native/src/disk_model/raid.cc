// Striping as Linux does it: RAID-5 is left-symmetric.
#include "disk_model/raid.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <utility>

namespace patina {

Raid::Raid(const RaidSpec& spec, std::vector<std::unique_ptr<DiskModel>> members)
    : level_(spec.level),
      chunk_bytes_(spec.chunk_bytes),
      data_members_(spec.level == 5 ? spec.members_count - 1 : spec.members_count) {
  for (std::unique_ptr<DiskModel>& disk : members) {
    Member member;
    member.disk = std::move(disk);
    members_.push_back(std::move(member));
  }
}

uint64_t Raid::send(size_t member, DiskRequest request, uint64_t arrival_ns) {
  Member& receiver = members_[member];
  // The write of a RAID-5 that had to read first arrives late; what is sent after it arrives behind it.
  receiver.last_arrival_ns = std::max(receiver.last_arrival_ns, arrival_ns);
  const uint64_t end = receiver.disk->end_ns(request, receiver.last_arrival_ns);
  receiver.busy_until_ns = std::max(receiver.busy_until_ns, end);
  if (request.kind == DiskRequest::Kind::kRead || request.kind == DiskRequest::Kind::kWrite) {
    receiver.next_offset_bytes = request.offset_bytes + request.length_bytes;
  }
  return end;
}

uint64_t Raid::send_to_all(const DiskRequest& request, uint64_t arrival_ns) {
  uint64_t end = arrival_ns;
  for (size_t member = 0; member < members_.size(); ++member) {
    end = std::max(end, send(member, request, arrival_ns));
  }
  return end;
}

uint64_t Raid::end_ns(const DiskRequest& request, uint64_t arrival_ns) {
  if (request.kind == DiskRequest::Kind::kFlush) return send_to_all(request, arrival_ns);
  if (level_ == 1) {
    return request.kind == DiskRequest::Kind::kRead ? read_mirror(request, arrival_ns)
                                                    : send_to_all(request, arrival_ns);
  }
  if (request.length_bytes == 0) return arrival_ns;
  if (level_ == 5 && request.kind == DiskRequest::Kind::kWrite) return write_parity(request, arrival_ns);
  return send_striped(request, arrival_ns);
}

uint64_t Raid::read_mirror(const DiskRequest& request, uint64_t arrival_ns) {
  // The member that is free first; of several, the one whose arm is nearest.
  const auto rank = [&](const Member& member) {
    const uint64_t next = member.next_offset_bytes;
    const uint64_t distance = std::max(next, request.offset_bytes) - std::min(next, request.offset_bytes);
    return std::pair(std::max(member.busy_until_ns, arrival_ns), distance);
  };
  const auto best = std::min_element(members_.begin(), members_.end(),
                                     [&](const Member& a, const Member& b) { return rank(a) < rank(b); });
  return send(static_cast<size_t>(best - members_.begin()), request, arrival_ns);
}

Raid::Part Raid::chunk_place(uint64_t begin_bytes, uint64_t end_bytes) const {
  const uint64_t chunk = begin_bytes / chunk_bytes_;
  const uint64_t stripe = chunk / data_members_;
  size_t member = chunk % data_members_;
  if (level_ == 5) member = (parity_member(stripe) + 1 + member) % members_.size();
  const uint64_t begin = stripe * chunk_bytes_ + begin_bytes % chunk_bytes_;
  return {member, begin, begin + (end_bytes - begin_bytes)};
}

uint64_t Raid::send_striped(const DiskRequest& request, uint64_t arrival_ns) {
  for (Member& member : members_) member.begin_bytes = member.end_bytes = 0;
  const uint64_t end_bytes = request.offset_bytes + request.length_bytes;
  for (uint64_t at = request.offset_bytes; at < end_bytes;) {
    const uint64_t chunk_end = std::min(end_bytes, (at / chunk_bytes_ + 1) * chunk_bytes_);
    const Part part = chunk_place(at, chunk_end);
    Member& member = members_[part.member];
    if (member.begin_bytes == member.end_bytes) member.begin_bytes = part.begin_bytes;
    member.end_bytes = part.end_bytes;
    at = chunk_end;
  }
  uint64_t end = arrival_ns;
  for (size_t i = 0; i < members_.size(); ++i) {
    const Member& member = members_[i];
    if (member.begin_bytes == member.end_bytes) continue;
    const DiskRequest part = {request.kind, member.begin_bytes, member.end_bytes - member.begin_bytes};
    end = std::max(end, send(i, part, arrival_ns));
  }
  return end;
}

uint64_t Raid::write_parity(const DiskRequest& request, uint64_t arrival_ns) {
  const uint64_t stripe_bytes = chunk_bytes_ * data_members_;
  const uint64_t end_bytes = request.offset_bytes + request.length_bytes;
  const uint64_t first_whole = (request.offset_bytes + stripe_bytes - 1) / stripe_bytes;
  const uint64_t end_whole = end_bytes / stripe_bytes;
  uint64_t end = arrival_ns;
  if (first_whole > end_whole) return write_part_of_stripe(request.offset_bytes, end_bytes, arrival_ns);
  if (first_whole < end_whole) {
    const DiskRequest whole = {DiskRequest::Kind::kWrite, first_whole * chunk_bytes_,
                               (end_whole - first_whole) * chunk_bytes_};
    end = send_to_all(whole, arrival_ns);
  }
  const uint64_t whole_begin = first_whole * stripe_bytes;
  const uint64_t whole_end = end_whole * stripe_bytes;
  if (request.offset_bytes < whole_begin) {
    end = std::max(end, write_part_of_stripe(request.offset_bytes, whole_begin, arrival_ns));
  }
  if (whole_end < end_bytes) end = std::max(end, write_part_of_stripe(whole_end, end_bytes, arrival_ns));
  return end;
}

uint64_t Raid::write_part_of_stripe(uint64_t begin_bytes, uint64_t end_bytes, uint64_t arrival_ns) {
  const uint64_t stripe = begin_bytes / (chunk_bytes_ * data_members_);
  const size_t parity = parity_member(stripe);
  std::vector<Part> written;
  for (uint64_t at = begin_bytes; at < end_bytes;) {
    const uint64_t chunk_end = std::min(end_bytes, (at / chunk_bytes_ + 1) * chunk_bytes_);
    written.push_back(chunk_place(at, chunk_end));
    at = chunk_end;
  }
  Part parity_part = {parity, written.front().begin_bytes, written.front().end_bytes};
  for (const Part& part : written) {
    parity_part.begin_bytes = std::min(parity_part.begin_bytes, part.begin_bytes);
    parity_part.end_bytes = std::max(parity_part.end_bytes, part.end_bytes);
  }
  written.push_back(parity_part);
  // The new parity comes from the old data and the old parity, or from the data that are not written:
  // whichever reads fewer members.
  std::vector<Part> read = written;
  std::vector<Part> others;
  for (size_t member = 0; member < members_.size(); ++member) {
    const bool is_whole = std::any_of(written.begin(), written.end(), [&](const Part& part) {
      return part.member == member && part.begin_bytes == parity_part.begin_bytes &&
             part.end_bytes == parity_part.end_bytes;
    });
    if (!is_whole) others.push_back({member, parity_part.begin_bytes, parity_part.end_bytes});
  }
  if (others.size() < read.size()) read = std::move(others);
  uint64_t read_ns = arrival_ns;
  const auto request_of = [](DiskRequest::Kind kind, const Part& part) {
    return DiskRequest{kind, part.begin_bytes, part.end_bytes - part.begin_bytes};
  };
  for (const Part& part : read) {
    read_ns = std::max(read_ns, send(part.member, request_of(DiskRequest::Kind::kRead, part), arrival_ns));
  }
  uint64_t end = read_ns;
  for (const Part& part : written) {
    end = std::max(end, send(part.member, request_of(DiskRequest::Kind::kWrite, part), read_ns));
  }
  return end;
}

nlohmann::ordered_json Raid::report() const {
  nlohmann::ordered_json members = nlohmann::ordered_json::array();
  for (const Member& member : members_) members.push_back(member.disk->report());
  return {{"kind", "raid"}, {"level", level_}, {"members", members}};
}

}  // namespace patina
