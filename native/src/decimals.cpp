// Reads and writes decimal numerals with the standard library.
#include "src/decimals.hpp"

#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>

#if defined(__unix__) || defined(__APPLE__)
#include <locale.h>
#endif
#if defined(__APPLE__)
#include <xlocale.h>
#endif

using namespace brezel;

// libc++ has no charconv of floats yet. Without charconv, the C library converts, which takes
// several times as long.
#if defined(__cpp_lib_to_chars) && !defined(BREZEL_PORTABLE)

static void write_scientific(double value, int precision, char (&text)[32]) {
  *std::to_chars(text, text + sizeof text - 1, value, std::chars_format::scientific, precision).ptr = 0;
}

int brezel::least_digits(float value) {
  char text[32];
  const char* end = std::to_chars(text, text + sizeof text, value, std::chars_format::scientific).ptr;
  int count = 0;
  for (const char* at = text; at < end && *at != 'e'; at++) count += *at != '.';
  return count;
}

double brezel::read_double(const char* from, const char* to, int64_t magnitude) {
  double value = 0;
  if (std::from_chars(from, to, value).ec == std::errc()) return value;
  return magnitude > 0 ? HUGE_VAL : 0;
}

#else

static void write_scientific(double value, int precision, char (&text)[32]) {
  // the decimal separator depends on the locale
  snprintf(text, sizeof text, "%.*e", precision, value);
}

int brezel::least_digits(float) { return 1; }

#if defined(__wasm__)

// The C library of WebAssembly has only the locale C.
double brezel::read_double(const char* from, const char* to, int64_t) {
  return strtod(std::string(from, to).c_str(), nullptr);
}

#else

double brezel::read_double(const char* from, const char* to, int64_t) {
  static const locale_t c_locale = newlocale(LC_ALL_MASK, "C", static_cast<locale_t>(nullptr));
  return strtod_l(std::string(from, to).c_str(), nullptr, c_locale);
}

#endif

#endif

Digits brezel::nearest_digits(double value, int count) {
  char text[32];
  write_scientific(value, count - 1, text);
  Digits made{{}, 0, 0};
  const char* at = text;
  for (; *at != 'e'; at++)
    if (*at >= '0' && *at <= '9') made.digits[made.count++] = *at;
  const bool is_negative = at[1] == '-';
  for (at += 2; *at; at++) made.exponent = made.exponent * 10 + (*at - '0');
  if (is_negative) made.exponent = -made.exponent;
  return made;
}

double brezel::read_digits(const Digits& from) {
  char text[32];
  char* at = text;
  *at++ = from.digits[0];
  *at++ = '.';
  for (int place = 1; place < from.count; place++) *at++ = from.digits[place];
  *at++ = 'e';
  at = std::to_chars(at, text + sizeof text, from.exponent).ptr;
  return read_double(text, at, from.exponent + 1);
}

char* brezel::write_integer(int64_t value, char* to) { return std::to_chars(to, to + 20, value).ptr; }
