// Writes numbers as texts for the operator `format-number`. A float64 is written like C's `%.8g`. A
// float32 gets the fewest digits that distinguish it from other float32 numbers.
#pragma once

#include "isa/region.hpp"
#include "src/decimals.hpp"

BREZEL_ISA_BEGIN

// the digits of `%.8g`; numbers from 10^8 are written in scientific notation
constexpr int kDoubleDigits = 8;
constexpr size_t kMostNumberBytes = 24;

/**
 * Returns whether the digits, parsed as a float32, give `value` again. Rejects digits exactly
 * halfway between two float32.
 */
static bool is_nearest(double value, const Digits& digits) {
  const double read = read_digits(digits);
  return static_cast<float>(value + (read - value) * (1 + 0x1p-20)) == static_cast<float>(value);
}

static Digits next_above(Digits digits) {
  for (int place = digits.count; place-- > 0;) {
    if (digits.digits[place]++ != '9') return digits;
    digits.digits[place] = '0';
  }
  digits.digits[0] = '1';  // rounding turned 99 into 100, and only two digits are used
  digits.exponent++;
  return digits;
}

/**
 * Returns the fewest digits that give `value` again when parsed as a float32. If several numerals
 * are equally short, returns the digits of the one that is nearest to `value`.
 */
static Digits shortest_digits(float value) {
  for (int count = least_digits(value); count < kMostDigits; count++) {
    const Digits nearest = nearest_digits(value, count), above = next_above(nearest);
    if (is_nearest(value, nearest)) return nearest;
    if (is_nearest(value, above)) return above;
  }
  return nearest_digits(value, kMostDigits);
}

static char* write_power(int exponent, char* to) {
  *to++ = 'e';
  *to++ = exponent < 0 ? '-' : '+';
  if (exponent < 0) exponent = -exponent;
  if (exponent < 10) *to++ = '0';
  return write_integer(exponent, to);
}

/** Writes digits without trailing zeros. Numbers below 1e-4 and from 1e8 get an exponent. */
static char* write_digits(Digits digits, char* to) {
  while (digits.count > 1 && digits.digits[digits.count - 1] == '0') digits.count--;
  const int exponent = digits.exponent;
  const bool is_scientific = exponent < -4 || exponent >= kDoubleDigits;
  if (!is_scientific && exponent < 0) {
    *to++ = '0';
    *to++ = '.';
    for (int zero = exponent + 1; zero < 0; zero++) *to++ = '0';
  }
  const int point = is_scientific ? 0 : exponent;  // exponent of the digit before the decimal point
  const int last = digits.count - 1 > point ? digits.count - 1 : point;
  for (int place = 0; place <= last; place++) {
    if (place == point + 1 && point >= 0) *to++ = '.';
    *to++ = place < digits.count ? digits.digits[place] : '0';
  }
  return is_scientific ? write_power(exponent, to) : to;
}

static char* write_word(const char* word, char* to) {
  while (*word) *to++ = *word++;
  return to;
}

template <class T>
static char* write_number(T value, char* to) {
  if constexpr (!__is_same(T, float) && !__is_same(T, double)) {
    return write_integer(value, to);
  } else {
    if (value != value) return write_word("NaN", to);
    if (__builtin_signbit(value)) *to++ = '-';
    const T magnitude = __builtin_signbit(value) ? -value : value;
    if (magnitude == __builtin_inf()) return write_word("INF", to);
    if (magnitude == 0) return write_word("0", to);
    if constexpr (__is_same(T, float)) return write_digits(shortest_digits(magnitude), to);
    return write_digits(nearest_digits(magnitude, kDoubleDigits), to);
  }
}

BREZEL_ISA_END
