// Reads model files of all kinds, and finds the built-in ones.
#include "disk_model/disk_spec.h"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "base/small_file.h"
#include "disk_model/builtin.h"
#include "disk_model/kind_readers.h"
#include "disk_model/spec_reader.h"

namespace patina {
namespace {

using nlohmann::json;

Error invalid(std::string message) {
  return Error{ErrorCode::kModelInvalid, std::move(message)};
}

std::string_view builtin_text(std::string_view name) {
  for (const BuiltinDiskModel& builtin : builtin_disk_models()) {
    if (builtin.name == name) return builtin.text;
  }
  return {};
}

std::string builtin_names() {
  std::string names;
  for (const BuiltinDiskModel& builtin : builtin_disk_models()) {
    names.append(names.empty() ? "" : ", ").append(builtin.name);
  }
  return names;
}

constexpr const char* kKinds[] = {"rotating", "flash", "raid"};
constexpr size_t kMaxNameBytes = 64;
constexpr size_t kMaxLabelBytes = 128;
constexpr size_t kMaxProseBytes = 4000;
// A multiple of every size that a loop device or a file system may have.
constexpr uint64_t kCapacityUnitBytes = 512;

ModelSpec read_document(SpecReader reader, std::string& problem, bool is_member) {
  ModelSpec model;
  model.name = reader.text("name", kMaxNameBytes);
  model.label = reader.text("label", kMaxLabelBytes);
  model.description = reader.text("description", kMaxProseBytes);
  model.source = reader.text("source", kMaxProseBytes);
  reader.text_or_empty("notes", kMaxProseBytes);
  const size_t kind = reader.choice("kind", kKinds);
  model.kind = kKinds[kind];
  if (kind == 0) {
    model.disk = read_rotating(reader, model.capacity_bytes);
  } else if (kind == 1) {
    model.disk = read_flash(reader, model.capacity_bytes);
  } else if (is_member) {
    reader.refuse("kind", "is raid; the member of a RAID must be rotating or flash");
  } else {
    RaidSpec raid = read_raid(reader);
    json document;
    const json& member = reader.value("member");
    if (member.is_string()) {
      // Names a built-in model: a path would make a file depend on the folder that it is read in.
      const std::string_view text = builtin_text(member.get_ref<const std::string&>());
      if (text.empty()) {
        reader.refuse("member",
                      fmt::format("is not a built-in model; they are {}. Another one is given as an "
                                  "object",
                                  builtin_names()));
        return model;
      }
      document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    } else {
      document = member;
    }
    if (problem.empty()) {
      raid.member = std::make_unique<ModelSpec>(
          read_document(SpecReader(document, "member", problem), problem, /*is_member=*/true));
      model.capacity_bytes = raid_capacity_bytes(raid, raid.member->capacity_bytes);
      model.disk = std::move(raid);
    }
  }
  reader.refuse_others();
  if (problem.empty() && model.capacity_bytes < kCapacityUnitBytes) {
    reader.refuse("kind", "describes a disk without capacity");
  }
  return model;
}

}  // namespace

Result<ModelSpec> parse_model(std::string_view text) {
  const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (document.is_discarded()) return invalid("the model is not JSON");
  std::string problem;
  ModelSpec model = read_document(SpecReader(document, "", problem), problem, /*is_member=*/false);
  if (!problem.empty()) return invalid(problem);
  return model;
}

Result<ModelSpec> raid_of_equals(ModelSpec member, uint32_t level, uint32_t disks_count) {
  if (std::holds_alternative<RaidSpec>(member.disk)) {
    return invalid(fmt::format("{} is a RAID; the disks of a RAID must be rotating or flash", member.name));
  }
  const json document = {{"level", level}, {"members_count", disks_count}, {"synchronized_spindles", true}};
  std::string problem;
  SpecReader reader(document, "", problem);
  RaidSpec raid = read_raid(reader);
  if (!problem.empty()) return invalid(problem);
  ModelSpec model;
  model.name = fmt::format("RAID-{} of {} x {}", level, disks_count, member.name);
  model.label = model.name;
  model.kind = kKinds[2];
  model.capacity_bytes = raid_capacity_bytes(raid, member.capacity_bytes);
  raid.member = std::make_unique<ModelSpec>(std::move(member));
  model.disk = std::move(raid);
  return model;
}

Result<ModelSpec> read_model(const std::string& model) {
  std::string text(builtin_text(model));
  if (text.empty() && model.find('/') == std::string::npos && !model.ends_with(".json")) {
    return invalid(
        fmt::format("no disk model '{}' is built in; they are {}. Another one is given by the path of "
                    "its file, which contains a / or ends in .json",
                    model, builtin_names()));
  }
  if (text.empty()) {
    Result<std::string> file =
        read_small_file(model, kMaxModelFileBytes, ErrorCode::kModelInvalid, "the disk model");
    if (!file) return file.error();
    text = std::move(*file);
  }
  Result<ModelSpec> parsed = parse_model(text);
  if (!parsed) return invalid(fmt::format("{}: {}", model, parsed.error().message));
  return parsed;
}

}  // namespace patina
