// Fuzzes the parts of a fleet file that the loader reads first: lists of strings, and the manifest,
// whose layout is in the file BREZEL_FUZZ_TABLES. Every input is checked as both.
#include <cstdlib>
#include <fstream>
#include <iterator>

#include "src/manifest.hpp"
#include "src/string_table.hpp"

using namespace brezel;

static ManifestTables read_layout() {
  std::ifstream file(std::getenv("BREZEL_FUZZ_TABLES"), std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  return read_tables(reinterpret_cast<const int32_t*>(bytes.data()), bytes.size() / 4);
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t bytes) {
  static const ManifestTables tables = read_layout();
  // a copy of exactly this size, so that the address sanitizer finds every read beyond it
  const std::vector<uint8_t> own(data, data + bytes);
  for (uint32_t root = 0; root < tables.size(); root++) ManifestCheck(own.data(), bytes, tables).is_sound(root);
  const StringTable strings(own.data(), bytes);
  if (!strings.is_sound()) return 0;
  const DistinctStrings distinct(strings);
  std::vector<uint8_t> encoded;
  encode_strings(
      static_cast<uint32_t>(distinct.firsts.size()), [&](uint32_t at) { return strings.at(distinct.firsts[at]); },
      [&](size_t length) {
        encoded.resize(length);
        return encoded.data();
      });
  return 0;
}
