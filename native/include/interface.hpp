// The fingerprint of the addon's interface. Written by scripts/gen-native-interface.mjs.
#pragma once

namespace brezel {

/** A hash of index.d.ts and attributes.hpp. The loader rejects an addon with another hash. */
constexpr char kInterface[] = "2c0953432016e6e3";

}  // namespace brezel
