// Decimal numerals. Conversion between numerals and floats is the only arithmetic that kernels
// leave to the standard library, because it rounds correctly, like JavaScript.
#pragma once

#include <cstdint>

namespace brezel {

constexpr int kMostDigits = 9;

/** The first digits of a finite, non-zero number, without its sign. */
struct Digits {
  char digits[kMostDigits];
  int count;
  int exponent;  // of the first digit
};

/**
 * Returns the least number of digits that distinguishes this float32 from all others, or 1 if the
 * standard library cannot report it.
 */
int least_digits(float value);
/**
 * Reads a numeral. `magnitude` is the power of ten of its first digit; only its sign is used, and
 * only when the number is out of range.
 */
double read_double(const char* from, const char* to, int64_t magnitude);
/** Returns the nearest number of `count` digits; of two equally near numbers, the even one. */
Digits nearest_digits(double value, int count);
/** Reads digits as a float64. */
double read_digits(const Digits& from);
/** Writes an integer; returns the end. */
char* write_integer(int64_t value, char* to);

}  // namespace brezel
