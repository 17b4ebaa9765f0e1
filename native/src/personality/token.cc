// The lexical rules.
#include "personality/token.h"

#include <fmt/format.h>

#include <cctype>

namespace patina {
namespace {

bool is_word_char(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
         std::string_view("_./-:;").find(c) != std::string_view::npos;
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Returns the power of 1024 of a suffix, 1 without one, 0 for any other letter.
double unit_of(std::string_view suffix) {
  if (suffix.empty()) return 1;
  if (suffix.size() > 1) return 0;
  switch (std::tolower(static_cast<unsigned char>(suffix[0]))) {
    case 'k':
      return 0x1p10;
    case 'm':
      return 0x1p20;
    case 'g':
      return 0x1p30;
    case 't':
      return 0x1p40;
    default:
      return 0;
  }
}

class Lexer {
 public:
  Lexer(std::string_view text, const std::string& file) : text_(text), file_(file) {}

  Result<std::vector<Token>> run() {
    std::vector<Token> tokens;
    while (true) {
      skip_blanks();
      Result<Token> token = next();
      if (!token) return token.error();
      tokens.push_back(std::move(*token));
      if (tokens.back().kind == TokenKind::kEnd) return tokens;
    }
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool ended() const { return at_ >= text_.size(); }

  char take() {
    const char c = text_[at_++];
    if (c == '\n') {
      ++place_.line;
      place_.column = 1;
    } else {
      ++place_.column;
    }
    return c;
  }

  void skip_blanks() {
    while (!ended()) {
      if (std::isspace(static_cast<unsigned char>(peek())) != 0) {
        take();
      } else if (peek() == '#') {
        while (!ended() && peek() != '\n') take();
      } else {
        return;
      }
    }
  }

  Result<Token> next() {
    Token token{TokenKind::kEnd, "", 0, place_};
    if (ended()) return token;
    const char c = peek();
    if (c == '"') return string(token);
    if (c == '$') return variable(token);
    if (std::string_view("{}()=,*+").find(c) != std::string_view::npos) {
      token.kind = TokenKind::kSign;
      token.text = take();
      return token;
    }
    if (is_word_char(c)) return word(token);
    return error_at(file_, token.place, fmt::format("unexpected character '{}'", printable(c)));
  }

  static std::string printable(char c) {
    return std::isprint(static_cast<unsigned char>(c)) != 0
               ? std::string(1, c)
               : fmt::format("\\x{:02x}", static_cast<unsigned char>(c));
  }

  Result<Token> string(Token token) {
    take();
    while (!ended() && peek() != '"') {
      char c = take();
      if (c == '\\' && !ended()) c = take();
      token.text += c;
    }
    if (ended()) return error_at(file_, token.place, "this string has no closing quote");
    take();
    token.kind = TokenKind::kString;
    return token;
  }

  Result<Token> variable(Token token) {
    take();
    const bool is_braced = peek() == '{' || peek() == '(';
    if (is_braced) take();
    while (!ended() && (std::isalnum(static_cast<unsigned char>(peek())) != 0 || peek() == '_'))
      token.text += take();
    if (is_braced && (peek() == '}' || peek() == ')')) take();
    if (token.text.empty()) return error_at(file_, token.place, "a variable needs a name after '$'");
    token.kind = TokenKind::kVariable;
    return token;
  }

  Result<Token> word(Token token) {
    while (!ended() && is_word_char(peek())) token.text += take();
    size_t digits = 0;
    bool has_point = false;
    for (; digits < token.text.size(); ++digits) {
      const bool is_point = token.text[digits] == '.' && digits > 0 && !has_point;
      if (!is_digit(token.text[digits]) && !is_point) break;
      has_point = has_point || is_point;
    }
    const double unit = digits > 0 ? unit_of(std::string_view(token.text).substr(digits)) : 0;
    const bool is_negative = token.text.size() > 1 && token.text[0] == '-' &&
                             token.text.find_first_not_of("0123456789", 1) == std::string::npos;
    if (unit == 0 && !is_negative) {
      token.kind = TokenKind::kWord;
      return token;
    }
    // A number of a file is short; a long one is refused, not cut.
    if (token.text.size() > 20)
      return error_at(file_, token.place, fmt::format("'{}' is out of range", token.text));
    token.kind = TokenKind::kNumber;
    token.number = is_negative ? std::stod(token.text) : std::stod(token.text.substr(0, digits)) * unit;
    return token;
  }

  std::string_view text_;
  const std::string& file_;
  size_t at_ = 0;
  Place place_;
};

}  // namespace

Error error_at(const std::string& file, Place place, std::string_view message) {
  return Error{ErrorCode::kWorkloadInvalid,
               fmt::format("{}:{}:{}: {}", file, place.line, place.column, message)};
}

Result<std::vector<Token>> tokens_of(std::string_view text, const std::string& file) {
  return Lexer(text, file).run();
}

}  // namespace patina
