// Attributes of random variables, and the distributions that they mean.
#include "personality/random_variable.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

namespace patina {
namespace {

constexpr double kMost = 0x1p62;
constexpr std::string_view kRandomWords[] = {"name", "type",  "seed",    "mean",     "gamma",
                                             "min",  "round", "randsrc", "randtable"};
constexpr std::string_view kCustomTypes[] = {"cvar-erlang",    "cvar-exponential", "cvar-gamma",
                                             "cvar-lognormal", "cvar-normal",      "cvar-triangular",
                                             "cvar-uniform",   "cvar-weibull"};
constexpr std::string_view kCustomWords[] = {"type", "parameters", "min", "max", "round"};

// Maps a table's least value, that of rows of 0 % too, to `least`, and its mean to `mean`.
std::vector<TableRow> moved(std::vector<TableRow> rows, double least, std::optional<double> mean) {
  double begin = rows.empty() ? 0 : rows[0].min;
  for (const TableRow& row : rows) begin = std::min(begin, row.min);
  Number table;
  table.distribution = Distribution::kTable;
  table.rows = rows;
  const double table_mean = table.expected();
  const double scale = table_mean > begin ? (mean.value_or(table_mean) - least) / (table_mean - begin) : 0;
  for (TableRow& row : rows) {
    row.min = least + (row.min - begin) * scale;
    row.max = least + (row.max - begin) * scale;
  }
  return rows;
}

// NAME:NUMBER;NAME:NUMBER
void read_parameters(StatementCursor& cursor, const Value& value,
                     std::map<std::string, double, std::less<>>& parameters) {
  std::string_view rest = value.text;
  while (!rest.empty() && !cursor.failed()) {
    const size_t end = rest.find(';');
    const std::string_view part = rest.substr(0, end);
    const size_t colon = part.find(':');
    const Result<std::vector<Token>> tokens = colon == std::string_view::npos
                                                  ? Result<std::vector<Token>>(std::vector<Token>{})
                                                  : tokens_of(part.substr(colon + 1), "");
    if (!tokens || tokens->empty() || tokens->front().kind != TokenKind::kNumber) {
      cursor.fail(value.place, fmt::format("'{}' is not NAME:NUMBER", part));
      return;
    }
    parameters[std::string(part.substr(0, colon))] = tokens->front().number;
    rest = end == std::string_view::npos ? "" : rest.substr(end + 1);
  }
}

// Takes parameters of a cvar by name; what is left is unknown to its type.
class Parameters {
 public:
  explicit Parameters(std::map<std::string, double, std::less<>> given) : given_(std::move(given)) {}

  double take(std::string_view name, double usual) {
    known_.push_back(name);
    const auto found = given_.find(name);
    if (found == given_.end()) return usual;
    const double value = found->second;
    given_.erase(found);
    return value;
  }
  // Returns an unknown name; empty: none.
  std::string unknown() const { return given_.empty() ? "" : given_.begin()->first; }
  std::string known() const { return listed(known_); }

