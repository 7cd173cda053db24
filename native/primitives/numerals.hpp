// Parses numerals in texts for `parse-number`: decimal notation with optional sign and exponent.
// White space around a numeral is allowed.
#pragma once

#include "isa/region.hpp"
#include "primitives/numbers.hpp"
#include "primitives/spaces.hpp"
#include "primitives/text_map.hpp"
#include "src/decimals.hpp"

BREZEL_ISA_BEGIN

ALWAYS_INLINE bool is_digit(uint8_t byte) { return byte >= '0' && byte <= '9'; }

/** Returns whether JavaScript's `trim` removes this code point. */
ALWAYS_INLINE bool is_trimmed(uint32_t code) {
  if (code < 0x80) return code == 0x20 || (code >= 9 && code <= 13);
  return code == 0xFEFF || (code != 0x85 && is_space(code));
}

struct ByteRange {
  const uint8_t *from, *to;
};

static ByteRange trimmed(ByteRange text) {
  uint32_t code;
  while (text.from < text.to) {
    const uint8_t* next = decode_any(text.from, code);
    if (!is_trimmed(code)) break;
    text.from = next;
  }
  while (text.from < text.to) {
    const uint8_t* last = code_point_before(text.to);
    decode_any(last, code);
    if (!is_trimmed(code)) break;
    text.to = last;
  }
  return text;
}

enum class NumeralKind : uint8_t { none, finite, infinite, not_a_number };

struct Numeral {
  NumeralKind kind;
  bool is_negative, is_whole;   // is_whole: the numeral has only digits
  const uint8_t *from, *to;     // the digits, without the sign
  int64_t magnitude;            // the power of ten of the first non-zero digit
};

/** Returns whether the bytes spell `word`, in upper or lower case. `word` is in lower case. */
static bool is_word(const uint8_t* from, const uint8_t* to, const char* word) {
  for (; from < to && *word; from++, word++) {
    if ((*from | 0x20) != static_cast<uint8_t>(*word)) return false;
  }
  return from == to && !*word;
}

static Numeral read_exponent(Numeral numeral, const uint8_t* at) {
  // beyond this exponent, no number of digits makes the value finite or non-zero
  constexpr int64_t kBeyondAll = int64_t{1} << 40;
  if (at == numeral.to) return numeral;
  if ((*at++ | 0x20) != 'e') return {};
  const bool is_negative = at < numeral.to && *at == '-';
  if (at < numeral.to && (*at == '-' || *at == '+')) at++;
  if (at == numeral.to) return {};
  int64_t exponent = 0;
  for (; at < numeral.to; at++) {
    if (!is_digit(*at)) return {};
    if (exponent < kBeyondAll) exponent = exponent * 10 + (*at - '0');
  }
  numeral.magnitude += is_negative ? -exponent : exponent;
  numeral.is_whole = false;
  return numeral;
}

/** Parses `text`, which has no white space around it. */
static Numeral read_numeral(ByteRange text) {
  Numeral numeral{NumeralKind::finite, false, true, text.from, text.to, 0};
  if (text.from < text.to && (*text.from == '+' || *text.from == '-')) {
    numeral.is_negative = *text.from == '-';
    numeral.from++;
  }
  const uint8_t *at = numeral.from, *first = nullptr, *point = nullptr;
  for (; at < text.to; at++) {
    if (*at == '.' && !point) {
      point = at;
    } else if (!is_digit(*at)) {
      break;
    } else if (*at != '0' && !first) {
      first = at;
    }
  }
  if (at - numeral.from == (point ? 1 : 0)) {
    const bool is_infinite = is_word(numeral.from, text.to, "inf") || is_word(numeral.from, text.to, "infinity");
    numeral.kind = is_infinite                                 ? NumeralKind::infinite
                   : is_word(numeral.from, text.to, "nan") ? NumeralKind::not_a_number
                                                               : NumeralKind::none;
    return numeral;
  }
  const uint8_t* end_of_whole = point ? point : at;
  if (first) numeral.magnitude = first < end_of_whole ? end_of_whole - first : end_of_whole - first + 1;
  numeral.is_whole = !point;
  return read_exponent(numeral, at);
}

static double value_of(const Numeral& numeral) {
  double value = __builtin_nan("");
  if (numeral.kind == NumeralKind::infinite) value = __builtin_inf();
  if (numeral.kind == NumeralKind::finite)
    value = read_double(reinterpret_cast<const char*>(numeral.from), reinterpret_cast<const char*>(numeral.to),
                        numeral.magnitude);
  return numeral.is_negative ? -value : value;
}

/**
 * Computes the integer part of a numeral. The result is exact if the numeral is a whole number.
 * Returns whether an int64 can hold it.
 */
static bool integer_of(const Numeral& numeral, int64_t& value) {
  if (numeral.kind != NumeralKind::finite) return false;
  if (!numeral.is_whole || numeral.magnitude > 19) {
    const double number = value_of(numeral);
    value = truncate<int64_t>(number);
    return number < 9223372036854775808.0 && number >= -9223372036854775808.0;
  }
  uint64_t magnitude = 0;
  for (const uint8_t* at = numeral.from; at < numeral.to; at++) magnitude = magnitude * 10 + (*at - '0');
  constexpr uint64_t kLeast = uint64_t{1} << 63;
  value = static_cast<int64_t>(numeral.is_negative ? 0 - magnitude : magnitude);
  return magnitude < kLeast || (numeral.is_negative && magnitude == kLeast);
}

BREZEL_ISA_END
