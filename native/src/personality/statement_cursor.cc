// Values and attributes of statements.
#include "personality/statement_cursor.h"

#include <fmt/format.h>

namespace patina {

std::string listed(Words words) {
  std::vector<std::string_view> sorted(words.begin(), words.end());
  std::sort(sorted.begin(), sorted.end());
  std::string text;
  for (const std::string_view word : sorted) {
    if (!text.empty()) text += ", ";
    text += word;
  }
  return text;
}

Token StatementCursor::take() {
  Token token = peek();
  if (at_ + 1 < tokens_.size()) ++at_;
  return token;
}

bool StatementCursor::accept(std::string_view sign) {
  if (!is_sign(sign)) return false;
  take();
  return true;
}

void StatementCursor::expect(std::string_view sign, std::string_view after) {
  if (!failed() && !accept(sign)) {
    fail(peek().place, fmt::format("expected '{}' after {}, not {}", sign, after, shown(peek())));
  }
}

std::string StatementCursor::shown(const Token& token) {
  switch (token.kind) {
    case TokenKind::kEnd:
      return "the end of the file";
    case TokenKind::kString:
      return fmt::format("the string \"{}\"", token.text);
    case TokenKind::kVariable:
      return fmt::format("'${}'", token.text);
    default:
      return fmt::format("'{}'", token.text);
  }
}

void StatementCursor::fail(Place place, std::string_view message) {
  if (!failed_) error_ = error_at(file_, place, message);
  failed_ = true;
}

const Value* StatementCursor::variable(std::string_view name) const {
  for (auto scope = arguments.rbegin(); scope != arguments.rend(); ++scope) {
    if (const auto found = scope->find(name); found != scope->end()) return &found->second;
  }
  const Scope& scope = is_setting || !final_globals ? globals : *final_globals;
  const auto found = scope.find(name);
  return found == scope.end() ? nullptr : &found->second;
}

Value StatementCursor::value() {
  const Token token = take();
  Value value;
  value.place = token.place;
  value.text = token.text;
  if (token.kind == TokenKind::kNumber) {
    value.number = Number::of(token.number);
  } else if (token.kind == TokenKind::kVariable) {
    if (const Value* found = variable(token.text)) {
      value = *found;
      value.variable = token.text;
      value.place = token.place;
    } else {
      fail(token.place, fmt::format("variable '${}' is not set", token.text));
    }
  } else if (token.kind == TokenKind::kWord && (token.text == "true" || token.text == "false")) {
    value.kind = Value::Kind::kFlag;
    value.flag = token.text == "true";
  } else if (token.kind == TokenKind::kWord || token.kind == TokenKind::kString) {
    value.kind = Value::Kind::kText;
  } else {
    fail(token.place, fmt::format("expected a value, not {}", shown(token)));
  }
  return value;
}

Number StatementCursor::number_of(const Value& value, std::string_view what) {
  if (value.kind == Value::Kind::kNumber) return value.number;
  if (value.kind == Value::Kind::kFlag) return Number::of(value.flag ? 1 : 0);
  fail(value.place, fmt::format("{} needs a number, not '{}'", what, value.text));
  return {};
}

double StatementCursor::constant_of(const Value& value, std::string_view what) {
  const Number number = number_of(value, what);
  if (number.distribution != Distribution::kConstant)
    fail(value.place, fmt::format("{} needs a constant", what));
  return number.mean;
}

Attributes StatementCursor::attributes(Words known, std::string_view of, Scope* parameters,
                                       std::vector<TableRow>* table) {
  Attributes found;
  while (!failed()) {
    const Token name = take();
    if (name.kind == TokenKind::kVariable && parameters != nullptr) {
      Value& set = (*parameters)[name.text];
      set.place = name.place;
      if (accept("=")) {
        set = value();
        set.is_given = true;
      }
    } else if (name.kind != TokenKind::kWord) {
      fail(name.place, fmt::format("expected an attribute of {}, not {}", of, shown(name)));
    } else if (std::find(known.begin(), known.end(), name.text) == known.end()) {
      fail(name.place, fmt::format("unknown attribute '{}' of {}; it has {}", name.text, of, listed(known)));
    } else {
      Attribute attribute{std::nullopt, name.place};
      if (accept("=")) {
        if (is_sign("{") && table != nullptr && name.text == "randtable") {
          read_table(*table);
        } else {
          attribute.value = value();
        }
      }
      if (!found.emplace(name.text, attribute).second) {
        fail(name.place, fmt::format("attribute '{}' of {} is given twice", name.text, of));
      }
    }
    if (!accept(",")) break;
  }
  return found;
}

// {{ percent, min, max }, ...}
void StatementCursor::read_table(std::vector<TableRow>& rows) {
  const Place place = peek().place;
  expect("{", "'randtable ='");
  double total = 0;
  while (!failed()) {
    expect("{", "'{' of a table");
    TableRow row;
    for (double* part : {&row.weight, &row.min, &row.max}) {
      if (part != &row.weight) expect(",", "a number of a table");
      if (!failed()) *part = constant_of(value(), "a table");
    }
    expect("}", "a row of a table");
    if (row.weight < 0) fail(place, "a percentage of a table is below 0");
    if (row.min > row.max) fail(place, "a row of a table ends below its begin");
    rows.push_back(row);
    total += row.weight;
    if (!accept(",")) break;
  }
  expect("}", "the rows of a table");
  if (total < 99.5 || total > 100.5)
    fail(place, fmt::format("the percentages of a table sum to {}, not to 100", total));
}

const Attribute* StatementCursor::find(const Attributes& attributes,
                                       std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (const auto found = attributes.find(name); found != attributes.end()) return &found->second;
  }
  return nullptr;
}

