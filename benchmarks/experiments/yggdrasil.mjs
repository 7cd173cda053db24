// Goal G22: measures a forest that Yggdrasil trained. Yggdrasil's WebAssembly package, onnxruntime
// and Brezel (native and JavaScript) run it on one row and on batches of 1000. The experiment
// trains the forest with Yggdrasil, and converts it to ONNX node by node, so that all engines run
// the same forest.
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import JSZip from 'jszip';
import { compareAnswers } from '../harness/agreement.mjs';
import { openBrezel, openRival } from '../harness/engines.mjs';
import { interleave, timesFaster } from '../harness/loops.mjs';
import { binds, comparison, isQuick, measure, say, short } from '../harness/records.mjs';
import { acRows, FEATURES } from '../models/attendee.mjs';
import { folderOf, forestFile } from '../models/files.mjs';

const ROWS = 1000;
const TRAINING_ROWS = 1000;
const SINGLE_TARGET = 20;
/**
 * The name of the contestant that runs a forest with one split. Its time is the cost of a call
 * almost without trees.
 */
const CALL = 'native, one split';
/** Yggdrasil's packages expect JSZip as a browser global. */
Object.assign(globalThis, { JSZip });

export const experiments = { yggdrasil };

async function yggdrasil() {
  const zipped = await trainedForest(join(folderOf([new URL(import.meta.url)]), 'yggdrasil.zip'));
  const { bytes, trees, nodes } = await asOnnx(zipped);
  const folder = mkdtempSync(join(tmpdir(), 'brezel-yggdrasil-'));
  try {
    const file = join(folder, 'forest.onnx');
    writeFileSync(file, bytes);
    await compare(`forest of ${trees} trees, ${nodes} nodes`, file, await openForest(zipped));
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/**
 * Measures a forest in Brezel, Yggdrasil and onnxruntime, after a check that their answers agree.
 *
 * @param {string} what
 * @param {string} file
 * @param {any} forest Yggdrasil's
 */
async function compare(what, file, forest) {
  const values = acRows(ROWS, 5);
  const rows = Array.from({ length: ROWS }, (_, row) => ({ x: values.slice(row * FEATURES, (row + 1) * FEATURES) }));
  const columns = columnsOf(values);
  const single = rows.map(({ x }) => columnsOf(x));
  const [native, fallback, rival] = [await openBrezel(), await openBrezel({ native: false }), await openRival('ac')];
  for (const engine of [native, fallback, rival]) await engine.load(file);
  const [feed, feeds] = [rival.feed(rows), rows.map((row) => rival.feed([row]))];
  say(
    compareAnswers(what, {
      yggdrasil: Array.from(forest.predict(columns), Number),
      onnxruntime: await rival.many(0, rows),
      native: await native.many(0, rows),
      fallback: await fallback.many(0, rows),
    }),
  );
  const nth = (/** @type {number} */ index) => index % ROWS;
  const stump = await native.load(forestFile(1, 1)); // shows the cost of a call without trees
  const times = await race(`${what}, one row`, [
    { name: 'native', calls: 100, call: (index) => native.one(0, rows[nth(index)]) },
    { name: CALL, calls: 100, call: (index) => native.runtime.predictSync(stump, rows[nth(index)]) },
    { name: 'fallback', calls: 100, call: (index) => fallback.one(0, rows[nth(index)]) },
    { name: 'onnxruntime', calls: 50, isAsync: true, call: (index) => rival.run(0, feeds[nth(index)]) },
    { name: 'yggdrasil', calls: 50, call: (index) => forest.predict(single[nth(index)]) },
  ]);
  singleBinds(times);
  await race(`${what}, 1000 rows`, [
    { name: 'native', calls: 3, isAsync: true, call: () => native.runtime.predictBatch(native.plans[0], rows) },
    { name: 'fallback', calls: 3, isAsync: true, call: () => fallback.runtime.predictBatch(fallback.plans[0], rows) },
    { name: 'onnxruntime', calls: 3, isAsync: true, call: () => rival.run(0, feed) },
    { name: 'yggdrasil', calls: 3, call: () => forest.predict(columns) },
  ]);
  forest.unload();
  for (const engine of [native, fallback, rival]) await engine.close();
}

/**
 * Compares the contestants and records their times, which it returns.
 *
 * @param {string} what
 * @param {import('../harness/loops.mjs').Contestant[]} contestants
 */
async function race(what, contestants) {
  const times = await interleave(contestants, { rounds: isQuick ? 3 : 30 });
  for (const [name, one] of Object.entries(times)) measure(`${what}: ${name}`, 'µs', one);
  for (const ours of ['native', 'fallback'])
    comparison({
      goal: 'G22',
      what: `${what}, ${ours}`,
      rival: 'yggdrasil, WebAssembly',
      unit: 'µs',
      ours: times[ours].median,
      theirs: times.yggdrasil.median,
      ...timesFaster(times.yggdrasil, times[ours]),
    });
  return times;
}

/**
 * Records how much time of a prediction the call takes, as a likely reason for missing goal G22.
 *
 * @param {Record<string, import('../harness/loops.mjs').Times>} times
 */
function singleBinds(times) {
  const [whole, call, theirs] = ['native', CALL, 'yggdrasil'].map((name) => times[name].median);
  binds(
    'G22',
    'forest of 300 trees single, Yggdrasil',
    `the target allows ${short(theirs / SINGLE_TARGET)} µs per row. A row takes ${short(whole)} µs. A forest with one ` +
      `split takes ${short(call)} µs for the call, for reading ${FEATURES} numbers and for the answer. The trees ` +
      `therefore take ${short(Math.max(0, whole - call))} µs`,
  );
}

/**
 * Trains a random forest with the package's defaults (300 trees, depth 16 at most), or reads the
 * cached forest at `path`. The file is a zip archive in Yggdrasil's format.
 *
 * @param {string} path
 * @returns {Promise<Buffer>}
 */
async function trainedForest(path) {
  if (!existsSync(path)) {
    const { default: openTraining } = await import('ydf-training');
    const library = await quietly(() => openTraining());
    const model = await quietly(() => new library.RandomForestLearner('label', 'REGRESSION').train(trainingTable()));
    const saved = await quietly(() => model.save());
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, Buffer.from(await saved.arrayBuffer()));
    model.unload();
  }
  return readFileSync(path);
}

/**
 * Opens a forest with Yggdrasil's inference package.
 *
 * @param {Buffer} zipped
 */
async function openForest(zipped) {
  const { default: openInference } = await import('ydf-inference');
  const library = await quietly(() => openInference());
  return quietly(() => library.loadModelFromZipBlob(new Blob([zipped])));
}

/**
 * Runs `work` without the console output of Yggdrasil's libraries.
 *
 * @template T
 * @param {() => T} work
 * @returns {Promise<Awaited<T>>}
 */
async function quietly(work) {
  const { log, warn } = console;
  Object.assign(console, { log: () => {}, warn: () => {} });
  try {
    return await work();
  } finally {
    Object.assign(console, { log, warn });
  }
}

/**
 * Converts rows to an object that holds the values of each feature under its name. Yggdrasil's
 * package expects this format.
 *
 * @param {Float32Array} values row-major
 */
function columnsOf(values) {
  const rows = values.length / FEATURES;
  return Object.fromEntries(
    Array.from({ length: FEATURES }, (_, feature) => [
      `f${feature}`,
      Array.from({ length: rows }, (_, row) => values[row * FEATURES + feature]),
    ]),
  );
}

function trainingTable() {
  const values = acRows(TRAINING_ROWS, 77);
  const names = Array.from({ length: FEATURES }, (_, feature) => `f${feature}`);
  const lines = Array.from({ length: TRAINING_ROWS }, (_, row) => {
    const x = values.subarray(row * FEATURES, (row + 1) * FEATURES);
    return [...x, x[0] * x[1] + Math.sin(5 * x[2]) + 0.3 * x[3]].join();
  });
  return [[...names, 'label'].join(), ...lines].join('\n');
}

/**
 * @typedef {{ value: number, feature?: number, threshold?: number, missing?: boolean }} ForestNode
 *   `feature` is undefined for a leaf
 */

/**
 * @typedef {{ tree: number, number: number, node: ForestNode, yes: number, no: number }} PlacedNode
 *   A node with its tree, its number in the tree, and the numbers of its children.
 */

/**
 * Reads the nodes of all trees in file order: a node, its negative subtree, its positive subtree.
 *
 * @param {Buffer} zipped
 * @returns {Promise<ForestNode[]>}
 */
async function nodesOf(zipped) {
  const zip = await JSZip.loadAsync(zipped);
  const [name] = Object.keys(zip.files).filter((file) => file.startsWith('nodes-'));
  const bytes = await /** @type {JSZip.JSZipObject} */ (zip.file(/** @type {string} */ (name))).async('nodebuffer');
  if (bytes.toString('latin1', 0, 2) !== 'BS')
    throw new Error('expected a blob sequence (magic BS) in the Yggdrasil archive');
  /** @type {ForestNode[]} */
  const nodes = [];
  for (let index = 8; index < bytes.length; ) {
    const length = bytes.readUInt32LE(index);
    nodes.push(readNode(bytes.subarray(index + 4, index + 4 + length)));
    index += 4 + length;
  }
  return nodes;
}

/**
 * Returns the fields of a protobuf message as a map from field number to value. If a field occurs
 * several times, the map holds its last value.
 *
 * @param {Uint8Array} bytes
 * @returns {Map<number, any>}
 */
function fieldsOf(bytes) {
  const reader = new BinaryReader(bytes);
  const fields = new Map();
  while (reader.pos < reader.len) {
    const [field, wire] = reader.tag();
    if (wire === 0) fields.set(field, reader.int32());
    else if (wire === 5) fields.set(field, reader.float());
    else if (wire === 2) fields.set(field, reader.bytes());
    else reader.skip(wire);
  }
  return fields;
}

/**
 * Reads a message `Node` of Yggdrasil's decision_tree.proto. The field numbers are: regressor 2
 * (top_value 1), condition 3 (na_value 1, attribute 2, condition 3 (higher 2 (threshold 1))).
 *
 * @param {Uint8Array} bytes
 * @returns {ForestNode}
 */
function readNode(bytes) {
  const node = fieldsOf(bytes);
  const value = fieldsOf(node.get(2) ?? new Uint8Array()).get(1) ?? 0;
  if (!node.has(3)) return { value };
  const condition = fieldsOf(node.get(3));
  const higher = fieldsOf(condition.get(3)).get(2);
  if (higher === undefined) throw new Error('unsupported Yggdrasil condition: expected a threshold');
  return {
    value,
    feature: condition.get(2) ?? 0,
    threshold: fieldsOf(higher).get(1) ?? 0,
    missing: Boolean(condition.get(1)),
  };
}

/**
 * Converts the forest to ONNX as scikit-learn's exporter does. The answer is the sum of leaves
 * divided by the number of trees, and values >= threshold go to the positive child.
 *
 * @param {Buffer} zipped
 * @returns {Promise<{ bytes: Uint8Array, trees: number, nodes: number }>}
 */
async function asOnnx(zipped) {
  const list = await nodesOf(zipped);
  /** @type {PlacedNode[]} */
  const placed = [];
  let next = 0;
  /**
   * Adds a node and its children to `placed`. `first` is the index of the tree's first node in
   * `placed`.
   *
   * @param {number} tree
   * @param {number} first
   * @returns {number} index of the node in its tree
   */
  const place = (tree, first) => {
    const node = /** @type {ForestNode} */ (list[next++]);
    const one = { tree, number: placed.length - first, node, yes: 0, no: 0 };
    placed.push(one);
    if (node.feature !== undefined) {
      one.no = place(tree, first);
      one.yes = place(tree, first);
    }
    return one.number;
  };
  let trees = 0;
  while (next < list.length) place(trees++, placed.length);
  return { bytes: written(placed, trees), trees, nodes: placed.length };
}

/**
 * Writes the forest as one TreeEnsembleRegressor.
 *
 * @param {PlacedNode[]} placed
 * @param {number} trees
 */
function written(placed, trees) {
  const leaves = placed.filter(({ node }) => node.feature === undefined);
  const attributes = {
    n_targets: { i: 1 },
    nodes_treeids: { ints: placed.map(({ tree }) => tree) },
    nodes_nodeids: { ints: placed.map(({ number }) => number) },
    nodes_featureids: { ints: placed.map(({ node }) => node.feature ?? 0) },
    nodes_values: { floats: placed.map(({ node }) => node.threshold ?? 0) },
    nodes_modes: { strings: placed.map(({ node }) => (node.feature === undefined ? 'LEAF' : 'BRANCH_GTE')) },
    nodes_truenodeids: { ints: placed.map(({ yes }) => yes) },
    nodes_falsenodeids: { ints: placed.map(({ no }) => no) },
    nodes_missing_value_tracks_true: { ints: placed.map(({ node }) => Number(node.missing ?? false)) },
    target_treeids: { ints: leaves.map(({ tree }) => tree) },
    target_nodeids: { ints: leaves.map(({ number }) => number) },
    target_ids: { ints: leaves.map(() => 0) },
    target_weights: { floats: leaves.map(({ node }) => node.value / trees) },
    post_transform: { s: 'NONE' },
  };
  const node = [makeNode('TreeEnsembleRegressor', ['x'], ['y'], attributes, 'ai.onnx.ml')];
  const input = [tensorInput('x', DataType.FLOAT, [undefined, FEATURES])];
  const output = [tensorInput('y', DataType.FLOAT, [undefined, 1])];
  return writeModel(makeModel(makeGraph({ input, output, node }), { '': 17, 'ai.onnx.ml': 3 }));
}
