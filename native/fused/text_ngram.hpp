#pragma once

#include "include/kernel.hpp"
#include "isa/region.hpp"
#include "primitives/counting.hpp"
#include "primitives/grams.hpp"
#include "primitives/lookup.hpp"
#include "primitives/ngram.hpp"
#include "primitives/symbols.hpp"
#include "primitives/text.hpp"
#include "primitives/tokenize.hpp"
#include "src/blob_checks.hpp"
#include "src/blobs.hpp"

BREZEL_ISA_BEGIN

/**
 * Counts the n-grams of a text: folds the case of the text, splits it into tokens or characters,
 * and writes a sparse vector.
 *
 * Parameters: a text program (the `BZTK` blob with the tables for folding and splitting), a
 * dictionary of n-grams, and optionally a dictionary of stop words.
 *
 * Attributes: how n-grams are counted (`Counting`), and optionally the mode of the stop words. In
 * mode 0 (default), a text that equals a stop word has no n-grams; other texts keep all their
 * tokens. In mode 1, the kernel removes the tokens that are stop words.
 */
struct TextNgramKernel {
  static void check(Signature& s) {
    s.need(s.parameters.size() == 2 || s.parameters.size() == 3, "wrong number of parameters");
    s.need(s.attributes.size() == 1 || s.attributes.size() == 2, "wrong number of attributes");
    s.arity(1, s.parameters.size(), s.attributes.size());
    s.text(s.inputs[0]);
    s.sparse(s.outputs[0]);
    s.attribute_below(0, kCountings);
    if (s.attributes.size() == 2) s.attribute_below(1, 2);
    validate_text_program(*s.parameters[0]);
    validate_dictionary_layout(*s.parameters[1]);
    const TextProgram program(s.parameter<void>(0));
    const Dictionary dictionary(s.parameter<void>(1));
    s.need(dictionary.columns == s.outputs[0].size, "the dictionary has another number of columns");
    s.need((program.mode == 1) == (dictionary.alphabet > 0), "a dictionary of words for characters, or the reverse");
    s.need(!drops_tokens(s.attributes) || program.mode == 0, "stop words among characters");
    if (s.parameters.size() == 3) need_words(s, 2);
  }

  template <class Attributes>
  static bool drops_tokens(const Attributes& attributes) {
    return attributes.size() > 1 && attributes[1] == 1;
  }

  /**
   * What `prepare` computes from the parameters. `wide` and `narrow` both hold the symbol of each
   * ASCII character, or 0 for a character that is unknown or outside the class. The kernel reads
   * `narrow` if all symbols of a text fit in a byte.
   */
  struct AsciiSymbols {
    uint32_t wide[128];
    uint8_t narrow[128];
    uint32_t is_narrow;          // 1 if every symbol fits in a byte
    uint32_t longest_stop_text;  // in bytes, after folding
  };

  static void prepare(Signature& s, Memory& memory) {
    const TextProgram program(s.parameter<void>(0));
    const Dictionary dictionary(s.parameter<void>(1));
    Memory made(sizeof(AsciiSymbols));
    auto* symbols = static_cast<AsciiSymbols*>(made.data());
    symbols->is_narrow = 1;
    symbols->longest_stop_text = s.parameters.size() == 3 ? s.parameters[2]->longest_word() : 0;
    for (uint32_t code = 0; code < 128; code++) {
      const bool has_symbol = dictionary.alphabet && program.ascii_class[code];
      symbols->wide[code] = has_symbol ? dictionary.symbol(program.ascii_fold[code]) : 0;
      symbols->narrow[code] = static_cast<uint8_t>(symbols->wide[code]);
      if (symbols->wide[code] > 255) symbols->is_narrow = 0;
    }
    memory = static_cast<Memory&&>(made);
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
      const uint32_t length = in.offsets[row + 1] - in.offsets[row];
      if (!is_stopped(r, program, text, length)) {
        if (program.mode == 0) {
          count_words(r, program, dictionary, text, length, output);
        } else {
          count_characters(r, program, dictionary, text, length, output);
        }
      }
      offsets[row + 1] = output.count;
    }
    r.output().ids = buffers.ids.data<uint32_t>();
    r.output().values = buffers.values.data<float>();
  }

  /**
   * Returns whether the folded text certainly has more than `bytes` bytes. Folding preserves the
   * number of code points, and each code point has at least one byte.
   */
  static bool has_more_code_points(const uint8_t* text, uint32_t length, uint32_t bytes) {
    return length / 4 > bytes || count_code_points(text, text + length) > bytes;
  }

  static bool is_stopped(Run& r, const TextProgram& program, const uint8_t* text, uint32_t length) {
    if (!r.has_parameter(2) || drops_tokens(r.call.attributes)) return false;
    if (has_more_code_points(text, length, r.prepared<AsciiSymbols>()->longest_stop_text)) return false;
    const FoldedText folded = fold_text(program, text, length, r.scratch);
    return find_word(Dictionary(r.parameter<void>(2)), folded.bytes, folded.length) != kNone;
  }

  static void count_words(Run& r, const TextProgram& program, const Dictionary& dictionary, const uint8_t* text,
                          uint32_t length, SparseOutput& output) {
    const FoldedText folded = fold_text(program, text, length, r.scratch);
    Tokens tokens = tokenize(folded, program.minimum_run, r.scratch);
    if (r.has_parameter(2) && drops_tokens(r.call.attributes))
      drop_stop_words(Dictionary(r.parameter<void>(2)), folded, tokens);
    if (tokens.count == 0 || dictionary.word_buckets == 0) return;
    auto* symbols = r.scratch.symbols.reserve<uint32_t>(tokens.count, *r.scratch.growth);
    auto* nodes = r.scratch.nodes.reserve<uint32_t>(tokens.count, *r.scratch.growth);
    ask_words(dictionary, folded, tokens, r.scratch);
    read_words(dictionary, folded, tokens, symbols, r.scratch);
    __builtin_memcpy(nodes, symbols, size_t{tokens.count} * 4);
    count_grams(dictionary, symbols, tokens.count, kNone, nodes, Counting{r.attribute(0)}, output, r.scratch);
  }

  static void count_characters(Run& r, const TextProgram& program, const Dictionary& dictionary, const uint8_t* text,
                               uint32_t length, SparseOutput& output) {
    const AsciiSymbols& ascii = *r.prepared<AsciiSymbols>();
    auto* nodes = r.scratch.nodes.reserve<uint32_t>(length, *r.scratch.growth);
    auto* symbols = r.scratch.symbols.reserve<uint32_t>(size_t{length} + 16, *r.scratch.growth);
    auto* narrow = reinterpret_cast<uint8_t*>(symbols);
    if (dictionary.alphabet <= 256) {  // every symbol fits in a byte
      const uint32_t total = find_symbols(program, dictionary, ascii.narrow, text, length, narrow);
      count_grams(dictionary, narrow, total, uint32_t{0}, nodes, Counting{r.attribute(0)}, output, r.scratch);
      return;
    }
    if (ascii.is_narrow) {
      if (translate_ascii(ascii.narrow, text, length, narrow)) {
        count_grams(dictionary, narrow, length, uint32_t{0}, nodes, Counting{r.attribute(0)}, output, r.scratch);
        return;
      }
    }
    const uint32_t total = find_symbols(program, dictionary, ascii.wide, text, length, symbols);
    count_grams(dictionary, symbols, total, uint32_t{0}, nodes, Counting{r.attribute(0)}, output, r.scratch);
  }
};

BREZEL_ISA_END
