// Numbers as texts, as `format-number` writes them: C's `%.8g`, of float32 with the fewest digits
// that tell it from others.
#pragma once

#include "isa/region.hpp"
#include "src/decimals.hpp"

BREZEL_ISA_BEGIN

constexpr int kDoubleDigits = 8;  // and from which power of ten on a number is scientific
constexpr size_t kMostNumberBytes = 24;

/** Whether the digits are read as the value, and lie not half-way to the next float32. */
static bool is_nearest(double value, const Digits& digits) {
  const double read = read_digits(digits);
  return static_cast<float>(value + (read - value) * (1 + 0x1p-20)) == static_cast<float>(value);
}

static Digits next_above(Digits digits) {
  for (int place = digits.count; place-- > 0;) {
    if (digits.digits[place]++ != '9') return digits;
    digits.digits[place] = '0';
  }
  digits.digits[0] = '1';  // 99 becomes 100, of which two digits stay
  digits.exponent++;
  return digits;
}

/** Of several numbers with the fewest digits the nearest. */
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

/** Digits without zeros at their end, with an exponent below 1e-4 and from 1e8 on. */
static char* write_digits(Digits digits, char* to) {
  while (digits.count > 1 && digits.digits[digits.count - 1] == '0') digits.count--;
  const int exponent = digits.exponent;
  const bool is_scientific = exponent < -4 || exponent >= kDoubleDigits;
  if (!is_scientific && exponent < 0) {
    *to++ = '0';
    *to++ = '.';
    for (int zero = exponent + 1; zero < 0; zero++) *to++ = '0';
  }
  const int point = is_scientific ? 0 : exponent;  // the digit that the point comes behind
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
