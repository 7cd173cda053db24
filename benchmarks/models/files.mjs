import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAttribute, readModel, writeModel } from '@brezel/onnx';
import { createFlour, importOnnx, openStore, packFleet } from 'brezel';
import { buildVersion } from '../harness/machine.mjs';
import { forestModel } from './forest-onnx.mjs';
import { learnDictionary } from './reviews.mjs';
import { emptyModel, expertModel, makeWeights, naturalModel } from './sentiment-onnx.mjs';

// Caches generated model files in the temporary folder (or BREZEL_BENCH_MODELS) between runs, so
// that a measuring process loads a file and never generates one.

/**
 * Returns the cache folder for these generators. Its name changes with their source code.
 *
 * @param {readonly URL[]} sources
 */
export function folderOf(sources) {
  const texts = sources.map((source) => readFileSync(source));
  const version = createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 12);
  return join(process.env.BREZEL_BENCH_MODELS ?? tmpdir(), `brezel-bench-${version}`);
}

const names = ['random', 'reviews', 'sentiment-onnx', 'forest-onnx'];
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

/** @param {Size} size @returns {Dictionary} */
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

/** Returns the path of a family member's natural graph. @param {Size} size */
export const naturalFile = (size, member = 0) =>
  cached(`natural-${size}-${member}.onnx`, () => naturalModel(dictionary(size), makeWeights(dictionary(size), member)));

/** Returns the path of a family member's expert graph. @param {Size} size */
export const expertFile = (size, member = 0) =>
  cached(`expert-${size}-${member}.onnx`, () => expertModel(dictionary(size), makeWeights(dictionary(size), member)));

/**
 * Packs a fleet file of family members, once for each build. Its models are never written as ONNX
 * files, because 250 models with 1M entries would fill the disk.
 *
 * @param {Size} size @param {number} count
 */
export async function fleetFile(size, count) {
  const path = join(folder, `fleet-${size}-${count}-${buildVersion().slice(0, 8)}.brezel`);
  if (existsSync(path)) return path;
  mkdirSync(folder, { recursive: true });
  const store = await openStore();
  const members = [];
  for (let member = 0; member < count; member++) {
    const flour = await createFlour({ store });
    const bytes = naturalModel(dictionary(size), makeWeights(dictionary(size), member));
    members.push({ plan: importOnnx(bytes, flour).program.plan(), name: `member-${member}`, rows: ['not a bad film'] });
    flour.dispose();
  }
  await packFleet(members, path, { store });
  return path;
}

export const emptyFile = () => cached('empty.onnx', emptyModel);

/** Returns the path of a forest. @param {number} trees @param {number} depth */
export const forestFile = (trees, depth) => cached(`forest-${trees}x${depth}.onnx`, () => forestModel(trees, depth));

const corpus = fileURLToPath(new URL('../../../shared/corpus/family', import.meta.url));

/**
 * Returns the paths of the 40 trained pipelines in the project's corpus. Returns an empty list
 * without the corpus, which is not in the repository.
 *
 * @returns {string[]}
 */
export function familyFiles() {
  if (!existsSync(corpus)) return [];
  const members = readdirSync(corpus).sort();
  return members.map((name) => join(corpus, name, 'model.onnx'));
}

/**
 * Writes a copy with the locale C.UTF-8 and returns its path. onnxruntime cannot load the original
 * if the locale en_US.UTF-8 is not installed.
 *
 * @param {string} path
 * @returns {string}
 */
export function withPlainLocale(path) {
  return cached(`${basename(dirname(path))}-plain-locale.onnx`, () => {
    const model = readModel(readFileSync(path));
    const node = model.graph.node.map((one) =>
      one.opType === 'StringNormalizer'
        ? { ...one, attribute: [...one.attribute, makeAttribute('locale', { s: 'C.UTF-8' })] }
        : one,
    );
    return writeModel({ ...model, graph: { ...model.graph, node } });
  });
}
