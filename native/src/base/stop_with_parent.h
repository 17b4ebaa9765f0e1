// Ends the program with the one that started it.
#pragma once

namespace patina {

// Sends SIGTERM to this process when the thread that started it ends.
void stop_with_parent();

}  // namespace patina
