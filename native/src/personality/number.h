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
  // The constant's value; of kWeibull the scale, of kTriangular the mode, of kLognormal the logarithm's mean.
  double mean = 0;
  double offset = 0;  // added to values that are not constant
  double shape = 1;   // of kGamma, kErlang and kWeibull; of kNormal and kLognormal the standard deviation
  double lower = 0;   // bounds of kUniform and kTriangular
  double upper = 0;
  // Values that are not constant and lie outside are the nearest of these; max 0: without a largest.
  double min = 0;
  double max = 0;
  double round =
      0;  // values that are not constant are rounded to the nearest multiple of this; 0: they are not
  std::vector<TableRow> rows;

  static Number of(double value) {
    Number number;
    number.mean = value;
    return number;
  }

  // Returns a finite value, at most 2^62.
  double sample(Random& random) const;
  // Returns a sample as a whole number, at least 0.
  uint64_t whole(Random& random) const;
  // Returns the mean of many samples, as if there were no `min`, `max` and `round`.
  double expected() const;
};

// Returns a uniform number in [0, 1).
inline double unit(Random& random) {
  return static_cast<double>(random.next() >> 11U) * 0x1.0p-53;
}

}  // namespace patina
