// Symbols of a character dictionary: one number for each code point. The number is 0 if the code
// point is unknown or outside the class.
#pragma once

#include "isa/region.hpp"
#include "primitives/simd.hpp"
#include "primitives/text.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Writes the symbols of an ASCII text, 64 at a time. Returns false if the text is not ASCII. The
 * output needs room for `length` + 64 symbols.
 */
static bool translate_ascii(const uint8_t* table_bytes, const uint8_t* from, uint32_t length, uint8_t* symbols) {
  const AsciiTable table = load_ascii_table(table_bytes);
  uint32_t at = 0;
  for (; at + 64 <= length; at += 64) {
    if (!is_ascii_block(from + at)) return false;
    translate_block(table, from + at, symbols + at);
  }
  for (; at < length; at++) {
    if (from[at] >= 0x80) return false;
    symbols[at] = table_bytes[from[at]];
  }
  return true;
}

/** Loads the table that translates ASCII bytes to symbols. */
ALWAYS_INLINE AsciiTable load_symbols(const uint8_t* ascii) { return load_ascii_table(ascii); }
ALWAYS_INLINE const uint32_t* load_symbols(const uint32_t* ascii) { return ascii; }
ALWAYS_INLINE void translate_block(const uint32_t* table, const uint8_t* from, uint32_t* symbols) {
  for (uint32_t at = 0; at < 64; at++) symbols[at] = table[from[at]];
}

/**
 * Writes one symbol for each code point: 0 if it is unknown, or if its folded form is outside the
 * class. Returns the number of symbols.
 */
template <class Symbol>
static uint32_t find_symbols(const TextProgram& program, const Dictionary& dictionary, const Symbol* ascii,
                             const uint8_t* from, uint32_t length, Symbol* symbols) {
  const auto table = load_symbols(ascii);
  const uint8_t* end = from + length;
  uint32_t total = 0;
  while (from < end) {
    for (; end - from >= 64 && is_ascii_block(from); from += 64, total += 64)
      translate_block(table, from, symbols + total);
    while (from < end && *from < 0x80) symbols[total++] = ascii[*from++];
    while (from < end && *from >= 0x80) {
      uint32_t code;
      from = decode(from, code);
      const int32_t entry = program.entry(code);
      const uint32_t folded = code + static_cast<uint32_t>(entry >> 1);
      symbols[total++] = static_cast<Symbol>(entry & 1 ? dictionary.symbol(folded) : 0);
    }
  }
  return total;
}

BREZEL_ISA_END
