// Loads the addon in a program that a bundler built. No bundler copies the addon, so it is a file
// beside the bundle, an installed package, or the file that BREZEL_NATIVE names.
import { existsSync } from 'node:fs';
import nodeModule from 'node:module';
import { join } from 'node:path';
import { loadAddon, platformName } from '../../../native/load-addon.cjs';
import { folders } from './folders.mjs';

// With another name of the function, webpack does not parse its calls.
const createNodeRequire = nodeModule.createRequire;
const prebuilt = `@brezel/native-${process.platform}-${process.arch}`;

/** Returns the name of the npm package with the addon for this platform. */
const packageName = () => `@brezel/native-${platformName()}`;

/** Returns what the user should do without an addon. */
const remedy = () =>
  `copy node_modules/${packageName()}/brezel.node into the folder of the bundle, ` +
  'or set the environment variable BREZEL_NATIVE to its path';

/** Returns the paths of files that may be the addon. */
function candidates() {
  if (process.env.BREZEL_NATIVE) return [process.env.BREZEL_NATIVE];
  const beside = folders.map((folder) => join(folder, 'brezel.node'));
  return [...beside, ...[prebuilt, `${prebuilt}-musl`].flatMap(installed)].filter(existsSync);
}

/** Returns the files that Node would load for a package, seen from the folders of the bundle. */
function installed(name) {
  return folders.flatMap((folder) => {
    try {
      return [createNodeRequire(join(folder, 'bundle.js')).resolve(name)];
    } catch {
      return []; // not installed in this folder or above it
    }
  });
}

export const native = loadAddon({
  expected: INTERFACE,
  candidates,
  load: (file) => createNodeRequire(file)(file),
  remedy,
  update: () => `install brezel and ${packageName()} of the same version, then ${remedy()}`,
});
