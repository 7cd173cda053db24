import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeAttribute, readModel, writeModel } from '@brezel/onnx';
import { createFlour, importOnnx, openStore, packFleet } from 'brezel';
import { learnDictionary } from './dictionary.mjs';
import { forestModel } from './forests.mjs';
import { largeForest } from './large-forests.mjs';
import { emptyModel, expertModel, makeWeights, naturalModel } from './onnx-models.mjs';

// Generated models, kept in the machine's temporary folder (or BREZEL_BENCH_MODELS) between runs: a fresh process can then load one without having made
// it.

/** A folder for what these sources generate: other sources, another folder. @param {readonly URL[]} sources */
export function folderOf(sources) {
  const texts = sources.map((source) => readFileSync(source));
  const version = createHash('sha256').update(Buffer.concat(texts)).digest('hex').slice(0, 12);
  return join(process.env.BREZEL_BENCH_MODELS ?? tmpdir(), `brezel-bench-${version}`);
}

const names = ['random', 'workload', 'dictionary', 'onnx-models', 'forests', 'large-forests'];
/** What the generators of models are made of. */
export const sources = names.map((name) => new URL(`${name}.mjs`, import.meta.url));
const folder = folderOf(sources);

/** What fleet files depend on beside their models: who compiles and packs them. Other builds, other files. */
const packers = ['core', 'object-store', 'text', 'fleet-file', 'flour', 'onnx', 'oven', 'brezel'];
/** @type {string | undefined} */
let library;
export function libraryVersion() {
  if (library === undefined) {
    const hash = createHash('sha256');
    for (const name of packers) {
      const dist = fileURLToPath(new URL(`../../packages/${name}/dist`, import.meta.url));
      const files = readdirSync(dist, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.js'));
      for (const file of files.sort()) hash.update(readFileSync(join(dist, file)));
    }
    library = hash.digest('hex').slice(0, 8);
  }
  return library;
}

/** @typedef {import('./dictionary.mjs').Size} Size */
/** @typedef {import('./dictionary.mjs').Dictionary} Dictionary */

/** @param {string} name @param {() => string | Uint8Array} make @param {string} [within] @returns {string} path of the file */
export function kept(name, make, within = folder) {
  const path = join(within, name);
  if (existsSync(path)) return path;
  mkdirSync(within, { recursive: true });
  const half = `${path}.${process.pid}`;
  writeFileSync(half, make());
  renameSync(half, path); // never a half-written file, whoever looks
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
        kept(`dictionary-${size}.json`, () => JSON.stringify(learnDictionary(size))),
        'utf8',
      ),
    );
    dictionaries.set(size, /** @type {Dictionary} */ (found));
  }
  return /** @type {Dictionary} */ (found);
}

/** Path of a family member's natural graph. @param {Size} size */
export const naturalFile = (size, member = 0) =>
  kept(`natural-${size}-${member}.onnx`, () => naturalModel(dictionary(size), makeWeights(dictionary(size), member)));

/** Path of a family member's expert graph. @param {Size} size */
export const expertFile = (size, member = 0) =>
  kept(`expert-${size}-${member}.onnx`, () => expertModel(dictionary(size), makeWeights(dictionary(size), member)));

/**
 * A fleet file of family members, packed once. Its models are never written as ONNX: 250 of 1M entries would take more disk than most have to spare.
 *
 * @param {Size} size @param {number} count
 */
export async function fleetFile(size, count) {
  const path = join(folder, `fleet-${size}-${count}-${libraryVersion()}.brezel`);
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

export const emptyFile = () => kept('empty.onnx', emptyModel);

/** Path of a forest. @param {number} trees @param {number} depth */
export const forestFile = (trees, depth) => kept(`forest-${trees}x${depth}.onnx`, () => forestModel(trees, depth));

/** Path of a large forest. @param {import('./large-forests.mjs').Form} form @param {number} nodes */
export const largeForestFile = (form, nodes) =>
  kept(`large-forest-${form}-${nodes}.onnx`, () => largeForest(form, nodes));

const corpus = fileURLToPath(new URL('../../../shared/corpus/family', import.meta.url));

/** The 40 trained pipelines of the project's corpus, which is not part of a clone: none without it. @returns {string[]} */
export function familyFiles() {
  if (!existsSync(corpus)) return [];
  const members = readdirSync(corpus).sort();
  return members.map((name) => join(corpus, name, 'model.onnx'));
}

/**
 * A copy that onnxruntime can load where the locale en_US.UTF-8 is not installed: it names C.UTF-8.
 *
 * @param {string} path
 * @returns {string}
 */
export function withPlainLocale(path) {
  return kept(`${basename(dirname(path))}-plain-locale.onnx`, () => {
    const model = readModel(readFileSync(path));
    const node = model.graph.node.map((one) =>
      one.opType === 'StringNormalizer'
        ? { ...one, attribute: [...one.attribute, makeAttribute('locale', { s: 'C.UTF-8' })] }
        : one,
    );
    return writeModel({ ...model, graph: { ...model.graph, node } });
  });
}
