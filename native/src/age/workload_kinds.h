// The workloads by name.
#pragma once

#include <memory>

#include "age/workload.h"

namespace patina {

// The aging of Smith and Seltzer's successors in FSFB's manner: a thousand random directories, files of 1 to
// 150 KiB to the target fullness, then rounds in each of which a random 5 % by bytes are deleted and as many
// bytes are created in a new directory at a random place.
std::unique_ptr<Course> make_fsfb(const WorkloadRequest& request);

// The ager of the study of shingled disks: creates and deletes 4 to 1 to the target fullness, then as many
// creates as deletes; most files of 4 and 8 KiB, few of up to 4 MiB.
std::unique_ptr<Course> make_churn(const WorkloadRequest& request);

// Replays a log, or only its survivors, in the order of their creation. Reads and checks the whole log first.
// Error: kLogInvalid.
Result<std::unique_ptr<Course>> make_replay(const WorkloadRequest& request);

// No operations: the file system stays as it was made.
std::unique_ptr<Course> make_fresh(const WorkloadRequest& request);

}  // namespace patina
