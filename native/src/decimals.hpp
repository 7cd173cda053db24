// Decimal numerals: between them and floats lies the only arithmetic that a kernel leaves to the
// standard library, which rounds correctly, like JavaScript.
#pragma once

#include <cstdint>

namespace brezel {

constexpr int kMostDigits = 9;

/** The first digits of a finite number that is not 0, without its sign. */
struct Digits {
  char digits[kMostDigits];
  int count;
  int exponent;  // of the first digit
};

/**
 * So many digits that no float32 but this has them, and no fewer tell it from others; 1 where the
 * standard library cannot say.
 */
int least_digits(float value);
/**
 * `magnitude`: of the power of ten of the first digit only the sign matters, and only beyond the
 * range.
 */
double read_double(const char* from, const char* to, int64_t magnitude);
/** The nearest number of `count` digits; half-way the even one. */
Digits nearest_digits(double value, int count);
/** What is written down as digits, as float64. */
double read_digits(const Digits& from);
/** Writes an integer; returns the end. */
char* write_integer(int64_t value, char* to);

}  // namespace brezel
