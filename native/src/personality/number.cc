// Samples of distributions.
#include "personality/number.h"

#include <algorithm>
#include <cmath>

namespace patina {
namespace {

constexpr double kMost = 0x1.0p62;

// Marsaglia and Tsang, A Simple Method for Generating Gamma Variables, ACM TOMS 26(3), 2000.
double standard_normal(Random& random) {
  const double radius = std::sqrt(-2 * std::log(1 - unit(random)));
  return radius * std::cos(2 * M_PI * unit(random));
}

double gamma_of(double shape, Random& random) {
  if (shape < 1) return gamma_of(shape + 1, random) * std::pow(1 - unit(random), 1 / shape);
  const double d = shape - 1.0 / 3;
  const double c = 1 / std::sqrt(9 * d);
  while (true) {
    const double x = standard_normal(random);
    const double base = 1 + c * x;
    if (base <= 0) continue;
    const double v = base * base * base;
    if (std::log(1 - unit(random)) < x * x / 2 + d - d * v + d * std::log(v)) return d * v;
  }
}

double triangular(const Number& number, Random& random) {
  const double width = number.upper - number.lower;
  const double below = number.mean - number.lower;
  const double u = unit(random);
  if (u * width < below) return number.lower + std::sqrt(u * width * below);
  return number.upper - std::sqrt((1 - u) * width * (number.upper - number.mean));
}

double of_table(const std::vector<TableRow>& rows, Random& random) {
  double total = 0;
  for (const TableRow& row : rows) total += row.weight;
  double left = unit(random) * total;
  for (const TableRow& row : rows) {
    if (left < row.weight) return row.min + unit(random) * (row.max - row.min);
    left -= row.weight;
  }
  return rows.empty() ? 0 : rows.back().max;
}

double drawn(const Number& number, Random& random) {
  switch (number.distribution) {
    case Distribution::kConstant:
      return number.mean;
    case Distribution::kUniform:
      return number.lower + unit(random) * (number.upper - number.lower);
    case Distribution::kGamma:
    case Distribution::kErlang:
      return gamma_of(number.shape, random) * number.mean / number.shape;
    case Distribution::kExponential:
      return -std::log(1 - unit(random)) * number.mean;
    case Distribution::kNormal:
      return number.mean + standard_normal(random) * number.shape;
    case Distribution::kLognormal:
      return std::exp(number.mean + standard_normal(random) * number.shape);
    case Distribution::kWeibull:
      return number.mean * std::pow(-std::log(1 - unit(random)), 1 / number.shape);
    case Distribution::kTriangular:
      return triangular(number, random);
    case Distribution::kTable:
      return of_table(number.rows, random);
  }
  return 0;
}

}  // namespace

double Number::sample(Random& random) const {
  if (distribution == Distribution::kConstant) return mean;
  double value = offset + drawn(*this, random);
  if (round > 0) value = std::round(value / round) * round;
  value = std::max(min, value);  // also of what is not a number
  return std::min(value, max > 0 ? max : kMost);
}

uint64_t Number::whole(Random& random) const {
  const double value = std::floor(sample(random) + 0.5);
  return value <= 0 ? 0 : static_cast<uint64_t>(std::min(value, kMost));
}

double Number::expected() const {
  switch (distribution) {
    case Distribution::kConstant:
      return mean;
    case Distribution::kUniform:
      return offset + (lower + upper) / 2;
    case Distribution::kTriangular:
      return offset + (lower + upper + mean) / 3;
    case Distribution::kLognormal:
      return offset + std::exp(mean + shape * shape / 2);
    case Distribution::kWeibull:
      return offset + mean * std::tgamma(1 + 1 / shape);
    case Distribution::kTable: {
      double total = 0;
      double sum = 0;
      for (const TableRow& row : rows) {
        total += row.weight;
        sum += row.weight * (row.min + row.max) / 2;
      }
      return offset + (total > 0 ? sum / total : 0);
    }
    default:
      return offset + mean;
  }
}

}  // namespace patina
