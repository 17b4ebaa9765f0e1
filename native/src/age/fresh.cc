// The workload without operations: the image of a file system as it was made.
#include "age/workload_kinds.h"

namespace patina {
namespace {

class Fresh final : public Workload {
 public:
  explicit Fresh(const WorkloadRequest& request) : Workload(request, DirectoryTree{}) {}

  uint64_t horizon() const override { return 0; }

 protected:
  Result<bool> step(Operation& /*operation*/) override { return false; }
  const char* phase() const override { return "rapid"; }
  std::string identity() const override { return "fresh"; }
};

}  // namespace

std::unique_ptr<Course> make_fresh(const WorkloadRequest& request) {
  return std::make_unique<Fresh>(request);
}

}  // namespace patina
