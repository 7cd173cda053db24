// White space as Python's `\s` and `str.isspace` define it.
#pragma once

#include "isa/region.hpp"
#include "primitives/text_map.hpp"

BREZEL_ISA_BEGIN

ALWAYS_INLINE bool is_space(uint32_t code) {
  if (code <= 0x20) return code == 0x20 || (code >= 9 && code <= 13) || (code >= 0x1C && code <= 0x1F);
  if (code < 0x80) return false;
  return code == 0x85 || code == 0xA0 || code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 ||
         code == 0x2029 || code == 0x202F || code == 0x205F || code == 0x3000;
}

/**
 * Copies a text to `to` and replaces each run of two or more white-space characters by one space.
 * Returns the end of the written bytes.
 */
static uint8_t* collapse_spaces(const uint8_t* from, const uint8_t* end, uint8_t* to) {
  uint32_t spaces = 0;
  while (from < end) {
    if (*from > 0x20 && *from < 0x80) {
      spaces = 0;
      *to++ = *from++;
      continue;
    }
    uint32_t code;
    const uint8_t* next = decode_any(from, code);
    spaces = is_space(code) ? spaces + 1 : 0;
    if (spaces > 2) {
      from = next;
      continue;
    }
    if (spaces == 2) {  // the first of the two spaces was already copied
      to = const_cast<uint8_t*>(code_point_before(to));
      *to++ = ' ';
      from = next;
      continue;
    }
    while (from < next) *to++ = *from++;
  }
  return to;
}

BREZEL_ISA_END
