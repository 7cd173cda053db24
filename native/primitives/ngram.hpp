// The n-grams of one row: level by level, nodes, then columns, then counts.

/** All n-grams of one row of `total` symbols, appended to `output`. */
template <class Symbol>
static void count_grams(const Dictionary& dictionary, const Symbol* symbols, uint32_t total, uint32_t unknown,
                        uint32_t* nodes, bool is_binary, SparseOutput& output, Scratch& scratch) {
  RowCounter counter;
  for (uint32_t n = 1; n <= dictionary.max_n && n <= total; n++) {
    const uint32_t count = total - n + 1;
    if (n <= dictionary.direct_max) {
      // The last direct table is where chains through the gram table start; shorter ones are read only if they count.
      if (n < dictionary.min_n && n < dictionary.direct_max) continue;
      read_direct_table(dictionary, n, symbols, count, nodes);
    } else if (n > 1) {
      if (dictionary.gram_buckets == 0) break;
      ask_grams(dictionary, symbols + n - 1, count, unknown, nodes, scratch);
      read_grams(dictionary, symbols + n - 1, count, unknown, nodes, scratch);
    }
    if (n < dictionary.min_n) continue;
    auto* columns = scratch.occurrences.reserve<uint32_t>(size_t{count} + 16, *scratch.growth);
    counter.add(dictionary, columns, columns_of(dictionary, nodes, count, columns), output, scratch);
  }
  finish_row(counter, is_binary, output);
}
