// Finds builds that are older than their sources. Tests run the built files, so they would test old
// code.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
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
    return existsSync(source) && newest(join(packages, name)) > (existsSync(built) ? statSync(built).mtimeMs : 0);
  });
  return stale.length === 0
    ? []
    : [`older than their sources: packages/${stale.join(', packages/')}; npm run build:ts`];
}

/**
 * Returns the time of the newest source that the compiler reads in a package. Files that
 * `tsconfig.json` excludes do not count, because after a change of these files the compiler does
 * not write `.tsbuildinfo`.
 */
function newest(folder) {
  const excluded = excludedFiles(join(folder, 'tsconfig.json'));
  return readdirSync(join(folder, 'src'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.[mc]?ts$/.test(entry.name))
    .map(({ parentPath, name }) => join(parentPath, name))
    .filter((file) => !excluded.some((pattern) => pattern.test(relative(folder, file).split(sep).join('/'))))
    .reduce((latest, file) => Math.max(latest, statSync(file).mtimeMs), 0);
}

/** Returns the field `exclude` of a configuration of the compiler as regular expressions. */
function excludedFiles(config) {
  const { exclude = [] } = JSON.parse(readFileSync(config, 'utf8'));
  return exclude.map((glob) => {
    const parts = glob
      .split(/(\*\*\/|\*)/)
      .map((part) => WILDCARDS[part] ?? part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`^${parts.join('')}$`);
  });
}

const WILDCARDS = { '**/': '(?:.*/)?', '*': '[^/]*' };

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
