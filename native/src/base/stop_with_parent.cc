// Asks the kernel for a signal.
#include "base/stop_with_parent.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "base/result.h"

namespace patina {

void stop_with_parent() {
  const pid_t parent = getppid();
  prctl(PR_SET_PDEATHSIG, SIGTERM);
  if (getppid() != parent) std::exit(static_cast<int>(ErrorCode::kCanceled));
}

}  // namespace patina
