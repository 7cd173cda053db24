// The fingerprint of the addon's interface. Written by scripts/gen-native-interface.mjs.
#pragma once

namespace brezel {

/** The loader rejects an addon with another fingerprint. */
constexpr char kInterface[] = "addbe64dc03d5ad0";

}  // namespace brezel
