// Finds the sources that changed since the last successful build, by their content. make compares
// modification times, which change without a change of content: for example, when you switch
// branches or copy a clone.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Reads the sources of the addon. Returns the hash and the modification time of each file.
 *
 * @param {string} native the folder native/
 * @param {string[]} more files outside of `native`
 * @returns {Record<string, { hash: string, time: number }>} by path relative to `native`
 */
export function readSources(native, more) {
  const folders = ['src', 'include', 'isa', 'primitives', 'fused', 'tensors', 'generated'];
  const own = folders.flatMap((folder) =>
    readdirSync(join(native, folder), { recursive: true }).map((name) => join(native, folder, String(name))),
  );
  const sources = {};
  for (const file of [...new Set([...own, ...more])].sort()) {
    if (!/\.(hpp|cpp)$/.test(file)) continue;
    const hash = createHash('sha256').update(readFileSync(file)).digest('hex');
    sources[relative(native, file)] = { hash, time: statSync(file).mtimeMs };
  }
  return sources;
}

/** Returns whether both records hold the same files with the same content. */
export function isSame(sources, others) {
  const names = Object.keys(sources);
  return (
    names.length === Object.keys(others).length && names.every((name) => others[name]?.hash === sources[name].hash)
  );
}

/**
 * Sets modification times so that `make` compiles exactly the changed files, and corrects the times
 * in `sources`. `built` holds the sources of the last successful build. The sources of a failed
 * build do not suffice, because only some of its objects were compiled.
 */
export function alignTimes(native, sources, built) {
  for (const [name, { hash, time }] of Object.entries(sources)) {
    const before = built[name];
    if (!before) continue;
    const isUnchanged = before.hash === hash;
    const file = join(native, name);
    if (isUnchanged && time !== before.time) utimesSync(file, before.time / 1000, before.time / 1000);
    if (!isUnchanged && time <= before.time) utimesSync(file, Date.now() / 1000, Date.now() / 1000);
    sources[name].time = statSync(file).mtimeMs;
  }
}
