// What the product needs to offer models: names and capacities. The figures stay in the files.
#include "disk_model/models_command.h"

#include <nlohmann/json.hpp>
#include <vector>

#include "disk_model/builtin.h"
#include "disk_model/disk_spec.h"

namespace patina {

Status run_models(const ModelsOptions& options, EventSink& sink) {
  std::vector<std::string> names;
  if (options.model.empty()) {
    for (const BuiltinDiskModel& builtin : builtin_disk_models()) names.emplace_back(builtin.name);
  } else {
    names.push_back(options.model);
  }
  bool is_open = sink.emit(hello_event("models"));
  for (const std::string& name : names) {
    const Result<ModelSpec> spec = read_model(name);
    if (!spec) return spec.error();
    is_open = is_open && sink.emit({{"type", "model"},
                                    {"name", spec->name},
                                    {"label", spec->label},
                                    {"description", spec->description},
                                    {"kind", spec->kind},
                                    {"capacity_bytes", spec->capacity_bytes}});
  }
  is_open =
      is_open && sink.emit({{"type", "summary"}, {"command", "models"}, {"models_count", names.size()}});
  return is_open ? ok_status() : Error{ErrorCode::kCanceled, "standard output is closed"};
}

}  // namespace patina
