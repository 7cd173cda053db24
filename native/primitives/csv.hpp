// Reads fields of one delimited record (RFC 4180). The record ends at the first unquoted line
// break.
#pragma once

#include "isa/region.hpp"

BREZEL_ISA_BEGIN

struct CsvDialect {
  uint8_t separator, quote;
};

/**
 * Reads the field at `from` and returns its end: a separator, a line break or the end of the text.
 * If `is_wanted`, it copies the field to `to` and advances `to`. A quoted field ends at the next
 * quote that is not doubled. Text between that quote and the separator is copied unchanged.
 */
static const uint8_t* read_field(const uint8_t* from, const uint8_t* end, CsvDialect dialect, uint8_t*& to,
                                 bool is_wanted) {
  bool is_quoted = from < end && *from == dialect.quote;
  if (is_quoted) from++;
  for (; from < end; from++) {
    if (is_quoted && *from == dialect.quote) {
      if (from + 1 == end || from[1] != dialect.quote) {
        is_quoted = false;
        continue;
      }
      from++;
    } else if (!is_quoted && (*from == dialect.separator || *from == '\n' || *from == '\r')) {
      break;
    }
    if (is_wanted) *to++ = *from;
  }
  return from;
}

/**
 * Copies field `index` of a record to `to`. A missing field is empty. Returns the end of the
 * written bytes.
 */
static uint8_t* copy_field(const uint8_t* from, const uint8_t* end, uint32_t index, CsvDialect dialect, uint8_t* to) {
  for (uint32_t field = 0;; field++) {
    from = read_field(from, end, dialect, to, field == index);
    if (field == index || from == end || *from != dialect.separator) return to;
    from++;
  }
}

BREZEL_ISA_END
