// The fingerprint of the addon's interface. Written by scripts/gen-native-interface.mjs.
#pragma once

namespace brezel {

/** The loader rejects an addon with another fingerprint. */
constexpr char kInterface[] = "400bf5c928622c70";

}  // namespace brezel
