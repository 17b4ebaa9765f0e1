// A number of a workload: a constant, or one drawn from a distribution each time it is used.
#pragma once

#include <cstdint>
#include <vector>

#include "base/random.h"

namespace patina {

enum class Distribution {
  kConstant,
  kUniform,
  kGamma,
  kExponential,
  kErlang,
  kNormal,
  kLognormal,
  kWeibull,
  kTriangular,
  kTable
};

// A row of a table: `weight` of its values are uniform from `min` to `max`.
struct TableRow {
  double weight = 0;
  double min = 0;
  double max = 0;
};

struct Number {
  Distribution distribution = Distribution::kConstant;
  double mean = 0;    // the constant's value; of kWeibull the scale; of kTriangular the mode
  double offset = 0;  // added to values that are not constant
  double shape = 1;   // of kGamma, kErlang and kWeibull; of kNormal and kLognormal the standard deviation
  double min = 0;     // of kUniform and kTriangular; the smallest value of the others
  double max = 0;     // of kUniform and kTriangular; the largest value of the others, 0: none
  double round = 0;   // values are rounded to the nearest multiple of this; 0: they are not
  std::vector<TableRow> rows;

  static Number of(double value) {
    Number number;
    number.mean = value;
    return number;
  }

  double sample(Random& random) const;
  // Returns a sample as a whole number, at least 0.
  uint64_t whole(Random& random) const;
  double expected() const;
};

// Returns a uniform number in [0, 1).
inline double unit(Random& random) {
  return static_cast<double>(random.next() >> 11U) * 0x1.0p-53;
}

}  // namespace patina
