// Paths of the program and of this checkout, for the tests.
#pragma once

namespace patina {

extern const char* const kCoreProgram;
extern const char* const kCheckoutFolder;

}  // namespace patina
