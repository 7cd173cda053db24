'use strict';
// Loads the addon. Without an addon, the runtime uses JavaScript kernels and may show
// `error.message`, which says how to install the addon.
const { existsSync } = require('node:fs');
const { join } = require('node:path');
const { loadAddon, platformName } = require('./load-addon.cjs');

// scripts/gen-native-interface.mjs writes this fingerprint of index.d.ts.
const INTERFACE = '2c0953432016e6e3';

const built = join(__dirname, 'build', 'Release', 'brezel.node');
const prebuilt = `@brezel/native-${process.platform}-${process.arch}`;

/** Returns the name of the npm package with the addon for this platform. */
const packageName = () => `@brezel/native-${platformName()}`;

/**
 * Returns the paths where an addon may be. If the variable BREZEL_NATIVE is set, it is the only
 * path. Otherwise they are the local build and the npm packages for this platform. npm installs
 * only the package for the machine's C library.
 */
function candidates() {
  const chosen = process.env.BREZEL_NATIVE;
  if (chosen) return [chosen]; // for example, a build with sanitizers
  return [...(existsSync(built) ? [built] : []), prebuilt, `${prebuilt}-musl`];
}

/**
 * Returns what the user should do: build the addon in the repository, or install it with npm
 * elsewhere.
 */
function remedy() {
  return existsSync(join(__dirname, 'binding.gyp'))
    ? 'build it: npm run build:native (needs a C++20 compiler)'
    : `npm installs it as ${packageName()} if there is one for this platform, unless optional dependencies are left out`;
}

/** Returns what the user should do with an addon that was built from other sources. */
function update() {
  return existsSync(join(__dirname, 'binding.gyp'))
    ? 'build it again: npm run build:native'
    : `install brezel and ${packageName()} of the same version`;
}

module.exports = loadAddon({
  expected: INTERFACE,
  candidates,
  load: (candidate) => require(candidate),
  remedy,
  update,
});
