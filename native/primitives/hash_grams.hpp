// Hashes the n-grams of a row to columns. An n-gram is a byte range of one buffer, so it is never
// copied.
#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/murmur3.hpp"
#include "primitives/text.hpp"
#include "primitives/tokenize.hpp"

BREZEL_ISA_BEGIN

/**
 * The symbols of a row, grouped in lists; an n-gram never spans two lists. Symbol i begins at
 * `starts[i]` of `bytes`. After the symbols of a list, `starts` has one more entry: the end of the
 * last symbol. Adjacent symbols are `gap` bytes apart.
 */
struct SymbolLists {
  const uint8_t* bytes;
  uint32_t* starts;
  uint32_t* lists;  // pairs: index of the first symbol, number of symbols
  uint32_t count;
  uint32_t gap;

  uint32_t first(uint32_t list) const { return lists[list * 2]; }
  uint32_t symbols(uint32_t list) const { return lists[list * 2 + 1]; }
  size_t total() const {
    size_t sum = 0;
    for (uint32_t list = 0; list < count; list++) sum += symbols(list);
    return sum;
  }
  uint32_t longest() const {
    uint32_t most = 0;
    for (uint32_t list = 0; list < count; list++) most = symbols(list) > most ? symbols(list) : most;
    return most;
  }
};

/**
 * Allocates memory for the symbols of `tokens` tokens. A token needs one entry for each of its code
 * points, and at most three more entries.
 */
static SymbolLists begin_lists(const FoldedText& text, uint32_t tokens, uint32_t gap, Scratch& scratch) {
  auto* starts = scratch.starts.reserve<uint32_t>(size_t{text.length} + size_t{tokens} * 3 + 1, *scratch.growth);
  auto* lists = scratch.symbol_lists.reserve<uint32_t>(size_t{tokens} * 2 + 2, *scratch.growth);
  return {text.bytes, starts, lists, 0, gap};
}

/**
 * Joins all tokens with one space between them. Returns one list, in which each token is one
 * symbol.
 */
static SymbolLists join_words(const FoldedText& text, const Tokens& tokens, Scratch& scratch) {
  SymbolLists joined = begin_lists(text, tokens.count, 1, scratch);
  auto* bytes = scratch.joined.reserve<uint8_t>(size_t{text.length} + tokens.count + kPadding, *scratch.growth);
  uint32_t length = 0;
  for (uint32_t token = 0; token < tokens.count; token++) {
    const uint32_t start = tokens.bounds[token * 2], size = tokens.bounds[token * 2 + 1] - start;
    joined.starts[token] = length;
    __builtin_memcpy(bytes + length, text.bytes + start, size);
    length += size;
    bytes[length++] = ' ';
  }
  joined.starts[tokens.count] = length;
  joined.bytes = bytes;
  joined.lists[0] = 0;
  joined.lists[1] = tokens.count;
  joined.count = 1;
  return joined;
}

/** Adds a list for one token. Its symbols are the code points of `bytes` from `from` to `to`. */
static uint32_t add_list(SymbolLists& lists, uint32_t used, uint32_t from, uint32_t to) {
  lists.lists[lists.count * 2] = used;
  const uint32_t first = used;
  for (uint32_t at = from; at < to; at++) {
    lists.starts[used] = at;
    used += (lists.bytes[at] & 0xC0) != 0x80;
  }
  lists.lists[lists.count * 2 + 1] = used - first;
  lists.count++;
  lists.starts[used++] = to;
  return used;
}

/** Splits each token into its characters, one list for each token. */
static SymbolLists split_words(const FoldedText& text, const Tokens& tokens, Scratch& scratch) {
  SymbolLists split = begin_lists(text, tokens.count, 0, scratch);
  uint32_t used = 0;
  for (uint32_t token = 0; token < tokens.count; token++)
    used = add_list(split, used, tokens.bounds[token * 2], tokens.bounds[token * 2 + 1]);
  return split;
}

/**
 * Splits each token into its characters, with a space before and after it. Adjacent tokens share a
 * space.
 */
static SymbolLists pad_words(const FoldedText& text, const Tokens& tokens, Scratch& scratch) {
  SymbolLists padded = begin_lists(text, tokens.count, 0, scratch);
  auto* bytes = scratch.joined.reserve<uint8_t>(size_t{text.length} + tokens.count + 1 + kPadding, *scratch.growth);
  padded.bytes = bytes;
  uint32_t length = 0, used = 0;
  bytes[length++] = ' ';
  for (uint32_t token = 0; token < tokens.count; token++) {
    const uint32_t start = tokens.bounds[token * 2], size = tokens.bounds[token * 2 + 1] - start;
    __builtin_memcpy(bytes + length, text.bytes + start, size);
    const uint32_t from = length - 1;
    length += size;
    bytes[length++] = ' ';
    used = add_list(padded, used, from, length);
  }
  return padded;
}

/** Maps a hash to a column. */
struct HashRule {
  uint32_t columns, seed;
  bool by_magnitude;  // true reads the magnitude of the signed hash; false reads the unsigned hash
  bool alternates;    // a negative hash sets bit 31 of the column, which subtracts from the count

  uint32_t column(uint32_t hash) const {
    const uint32_t negative = hash >> 31;
    // Half of all hashes are negative, and a processor cannot predict which ones, so there is no
    // branch. The magnitude of -2^31 is 2^31 as an unsigned number.
    const uint32_t sign = 0u - (negative & static_cast<uint32_t>(by_magnitude));
    const uint32_t whole = (hash ^ sign) - sign;
    const uint32_t place = (columns & (columns - 1)) == 0 ? whole & (columns - 1) : whole % columns;
    return place | (alternates ? negative << 31 : 0u);
  }
};

/** Writes the columns of a list's n-grams of length n. Returns their number. */
static uint32_t hash_list(const SymbolLists& of, uint32_t list, uint32_t n, const HashRule& rule,
                             uint32_t* columns) {
  const uint32_t* starts = of.starts + of.first(list);
  const uint32_t count = of.symbols(list) - n + 1;
  for (uint32_t at = 0; at < count; at++) {
    const uint32_t length = starts[at + n] - of.gap - starts[at];
    columns[at] = rule.column(murmur3_32(of.bytes + starts[at], length, rule.seed));
  }
  return count;
}

BREZEL_ISA_END
