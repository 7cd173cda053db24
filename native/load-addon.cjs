'use strict';
// Loads the first addon that was built for this version of Brezel. In the repository and in an
// installation, index.cjs calls it; scripts/release/in-bundle/native.mjs calls it in a program that
// a bundler built.

function failure(message, cause) {
  const error = new Error(message, { cause });
  error.code = 'ERR_NATIVE_LOAD';
  return { addon: undefined, error };
}

/**
 * Returns the name of this platform in the names of addon packages, for example `linux-x64-musl` on
 * Alpine. On Linux, the call takes milliseconds, so call it only after an error.
 */
function platformName() {
  return `${process.platform}-${process.arch}${isMusl() ? '-musl' : ''}`;
}

function isMusl() {
  if (process.platform !== 'linux') return false;
  const { report } = process;
  const { excludeNetwork } = report;
  report.excludeNetwork = true; // otherwise the report may wait for DNS
  try {
    return report.getReport().header.glibcVersionRuntime === undefined;
  } finally {
    report.excludeNetwork = excludeNetwork;
  }
}

exports.platformName = platformName;

/**
 * Returns the addon, or an error that says how to get one.
 *
 * @param {object} options
 * @param {string} options.expected the fingerprint of the interface that the addon must have
 * @param {() => string[]} options.candidates returns names or paths of addons, best first
 * @param {(candidate: string) => { interface?: string }} options.load
 * @param {() => string} options.remedy says how to get an addon
 * @param {() => string} options.update says how to replace an addon of another interface
 */
exports.loadAddon = ({ expected, candidates, load, remedy, update }) => {
  if (process.env.BREZEL_NATIVE === 'off')
    return failure('the native addon is turned off by BREZEL_NATIVE=off; unset it to use the addon');
  let cause;
  let mismatch;
  for (const candidate of candidates()) {
    try {
      const addon = load(candidate);
      if (addon.interface === expected) return { addon, error: undefined };
      const received = addon.interface ?? 'an older one';
      mismatch ??= `expected the native addon ${candidate} for interface ${expected}, received ${received}`;
    } catch (error) {
      if (cause === undefined || error.code !== 'MODULE_NOT_FOUND') cause = error;
    }
  }
  if (mismatch !== undefined) return failure(`${mismatch}; ${update()}`);
  if (cause === undefined || cause.code === 'MODULE_NOT_FOUND')
    return failure(`no native addon for ${platformName()}; ${remedy()}`, cause);
  return failure(`the native addon cannot be loaded (${cause.message}); ${remedy()}`, cause);
};
