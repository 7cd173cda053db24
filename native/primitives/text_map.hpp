// Maps the code points of a text with a text map. The map replaces a code point by zero, one or
// several code points.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/simd.hpp"
#include "primitives/text.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

constexpr uint32_t kCapitalSigma = 0x3A3;
// the maximal bytes that replace one code point
constexpr uint32_t kMostMapped = 31 * 4;
// the maximal bytes of one mapped text, equal to the limit for input texts
constexpr size_t kMostMappedText = size_t{1} << 28;

/** Appends texts to a buffer, which grows as needed. */
struct TextOutput {
  Buffer& buffer;
  GrowthCounter& growth;
  size_t length;  // bytes of all texts in the buffer

  /** Makes room for `more` bytes and the padding. Returns the end of the text. */
  uint8_t* room(size_t more) { return buffer.extend<uint8_t>(length + more + kPadding, length, growth) + length; }
};

/** Returns the first byte of the code point before `at`. */
ALWAYS_INLINE const uint8_t* code_point_before(const uint8_t* at) {
  do at--;
  while ((*at & 0xC0) == 0x80);
  return at;
}

ALWAYS_INLINE const uint8_t* decode_any(const uint8_t* from, uint32_t& code) {
  if (*from >= 0x80) return decode(from, code);
  code = *from;
  return from + 1;
}

/**
 * Returns whether the capital sigma at `at` is at the end of a word (Unicode's Final_Sigma). The
 * search skips case-ignorable code points: the code point before the sigma must be cased, and the
 * code point after it must not be cased. A sigma is not case-ignorable, so all searches of a text
 * together read each code point at most twice.
 */
static bool is_final_sigma(const TextMap& map, const uint8_t* start, const uint8_t* at, const uint8_t* end) {
  uint8_t context = 0;
  uint32_t code;
  for (const uint8_t* before = at; before > start;) {
    before = code_point_before(before);
    decode_any(before, code);
    context = map.context(code);
    if (!(context & 2)) break;
  }
  if ((context & 3) != 1) return false;
  for (const uint8_t* behind = at + 2; behind < end;) {
    behind = decode_any(behind, code);
    context = map.context(code);
    if (!(context & 2)) return !(context & 1);
  }
  return true;
}

static bool keeps_ascii(const TextMap& map) {
  bool keeps_all = true;
  for (uint32_t byte = 0; byte < 128; byte++) keeps_all &= map.ascii_kept[byte] == 1;
  return keeps_all;
}

/**
 * Maps ASCII bytes until the first other byte or the end. If the map drops a byte, the next byte
 * overwrites it.
 */
static const uint8_t* map_ascii(const TextMap& map, const AsciiTable& table, bool keeps_all, const uint8_t* from,
                                const uint8_t* end, TextOutput& output) {
  uint8_t* to = output.room(static_cast<size_t>(end - from) + 64);
  if (keeps_all) {
    for (; end - from >= 64 && is_ascii_block(from); from += 64, to += 64) translate_block(table, from, to);
  }
  for (; from < end && *from < 0x80; from++) {
    *to = map.ascii[*from];
    to += map.ascii_kept[*from];
  }
  output.length = static_cast<size_t>(to - output.buffer.template data<uint8_t>());
  return from;
}

/**
 * Maps one text and appends it. Throws std::bad_alloc if the result exceeds the maximal length of
 * input texts.
 */
static void map_text(const TextMap& map, const AsciiTable& table, bool keeps_all, const uint8_t* from, uint32_t length,
                     TextOutput& output) {
  const uint8_t *start = from, *end = from + length;
  const size_t before = output.length;
  while (from < end) {
    from = map_ascii(map, table, keeps_all, from, end, output);
    while (from < end && *from >= 0x80) {
      uint32_t code;
      const uint8_t* next = decode(from, code);
      TextMapEntry entry = map.entry(code);
      if (code == kCapitalSigma && map.knows_sigma())
        entry = is_final_sigma(map, start, from, end) ? map.final_sigma : map.other_sigma;
      const bool stays = entry == kNone;
      const uint32_t* mapped = stays ? &code : map.pool + (entry >> 5);
      const uint32_t count = stays ? 1 : entry & 31;
      uint8_t* to = output.room(kMostMapped);
      for (uint32_t at = 0; at < count; at++) {
        const uint32_t bytes = encode(mapped[at], to);
        to += bytes;
        output.length += bytes;
      }
      from = next;
      if (output.length - before > kMostMappedText) [[unlikely]]
        output.buffer.reserve<uint8_t>(~size_t{0}, output.growth);  // always throws
    }
  }
}

BREZEL_ISA_END
