// Which sources changed since the last good build, by content. make compares times of change, and
// times mislead it: a switch between two branches or a copied clone changes the time of files whose
// content is the same.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync, statSync, utimesSync } from 'node:fs';
import { join, relative } from 'node:path';

/**
 * Reads the sources of the addon: for each file its hash and its time of change.
 *
 * @param {string} native the folder native/
 * @param {string[]} more files outside of it
 * @returns {Record<string, { hash: string, time: number }>} by path from `native`
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

/** Whether both hold the same files with the same content. */
export function isSame(sources, others) {
  const names = Object.keys(sources);
  return (
    names.length === Object.keys(others).length && names.every((name) => others[name]?.hash === sources[name].hash)
  );
}

/**
 * Sets the times of change so that make compiles exactly what changed, and corrects them in
 * `sources`. `built` are the sources of the last build, which must have succeeded: objects of a
 * failed build may be newer than both.
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