 private:
  std::map<std::string, double, std::less<>> given_;
  std::vector<std::string_view> known_;
};

// Sets the distribution. False: the type is unknown.
bool take_distribution(const std::string& type, Parameters& parameters, Number& number) {
  if (type == "cvar-uniform") {
    number.distribution = Distribution::kUniform;
    number.lower = parameters.take("lower", 0);
    number.upper = parameters.take("upper", 1);
  } else if (type == "cvar-gamma") {
    number.distribution = Distribution::kGamma;
    number.shape = parameters.take("gamma", 1.5);
    number.mean = parameters.take("mean", 4096);
  } else if (type == "cvar-exponential") {
    number.distribution = Distribution::kExponential;
    number.mean = parameters.take("mean", 1);
  } else if (type == "cvar-erlang") {
    number.distribution = Distribution::kErlang;
    number.shape = parameters.take("shape", 1);
    number.mean = number.shape / parameters.take("rate", 1);
  } else if (type == "cvar-normal") {
    number.distribution = Distribution::kNormal;
    number.mean = parameters.take("mean", 0);
    number.shape = parameters.take("sigma", 1);
  } else if (type == "cvar-lognormal") {
    number.distribution = Distribution::kLognormal;
    number.mean = parameters.take("scale", 1);
    number.shape = parameters.take("shape", 1);
  } else if (type == "cvar-weibull") {
    number.distribution = Distribution::kWeibull;
    number.mean = parameters.take("scale", 1);
    number.shape = parameters.take("shape", 1);
  } else if (type == "cvar-triangular") {
    number.distribution = Distribution::kTriangular;
    number.lower = parameters.take("lower", 0);
    number.upper = parameters.take("upper", 1);
    number.mean = parameters.take("mode", 0.5);
  } else {
    return false;
  }
  return true;
}

bool is_in_order(const Number& number) {
  if (number.distribution == Distribution::kTriangular)
    return number.lower <= number.mean && number.mean <= number.upper;
  return number.lower <= number.upper;
}

}  // namespace

Number read_random_variable(StatementCursor& cursor, std::string* name) {
  std::vector<TableRow> table;
  const Token& start = cursor.peek();
  const Place place = start.place;
  // `define randvar name=$x` names a variable that is not set yet.
  if (name != nullptr && cursor.is_word("name") && cursor.peek(1).text == "=" &&
      cursor.peek(2).kind == TokenKind::kVariable) {
    *name = cursor.peek(2).text;
    cursor.take();
    cursor.take();
    cursor.take();
    if (!cursor.accept(",")) return {};
  }
  const Attributes given = cursor.attributes(kRandomWords, "randvar", nullptr, &table);
  if (name != nullptr && name->empty()) *name = cursor.required_name(given, "randvar", place);
  Number number;
  const std::string type =
      StatementCursor::find(given, {"type"}) == nullptr ? "gamma" : cursor.text(given, {"type"});
  const bool has_mean = StatementCursor::find(given, {"mean"}) != nullptr;
  const double mean = cursor.constant(given, {"mean"}, 0, 0, kMost);
  const double least = cursor.constant(given, {"min"}, 0, 0, kMost);
  number.round = cursor.constant(given, {"round"}, 0, 0, kMost);
  if (type == "uniform") {
    number.distribution = Distribution::kUniform;
    number.lower = least;
    number.upper = std::max(2 * mean - least, least);
  } else if (type == "gamma") {
    number.distribution = Distribution::kGamma;
    number.shape = cursor.constant(given, {"gamma"}, 1500, 1, 1e6) / 1000;
    number.offset = least;
    number.mean = std::max((has_mean ? mean : number.shape) - least, 0.0);
  } else if (type == "tabular") {
    number.distribution = Distribution::kTable;
    number.rows = moved(table, least, has_mean ? std::optional(mean) : std::nullopt);
    if (number.rows.empty()) cursor.fail(place, "a tabular randvar needs the attribute 'randtable'");
  } else {
    cursor.fail(place,
                fmt::format("unknown type '{}' of randvar; the types are gamma, tabular, uniform", type));
  }
  return number;
}

Number read_custom_variable(StatementCursor& cursor) {
  const Place place = cursor.peek().place;
  const Attributes given = cursor.attributes(kCustomWords, "cvar");
  std::map<std::string, double, std::less<>> values;
  if (const Attribute* found = StatementCursor::find(given, {"parameters"});
      found != nullptr && found->value) {
    read_parameters(cursor, *found->value, values);
  }
  Number number;
  number.min = cursor.constant(given, {"min"}, 0, 0, kMost);
  number.max = cursor.constant(given, {"max"}, 0, 0, kMost);
  number.round = cursor.constant(given, {"round"}, 0, 0, kMost);
  const std::string type = cursor.text(given, {"type"});
  if (cursor.failed()) return number;
  Parameters parameters(std::move(values));
  if (!take_distribution(type, parameters, number)) {
    cursor.fail(place,
                fmt::format("unknown type '{}' of cvar; the types are {}", type, listed(kCustomTypes)));
  } else if (!parameters.unknown().empty()) {
    cursor.fail(place, fmt::format("unknown parameter '{}' of {}; it has {}", parameters.unknown(), type,
                                   parameters.known()));
  } else if (number.shape <= 0) {
    cursor.fail(place, "the shape of a cvar must be above 0");
  } else if (!is_in_order(number)) {
    cursor.fail(place, "the bounds of a cvar are in the wrong order");
  } else if (!(std::abs(number.expected()) <= kMost)) {
    cursor.fail(place, "the mean of a cvar is out of range");
  }
  return number;
}

}  // namespace patina
