// Folds the code points of a text with a text program. The result is the folded UTF-8 text, and one
// bit for each byte that says whether the byte is in the class.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/bytes.hpp"
#include "primitives/simd.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

struct FoldedText {
  uint8_t* bytes;        // kPadding readable bytes follow the text
  uint64_t* class_bits;  // bit b of word w belongs to byte w * 64 + b; bits from `length` are 0
  uint32_t length;
  bool is_ascii;
};

/** Decodes one code point of valid UTF-8 that is not ASCII. */
ALWAYS_INLINE const uint8_t* decode(const uint8_t* from, uint32_t& code) {
  const uint32_t lead = from[0];
  if (lead < 0xE0) {
    code = (lead & 0x1F) << 6 | (from[1] & 0x3F);
    return from + 2;
  }
  if (lead < 0xF0) {
    code = (lead & 0x0F) << 12 | (from[1] & 0x3Fu) << 6 | (from[2] & 0x3F);
    return from + 3;
  }
  code = (lead & 0x07) << 18 | (from[1] & 0x3Fu) << 12 | (from[2] & 0x3Fu) << 6 | (from[3] & 0x3F);
  return from + 4;
}

ALWAYS_INLINE uint32_t encode(uint32_t code, uint8_t* to) {
  if (code < 0x80) {
    to[0] = static_cast<uint8_t>(code);
    return 1;
  }
  if (code < 0x800) {
    to[0] = static_cast<uint8_t>(0xC0 | code >> 6);
    to[1] = static_cast<uint8_t>(0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    to[0] = static_cast<uint8_t>(0xE0 | code >> 12);
    to[1] = static_cast<uint8_t>(0x80 | (code >> 6 & 0x3F));
    to[2] = static_cast<uint8_t>(0x80 | (code & 0x3F));
    return 3;
  }
  to[0] = static_cast<uint8_t>(0xF0 | code >> 18);
  to[1] = static_cast<uint8_t>(0x80 | (code >> 12 & 0x3F));
  to[2] = static_cast<uint8_t>(0x80 | (code >> 6 & 0x3F));
  to[3] = static_cast<uint8_t>(0x80 | (code & 0x3F));
  return 4;
}

/**
 * Folds 64 ASCII bytes and appends them to `text`. The class bits of `text` after its end must be
 * 0.
 */
ALWAYS_INLINE void append_block(const AsciiTable& folds, const AsciiTable& classes, const uint8_t* from,
                                FoldedText& text) {
  const uint32_t word = text.length >> 6, shift = text.length & 63;
  const uint64_t bits = test_block(classes, from);
  translate_block(folds, from, text.bytes + text.length);
  text.class_bits[word] |= bits << shift;
  // if `shift` is 0, the two shifts are 64 bits and give 0
  text.class_bits[word + 1] |= bits >> 1 >> (63 - shift);
  text.length += 64;
}

/** Folds a run of non-ASCII code points. Returns the end of the run. */
static const uint8_t* append_run(const TextProgram& program, const uint8_t* from, const uint8_t* end,
                                 FoldedText& text) {
  uint32_t length = text.length;
  for (bool was_ascii = true; from < end && (*from >= 0x80 || was_ascii);) {
    uint32_t bytes = 1;
    uint64_t is_in_class;
    was_ascii = *from < 0x80;
    if (was_ascii) {
      text.bytes[length] = program.ascii_fold[*from];
      is_in_class = program.ascii_class[*from++];
    } else {
      uint32_t code;
      from = decode(from, code);
      const int32_t entry = program.entry(code);
      bytes = encode(code + static_cast<uint32_t>(entry >> 1), text.bytes + length);
      is_in_class = static_cast<uint64_t>(entry & 1);
    }
    for (uint32_t byte = 0; byte < bytes; byte++, length++)
      text.class_bits[length >> 6] |= is_in_class << (length & 63);
  }
  text.length = length;
  return from;
}

/**
 * Folds a text from its first non-ASCII block to its end: runs of non-ASCII code points, and ASCII
 * blocks between them.
 */
static void fold_unicode(const TextProgram& program, const AsciiTable& folds, const AsciiTable& classes,
                         const uint8_t* from, const uint8_t* end, FoldedText& text) {
  const size_t words =
      // folding at most doubles the bytes: a non-ASCII code point has 2 to 4 bytes
      static_cast<size_t>(end - from) * 2 / 64 + 3;
  __builtin_memset(text.class_bits + text.length / 64, 0, words * 8);
  while (from < end) {
    for (; end - from >= 64 && is_ascii_block(from); from += 64) append_block(folds, classes, from, text);
    from = append_run(program, from, end, text);
  }
  text.is_ascii = false;
}

/** Folds `length` bytes of valid UTF-8. It folds 64 bytes at a time while they are ASCII. */
static FoldedText fold_text(const TextProgram& program, const uint8_t* from, uint32_t length, Scratch& scratch) {
  const size_t most = size_t{length} * 2 + 64;
  FoldedText text;
  text.bytes = scratch.folded.reserve<uint8_t>(most + kPadding, *scratch.growth);
  text.class_bits = scratch.class_bits.reserve<uint64_t>(most / 64 + 5, *scratch.growth);
  text.is_ascii = true;
  text.length = 0;
  const AsciiTable folds = load_ascii_table(program.ascii_fold);
  const AsciiTable classes = load_ascii_table(program.ascii_class);
  for (uint32_t at = 0; at < length; at += 64) {
    const uint32_t left = length - at;
    const uint64_t present = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
    uint8_t last[64];
    const uint8_t* block = from + at;
    if (left < 64) {  // the bytes after this text belong to another row or to the padding
      for (int byte = 0; byte < 64; byte += 8) {
        const uint32_t kept = left > static_cast<uint32_t>(byte) ? left - byte : 0;
        const uint64_t bytes = low_bytes(load_u64(block + byte), kept < 8 ? kept : 8);
        __builtin_memcpy(last + byte, &bytes, 8);
      }
      block = last;
    }
    if (!is_ascii_block(block)) {
      fold_unicode(program, folds, classes, from + at, from + length, text);
      break;
    }
    translate_block(folds, block, text.bytes + at);
    text.class_bits[at / 64] = test_block(classes, block) & present;
    text.length = at + (left < 64 ? left : 64);
  }
  __builtin_memset(text.bytes + text.length, 0, kPadding);
  return text;
}

BREZEL_ISA_END
