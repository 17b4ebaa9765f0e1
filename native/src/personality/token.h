// Splits a workload file into tokens, each with its place.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace patina {

struct Place {
  int line = 1;
  int column = 1;
};

enum class TokenKind { kWord, kNumber, kVariable, kString, kSign, kEnd };

struct Token {
  TokenKind kind = TokenKind::kEnd;
  std::string text;  // of a variable without the dollar sign, of a string without the quotes
  double number = 0;
  Place place;
};

// Returns "FILE:LINE:COLUMN: MESSAGE" as an error of kWorkloadInvalid.
Error error_at(const std::string& file, Place place, std::string_view message);

// Splits `text`. The last token is kEnd. Numbers end in k, m, g or t for powers of 1024. `file` names it in
// errors. Error: kWorkloadInvalid.
Result<std::vector<Token>> tokens_of(std::string_view text, const std::string& file);

}  // namespace patina
