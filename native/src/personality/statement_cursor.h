// Reads tokens as values and attributes; the first mistake ends the reading.
#pragma once

#include <algorithm>
#include <initializer_list>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "personality/number.h"
#include "personality/token.h"

namespace patina {

using Words = std::span<const std::string_view>;

// A value as written: a number or a distribution, a truth value, or text.
struct Value {
  enum class Kind { kNumber, kFlag, kText } kind = Kind::kNumber;
  Number number;
  bool flag = false;
  std::string text;
  std::string variable;  // that it was taken from; empty: none
  Place place;
  bool is_given = false;  // of a parameter: it has a value
};

struct Attribute {
  std::optional<Value> value;  // absent: named alone
  Place place;
};

using Attributes = std::map<std::string, Attribute, std::less<>>;
using Scope = std::map<std::string, Value, std::less<>>;

// Returns the words in alphabetical order, with commas.
std::string listed(Words words);

class StatementCursor {
 public:
  StatementCursor(std::vector<Token> tokens, const std::string& file)
      : tokens_(std::move(tokens)), file_(file) {}

  // Tokens. The last is kEnd, and stays.
  const Token& peek(size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
  Token take();
  bool is_sign(std::string_view sign) const { return peek().kind == TokenKind::kSign && peek().text == sign; }
  bool is_word(std::string_view word) const { return peek().kind == TokenKind::kWord && peek().text == word; }
  bool at_end() const { return peek().kind == TokenKind::kEnd; }
  bool accept(std::string_view sign);
  void expect(std::string_view sign, std::string_view after);
  size_t position() const { return at_; }
  void go_to(size_t position) { at_ = position; }
  static std::string shown(const Token& token);

  // The first mistake is kept; readers return soon after.
  void fail(Place place, std::string_view message);
  bool failed() const { return failed_; }
  const Error& error() const { return error_; }

  // Values. A variable has its value in the innermost scope of arguments, else as set at the end of the file;
  // in a `set` as set so far.
  Value value();
  Number number_of(const Value& value, std::string_view what);
  double constant_of(const Value& value, std::string_view what);

  Scope globals;                       // as set so far
  std::optional<Scope> final_globals;  // as set at the end of the file; absent while the variables are read
  std::vector<Scope> arguments;        // of the groups being read
  bool is_setting = false;

  // Reads `name = value, name, ...` with names of `known`. `parameters`: variables may be given too. `table`:
  // what randtable sets.
  Attributes attributes(Words known, std::string_view of, Scope* parameters = nullptr,
                        std::vector<TableRow>* table = nullptr);
  static const Attribute* find(const Attributes& attributes, std::initializer_list<std::string_view> names);
  Number number(const Attributes& attributes, std::initializer_list<std::string_view> names,
                const Number& usual);
  double constant(const Attributes& attributes, std::initializer_list<std::string_view> names, double usual,
                  double least, double most);
  bool flag(const Attributes& attributes, std::initializer_list<std::string_view> names);
  std::string text(const Attributes& attributes, std::initializer_list<std::string_view> names);
  std::string required_name(const Attributes& attributes, std::string_view of, Place place);

 private:
  const Value* variable(std::string_view name) const;
  void read_table(std::vector<TableRow>& rows);

  std::vector<Token> tokens_;
  const std::string& file_;
  size_t at_ = 0;
  bool failed_ = false;
  Error error_{ErrorCode::kWorkloadInvalid, ""};
};

}  // namespace patina
