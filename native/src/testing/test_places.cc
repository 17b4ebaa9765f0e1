// The only source with an absolute path, so that the compiler's cache can serve all other objects to another
// checkout.
#include "testing/test_places.h"

namespace patina {

const char* const kCoreProgram = PATINA_CORE;
const char* const kCheckoutFolder = PATINA_SOURCE_DIR;

}  // namespace patina
