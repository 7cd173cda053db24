// Finds builds that are older than their sources. Tests run the built files, so they would test old
// code.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { kernelFiles } from '../native/scripts/list-kernels.mjs';
import { isSame, readSources } from '../native/scripts/source-times.mjs';

/** Returns a sentence for each build that is older than its sources. */
export function staleBuilds(root) {
  return [...stalePackages(root), ...staleAddon(root)];
}

/**
 * Returns the packages with old builds. The compiler writes `.tsbuildinfo` at each build, whether
 * or not the output changed.
 */
function stalePackages(root) {
  const packages = join(root, 'packages');
  const stale = readdirSync(packages).filter((name) => {
    const built = join(packages, name, 'dist/.tsbuildinfo');
    const source = join(packages, name, 'src');
    return existsSync(source) && newest(source) > (existsSync(built) ? statSync(built).mtimeMs : 0);
  });
  return stale.length === 0
    ? []
    : [`older than their sources: packages/${stale.join(', packages/')}; npm run build:ts`];
}

const newest = (folder) =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[mc]?ts$/.test(entry.name) && !entry.name.endsWith('.test.ts'))
    .reduce((latest, { parentPath, name }) => Math.max(latest, statSync(join(parentPath, name)).mtimeMs), 0);

/**
 * Returns whether the addon is older than its sources. It compares the content of files, because a
 * checkout changes the modification times of equal files. Without an addon, tests that need the
 * addon are skipped and report it.
 */
function staleAddon(root) {
  const native = join(root, 'native');
  const stamp = join(native, 'build/stamp.json');
  if (process.env.BREZEL_NATIVE === 'off' || !existsSync(stamp)) return [];
  const { sources } = JSON.parse(readFileSync(stamp, 'utf8'));
  return isSame(readSources(native, kernelFiles()), sources)
    ? []
    : ['the native addon is older than its sources; npm run build:native'];
}
