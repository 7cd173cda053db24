#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/counting.hpp"
#include "primitives/grams.hpp"
#include "primitives/lookup.hpp"
#include "primitives/ngram.hpp"
#include "primitives/text.hpp"
#include "primitives/text_map.hpp"
#include "primitives/tokenize.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Counts the n-grams of characters inside each token of a text: folds the case of the text, splits
 * it into tokens, and writes a sparse vector. With padding, a token gets a space before and after
 * it, and a padded token with fewer than `minN` characters counts as one n-gram.
 *
 * Parameters: a text program (the `BZTK` blob with the tables for folding and splitting), a
 * dictionary of n-grams, and optionally a dictionary of stop words. Attributes: the least length of
 * an n-gram (`minN`), how n-grams are counted (`Counting`), and whether tokens are padded
 * (`is_padded`).
 */
struct WordCharNgramKernel {
  static void check(Signature& s) {
    s.need(s.parameters.size() == 2 || s.parameters.size() == 3, "wrong number of parameters");
    s.arity(1, s.parameters.size(), 3);
    s.text(s.inputs[0]);
    s.sparse(s.outputs[0]);
    s.attribute_below(1, kCountings);
    s.attribute_below(2, 2);
    validate_text_program(*s.parameters[0]);
    validate_dictionary_layout(*s.parameters[1]);
    const Dictionary dictionary(s.parameter<void>(1));
    s.need(TextProgram(s.parameter<void>(0)).mode == 0, "characters of tokens need tokens that are runs");
    s.need(dictionary.alphabet > 0, "a dictionary of words for characters");
    s.need(s.attributes[0] >= 1 && static_cast<uint32_t>(s.attributes[0]) >= dictionary.min_n,
           "attribute out of range");
    s.need(s.attributes[2] == 0 || dictionary.min_n == 1, "short words are not in the dictionary");
    s.need(dictionary.columns == s.outputs[0].size, "the dictionary has another number of columns");
    if (s.parameters.size() == 3) need_words(s, 2);
  }

  static void run(Run& r) {
    const TextProgram program(r.parameter<void>(0));
    const Dictionary dictionary(r.parameter<void>(1));
    const Column& in = r.input(0);
    SlotBuffers& buffers = r.buffers[r.call.outputs[0]];
    SparseOutput output{buffers.ids, buffers.values, 0};
    uint32_t* offsets = r.write_offsets();
    r.write_ids(1);
    r.write_values<float>(1);
    offsets[0] = 0;
    for (uint32_t row = 0; row < r.rows; row++) {
      const uint8_t* text = in.bytes() + in.offsets[row];
      const FoldedText folded = fold_text(program, text, in.offsets[row + 1] - in.offsets[row], r.scratch);
      Tokens tokens = tokenize(folded, program.minimum_run, r.scratch);
      if (r.has_parameter(2)) drop_stop_words(Dictionary(r.parameter<void>(2)), folded, tokens);
      count_row(r, dictionary, folded, tokens, output);
      offsets[row + 1] = output.count;
    }
    r.output().ids = buffers.ids.data<uint32_t>();
    r.output().values = buffers.values.data<float>();
  }

  /**
   * Counts the n-grams of one row. It writes the symbols of all tokens with the unknown symbol 0
   * between two tokens. No n-gram of the dictionary contains symbol 0, so no n-gram spans two
   * tokens.
   */
  static void count_row(Run& r, const Dictionary& dictionary, const FoldedText& text, const Tokens& tokens,
                        SparseOutput& output) {
    const size_t most = size_t{text.length} + size_t{tokens.count} * 3;
    auto* symbols = r.scratch.symbols.reserve<uint32_t>(most + 16, *r.scratch.growth);
    auto* nodes = r.scratch.nodes.reserve<uint32_t>(most + 16, *r.scratch.growth);
    auto* words = r.scratch.symbol_lists.reserve<uint32_t>(size_t{tokens.count} * 2 + 2, *r.scratch.growth);
    const uint32_t space = dictionary.symbol(' '), padding = r.attribute(2) == 1;
    uint32_t total = 0;
    for (uint32_t token = 0; token < tokens.count; token++) {
      words[token * 2] = total;
      symbols[total] = space;
      total += padding;
      const uint8_t *from = text.bytes + tokens.bounds[token * 2], *end = text.bytes + tokens.bounds[token * 2 + 1];
      while (from < end) {
        uint32_t code;
        from = decode_any(from, code);
        symbols[total++] = dictionary.symbol(code);
      }
      symbols[total] = space;
      total += padding;
      words[token * 2 + 1] = total - words[token * 2];
      symbols[total++] = 0;
    }
    with_columns(dictionary, Counting{r.attribute(1)}, output, r.scratch, [&](auto& columns) {
      const auto min_n = static_cast<uint32_t>(r.attribute(0));
      if (padding) add_short_words(dictionary, symbols, words, tokens.count, min_n, columns);
      add_grams(dictionary, min_n, symbols, total, uint32_t{0}, nodes, columns, r.scratch);
    });
  }

  /** Adds words with fewer than `min_n` characters as one n-gram each, shortest words first. */
  template <class Columns>
  static void add_short_words(const Dictionary& dictionary, const uint32_t* symbols, const uint32_t* words,
                              uint32_t count, uint32_t min_n, Columns& columns) {
    for (uint32_t n = 3; n < min_n && n <= dictionary.max_n; n++) {
      uint32_t* list = columns.reserve(count);
      uint32_t found = 0;
      for (uint32_t word = 0; word < count; word++) {
        if (words[word * 2 + 1] != n) continue;
        const uint32_t node = find_characters(dictionary, symbols + words[word * 2], n);
        found += columns_of(dictionary, &node, 1, list + found);
      }
      columns.add(list, found);
    }
  }
};

BREZEL_ISA_END
