// Replaces `node:module` in the build for bundlers. Its `require` returns the parts of Brezel that
// are in the bundle, and loads other packages from the folders of the bundle.
import nodeModule from 'node:module';
import { join } from 'node:path';
import { folders } from './folders.mjs';
import { native } from './native.mjs';
import { inlined, paths } from './parts.mjs';

// With another name of the function, webpack does not parse its calls.
const createNodeRequire = nodeModule.createRequire;

/**
 * Replaces `createRequire` of node:module.
 *
 * @param {string | URL} from the URL that the build writes for `import.meta.url`, or a file
 */
export const createRequire = (from) => (from === BUNDLE_URL ? requireInBundle : createNodeRequire(from));

function requireInBundle(name) {
  if (name === '@brezel/native') return native;
  return inlined[name] ?? fromFolder(name, (require) => require(name));
}

requireInBundle.resolve = (name) => {
  if (name.startsWith('@brezel/') && paths[name] === undefined)
    throw new Error(`a bundle does not contain ${name}: leave brezel out of the bundle to use it`);
  return paths[name] ?? fromFolder(name, (require) => require.resolve(name));
};

/** Calls `use` in one folder after the other until a folder has the package. */
function fromFolder(name, use) {
  let first;
  for (const folder of folders) {
    try {
      return use(createNodeRequire(join(folder, 'bundle.js')));
    } catch (error) {
      first ??= error;
    }
  }
  throw first ?? new Error(`Cannot find module '${name}'`);
}
