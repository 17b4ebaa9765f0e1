// The only source that knows an absolute path: every other object serves another checkout from the compiler's
// cache.
#include "testing/test_places.h"

namespace patina {

const char* const kCoreProgram = PATINA_CORE;
const char* const kCheckoutFolder = PATINA_SOURCE_DIR;

}  // namespace patina