Number StatementCursor::number(const Attributes& attributes, std::initializer_list<std::string_view> names,
                               const Number& usual) {
  const Attribute* found = find(attributes, names);
  if (found == nullptr) return usual;
  const std::string_view name = *names.begin();
  if (!found->value) {
    fail(found->place, fmt::format("attribute '{}' needs a value", name));
    return usual;
  }
  return number_of(*found->value, fmt::format("attribute '{}'", name));
}

double StatementCursor::constant(const Attributes& attributes, std::initializer_list<std::string_view> names,
                                 double usual, double least, double most) {
  const Attribute* found = find(attributes, names);
  const Number given = number(attributes, names, Number::of(usual));
  if (failed() || found == nullptr) return usual;
  const std::string_view name = *names.begin();
  if (given.distribution != Distribution::kConstant) {
    fail(found->place, fmt::format("attribute '{}' needs a constant", name));
  } else if (given.mean < least || given.mean > most) {
    fail(found->place,
         fmt::format("attribute '{}' must be from {} to {}, not {}", name, least, most, given.mean));
  }
  return given.mean;
}

bool StatementCursor::flag(const Attributes& attributes, std::initializer_list<std::string_view> names) {
  const Attribute* found = find(attributes, names);
  if (found == nullptr) return false;
  if (!found->value) return true;
  if (found->value->kind == Value::Kind::kFlag) return found->value->flag;
  return number_of(*found->value, fmt::format("attribute '{}'", *names.begin())).mean != 0;
}

std::string StatementCursor::text(const Attributes& attributes,
                                  std::initializer_list<std::string_view> names) {
  const Attribute* found = find(attributes, names);
  if (found == nullptr) return "";
  if (!found->value || found->value->text.empty()) {
    fail(found->place, fmt::format("attribute '{}' needs a name", *names.begin()));
    return "";
  }
  return found->value->text;
}

std::string StatementCursor::required_name(const Attributes& attributes, std::string_view of, Place place) {
  std::string name = text(attributes, {"name"});
  if (name.empty()) fail(place, fmt::format("{} needs the attribute 'name'", of));
  return name;
}

}  // namespace patina
