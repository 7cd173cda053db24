'use strict';
// Loads the addon. It may be absent: then the caller runs JavaScript kernels, and may show
// `error.message`, which says what to do.
const { existsSync } = require('node:fs');
const { join } = require('node:path');

const ABI_VERSION = 6;

const built = join(__dirname, 'build', 'Release', 'brezel.node');
const prebuilt = `@brezel/native-${process.platform}-${process.arch}`;

/**
 * Where an addon may lie: built here, or in the package for this platform, of which npm installs
 * the one for its C library.
 */
function candidates() {
  const chosen = process.env.BREZEL_NATIVE;
  if (chosen) return [chosen]; // a build with sanitizers, say
  return [...(existsSync(built) ? [built] : []), prebuilt, `${prebuilt}-musl`];
}

/** What to do: in the repository the addon is built, elsewhere npm installs it. */
function remedy() {
  return existsSync(join(__dirname, 'binding.gyp'))
    ? 'build it: npm run build:native (needs a C++20 compiler)'
    : `npm installs it as ${prebuilt} if there is one for this platform, unless optional dependencies are left out`;
}

function failure(message, cause) {
  const error = new Error(message, { cause });
  error.code = 'ERR_NATIVE_LOAD';
  return { addon: undefined, error };
}

function load() {
  if (process.env.BREZEL_NATIVE === 'off')
    return failure('the native addon is turned off by BREZEL_NATIVE=off; unset it to use the addon');
  let cause;
  for (const candidate of candidates()) {
    try {
      const addon = require(candidate);
      if (addon.abiVersion === ABI_VERSION) return { addon, error: undefined };
      cause = new Error(`it has version ${addon.abiVersion}, ${ABI_VERSION} is needed`);
    } catch (error) {
      if (cause === undefined || error.code !== 'MODULE_NOT_FOUND') cause = error;
    }
  }
  if (cause?.code === 'MODULE_NOT_FOUND') {
    return failure(`no native addon for ${process.platform}-${process.arch}; ${remedy()}`, cause);
  }
  return failure(`the native addon cannot be loaded (${cause.message}); ${remedy()}`, cause);
}

module.exports = load();
