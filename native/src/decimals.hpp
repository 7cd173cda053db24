// Converts between decimal numerals and floats. Kernels use the standard library only for these
// conversions: it rounds correctly, as JavaScript does.
#pragma once

#include <cstdint>

namespace brezel {

constexpr int kMostDigits = 9;

/** The first significant digits of a finite, non-zero number, without its sign. */
struct Digits {
  char digits[kMostDigits];
  int count;
  int exponent;  // power of ten of the first digit
};

/**
 * Returns the least number of digits that distinguish this float32 from all others, or 1 if the
 * standard library cannot report it.
 */
int least_digits(float value);
/**
 * Parses a numeral as a float64. `magnitude` is the power of ten of the numeral's first digit. If
 * the number is out of range, the sign of `magnitude` selects infinity or zero.
 */
double read_double(const char* from, const char* to, int64_t magnitude);
/** Rounds a number to `count` significant digits. A tie goes to the even digit. */
Digits nearest_digits(double value, int count);
/** Parses digits as a float64. */
double read_digits(const Digits& from);
/** Writes an integer and returns the end of the text. */
char* write_integer(int64_t value, char* to);

}  // namespace brezel
