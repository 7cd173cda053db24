#pragma once

#include "include/attributes.hpp"
#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/counting.hpp"
#include "primitives/hash_grams.hpp"
#include "primitives/lookup.hpp"
#include "primitives/text.hpp"
#include "primitives/tokenize.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Counts the n-grams of a text without a dictionary: folds the case of the text, splits it into
 * tokens or characters, hashes each n-gram to a column, and writes the counts as a sparse vector.
 * The tokens of an n-gram are joined by a space. A padded token has a space before and after it.
 *
 * Parameters: a text program (the `BZTK` blob with the tables for folding and splitting), and
 * optionally a dictionary of stop words.
 *
 * Attributes, in this order: the unit of an n-gram (`GramUnit`), its least and greatest length
 * (`minN`, `maxN`), the seed of the hash, and three flags. With `by_magnitude`, the magnitude of
 * the signed hash selects the column. With `is_signed`, a negative hash subtracts one from the
 * count. With `is_binary`, counts become 1.
 */
struct HashNgramKernel {
  static void check(Signature& s) {
    s.need(s.parameters.size() == 1 || s.parameters.size() == 2, "wrong number of parameters");
    s.arity(1, s.parameters.size(), 7);
    s.text(s.inputs[0]);
    s.sparse(s.outputs[0]);
    s.attribute_below(0, kGramUnitCount);
    s.need(s.attributes[1] >= 1 && s.attributes[1] <= s.attributes[2] && s.attributes[2] <= 64,
           "attribute out of range");
    for (size_t at = 4; at < 7; at++) s.attribute_below(at, 2);
    validate_text_program(*s.parameters[0]);
    s.need(TextProgram(s.parameter<void>(0)).mode == 0, "hashed n-grams need tokens that are runs");
    if (s.parameters.size() == 2) need_words(s, 1);
  }

  static void run(Run& r) {
    const TextProgram program(r.parameter<void>(0));
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
      if (r.has_parameter(1)) drop_stop_words(Dictionary(r.parameter<void>(1)), folded, tokens);
      if (r.attribute(5)) {
        count_row<true>(r, lists_of(r, folded, tokens), output);
      } else {
        count_row<false>(r, lists_of(r, folded, tokens), output);
      }
      offsets[row + 1] = output.count;
    }
    r.output().ids = buffers.ids.data<uint32_t>();
    r.output().values = buffers.values.data<float>();
  }

  static SymbolLists lists_of(Run& r, const FoldedText& text, const Tokens& tokens) {
    switch (GramUnit{r.attribute(0)}) {
      case GramUnit::token:
        return join_words(text, tokens, r.scratch);
      case GramUnit::character:
        return split_words(text, tokens, r.scratch);
      default:
        return pad_words(text, tokens, r.scratch);
    }
  }

  /**
   * Counts the n-grams of one row, the shortest first. A padded word with fewer than `minN`
   * characters counts as one n-gram.
   */
  template <bool is_signed>
  static void count_row(Run& r, const SymbolLists& lists, SparseOutput& output) {
    const HashRule rule{r.output_type().size, static_cast<uint32_t>(r.attribute(3)), r.attribute(4) == 1, is_signed};
    const auto min_n = static_cast<uint32_t>(r.attribute(1)), max_n = static_cast<uint32_t>(r.attribute(2));
    const bool counts_short = GramUnit{r.attribute(0)} == GramUnit::padded;
    const uint32_t longest = lists.longest(), last = longest < max_n ? longest : max_n;
    auto* columns = r.scratch.occurrences.reserve<uint32_t>(lists.total() + 1, *r.scratch.growth);
    RowCounter counter;
    // a padded word has at least 3 characters
    for (uint32_t n = counts_short && min_n > 3 ? 3 : min_n; n <= last; n++) {
      uint32_t found = 0;
      for (uint32_t list = 0; list < lists.count; list++) {
        const uint32_t symbols = lists.symbols(list);
        if (symbols < n || (n < min_n && symbols > n)) continue;
        found += hash_list(lists, list, n, rule, columns + found);
      }
      counter.template add<is_signed>(rule.columns, columns, found, output, r.scratch);
    }
    finish_row<is_signed>(counter, r.attribute(6), output);
  }
};

BREZEL_ISA_END
