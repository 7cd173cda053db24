// The fingerprint of the addon's interface. Written by scripts/gen-native-interface.mjs.
#pragma once

namespace brezel {

/** The loader rejects an addon with another fingerprint. */
constexpr char kInterface[] = "908ea3cbc6f72a7c";

}  // namespace brezel
