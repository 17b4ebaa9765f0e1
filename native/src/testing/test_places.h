// Where the tests find the program and this checkout.
#pragma once

namespace patina {

extern const char* const kCoreProgram;
extern const char* const kCheckoutFolder;

}  // namespace patina
