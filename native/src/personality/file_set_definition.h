// The definition of a file set, or of a single file, with its defaults.
#pragma once

#include "personality/personality.h"
#include "personality/statement_cursor.h"
#include "personality/token.h"

namespace patina {

// Reads the attributes after `define fileset` or `define file`; `what` is the second word. An error is the
// cursor's.
FileSetSpec read_file_set(StatementCursor& cursor, const Token& what);

}  // namespace patina
