// Random variables of the workload model language: randvar and cvar.
#pragma once

#include <string>

#include "personality/statement_cursor.h"

namespace patina {

// Reads the attributes of `randvar(...)` or, with `name`, of `define randvar name=$x, ...`, and sets the
// name.
Number read_random_variable(StatementCursor& cursor, std::string* name);
// Reads the attributes of `cvar(...)`.
Number read_custom_variable(StatementCursor& cursor);

}  // namespace patina
