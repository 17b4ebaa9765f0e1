// Looks error codes up.
#include "base/error_code.h"

namespace patina {
namespace {

#define PATINA_ROW(enumerator, exit_code, name, meaning) {ErrorCode::enumerator, name, meaning},
constexpr ErrorCodeRow kRows[] = {PATINA_ERROR_CODES(PATINA_ROW)};
#undef PATINA_ROW

}  // namespace

std::span<const ErrorCodeRow> error_codes() {
  return kRows;
}

const char* error_code_name(ErrorCode code) {
  for (const ErrorCodeRow& row : kRows) {
    if (row.code == code) return row.name;
  }
  return "internal";
}

}  // namespace patina
