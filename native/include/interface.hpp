// The fingerprint of the addon's interface. Written by scripts/gen-native-interface.mjs.
#pragma once

namespace brezel {

/** The loader rejects an addon with another fingerprint. */
constexpr char kInterface[] = "36a9c20eb2ed0df0";

}  // namespace brezel
