import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createFlour, importOnnx, openStore, packFleet } from 'brezel';
import { buildVersion } from '../harness/machine.mjs';
import { forestModel } from './forests.mjs';
import { learnDictionary } from './reviews.mjs';
import { emptyModel, expertModel, makeWeights, naturalModel } from './sentiment-onnx.mjs';

// Caches generated model files in the temporary folder (or BREZEL_BENCH_MODELS) between runs, so
// that a measuring process loads a file and never generates one.

/**
 * Returns the folder that caches the generated files. Its name contains a checksum of the
 * generators' source code.
 *
 * @param {readonly URL[]} sources
 */
export function folderOf(sources) {
  const texts = sources.map((source) => readFileSync(source));
  const version = createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 12);
  return join(process.env.BREZEL_BENCH_MODELS ?? tmpdir(), `brezel-bench-${version}`);
}

const names = ['random', 'reviews', 'sentiment-onnx', 'forests'];
/** The source files of the generators. */
export const sources = names.map((name) => new URL(`${name}.mjs`, import.meta.url));
const folder = folderOf(sources);

/** @typedef {import('./reviews.mjs').Size} Size */
/** @typedef {import('./reviews.mjs').Dictionary} Dictionary */

/**
 * Generates a file unless it is cached, and returns its path.
 *
 * @param {string} name
 * @param {() => string | Uint8Array} make
 * @param {string} [within]
 */
export function cached(name, make, within = folder) {
  const path = join(within, name);
  if (existsSync(path)) return path;
  mkdirSync(within, { recursive: true });
  const half = `${path}.${process.pid}`;
  writeFileSync(half, make());
  renameSync(half, path); // renamed, so that other processes never read an incomplete file
  return path;
}

/** @type {Map<Size, Dictionary>} */
const dictionaries = new Map();

/**
 * Returns the dictionary of a size. It is learned once and cached in a file.
 *
 * @param {Size} size
 * @returns {Dictionary}
 */
export function dictionary(size) {
  let found = dictionaries.get(size);
  if (found === undefined) {
    found = JSON.parse(
      readFileSync(
        cached(`dictionary-${size}.json`, () => JSON.stringify(learnDictionary(size))),
        'utf8',
      ),
    );
    dictionaries.set(size, /** @type {Dictionary} */ (found));
  }
  return /** @type {Dictionary} */ (found);
}

/**
 * Returns the path of the natural graph of an SA model.
 *
 * @param {Size} size
 */
export const naturalFile = (size, member = 0) =>
  cached(`natural-${size}-${member}.onnx`, () => naturalModel(dictionary(size), makeWeights(dictionary(size), member)));

/**
 * Returns the path of the expert graph of an SA model.
 *
 * @param {Size} size
 */
export const expertFile = (size, member = 0) =>
  cached(`expert-${size}-${member}.onnx`, () => expertModel(dictionary(size), makeWeights(dictionary(size), member)));

/**
 * Packs models into a fleet file, once for each build of Brezel. The models come from memory,
 * because 250 ONNX files with 1M entries would fill the disk.
 *
 * @param {string} name without build
 * @param {readonly { name: string, rows: readonly string[] }[]} members with their golden rows
 * @param {(member: number) => Uint8Array} modelOf returns an ONNX file
 * @param {string} [within]
 */
export async function packedFile(name, members, modelOf, within = folder) {
  const path = join(within, `${name}-${buildVersion().slice(0, 8)}.brezel`);
  if (existsSync(path)) return path;
  mkdirSync(within, { recursive: true });
  const store = await openStore();
  const packed = [];
  for (const [index, member] of members.entries()) {
    const flour = await createFlour({ store });
    packed.push({ ...member, plan: importOnnx(modelOf(index), flour).program.plan() });
    flour.dispose();
  }
  await packFleet(packed, path, { store });
  for (const { plan } of packed) plan.release();
  removeOld(name, within);
  return path;
}

/**
 * The number of builds of Brezel whose fleet files stay cached. It is above 1, so that comparing
 * two builds does not pack their files again.
 */
const BUILDS = 3;

/**
 * Deletes the fleet files of all but the newest `BUILDS` builds.
 *
 * @param {string} name without build
 * @param {string} within
 */
function removeOld(name, within) {
  const isBuild = (/** @type {string} */ file) => /^[0-9a-f]{8}\.brezel$/.test(file.slice(name.length + 1));
  const paths = readdirSync(within)
    .filter((file) => file.startsWith(`${name}-`) && isBuild(file))
    .map((file) => join(within, file));
  const byAge = paths.toSorted((one, other) => statSync(other).mtimeMs - statSync(one).mtimeMs);
  for (const path of byAge.slice(BUILDS)) rmSync(path, { force: true });
}

/**
 * Returns the path of a fleet file with `count` SA models.
 *
 * @param {Size} size
 * @param {number} count
 */
export const fleetFile = (size, count) =>
  packedFile(
    `fleet-${size}-${count}`,
    Array.from({ length: count }, (_, member) => ({ name: `member-${member}`, rows: ['not a bad film'] })),
    (member) => naturalModel(dictionary(size), makeWeights(dictionary(size), member)),
  );

/** Returns the path of a graph that does nothing. */
export const emptyFile = () => cached('empty.onnx', emptyModel);

/**
 * Returns the path of a forest.
 *
 * @param {number} trees
 * @param {number} depth
 */
export const forestFile = (trees, depth) => cached(`forest-${trees}x${depth}.onnx`, () => forestModel(trees, depth));
