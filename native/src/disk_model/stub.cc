#include "disk_model/disk_model.h"
namespace patina {
Result<std::unique_ptr<DiskModel>> load_disk_model(const std::string& model, uint64_t, uint64_t) {
  return Error{ErrorCode::kModelInvalid, "no model " + model};
}
}  // namespace patina
