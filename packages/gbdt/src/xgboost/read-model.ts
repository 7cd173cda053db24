import { indexBelow } from '@brezel/core';
import { damaged, gbdtError } from '../errors.js';
import { MAX_TARGETS } from '../options.js';
import { Fields } from './fields.js';
import type { Json } from './read-ubjson.js';

/** One tree. Each list has one entry for each node. */
export interface XgboostTree {
  readonly at: string;
  /** The index of the target to which the tree adds the values of its leaves. */
  readonly target: number;
  /**
   * The factor by which the leaves are multiplied. It differs from 1 only for boosting with dropout
   * (DART).
   */
  readonly weight: number;
  /** The left child of each node; -1 for a leaf. */
  readonly left: Int32Array;
  readonly right: Int32Array;
  readonly feature: Int32Array;
  /** The threshold of each split and the value of each leaf. */
  readonly condition: Float32Array;
  readonly defaultLeft: Uint8Array;
  /** The sum of hessians of the training rows that reached each node. */
  readonly cover: Float32Array | undefined;
  /**
   * For each node that tests categories, its set of categories in ascending order. A value in the
   * set goes to the right child.
   */
  readonly categories: ReadonlyMap<number, Float64Array>;
}

export interface XgboostModel {
  readonly version: string;
  readonly features: number;
  readonly featureNames: readonly string[];
  readonly targets: number;
  readonly objective: string;
  /**
   * The base score of each target, in the scale of predictions. `toMargin` converts it to a margin.
   */
  readonly baseScore: Float32Array;
  readonly treesPerRound: number;
  readonly trees: readonly XgboostTree[];
  /**
   * The weights of a linear booster, which has no trees: for each feature, a weight for each
   * target; then a bias for each target.
   */
  readonly linear?: Float32Array;
  readonly bestIteration?: number;
}

/**
 * Reads the document of `booster.save_model`, XGBoost 1.3 to 3.
 *
 * @throws ERR_GBDT_FORMAT with the name of the field; ERR_GBDT_UNSUPPORTED.
 */
export function readXgboost(document: Json): XgboostModel {
  const model = new Fields(document, 'model');
  const learner = model.object('learner');
  const parameters = learner.object('learner_model_param');
  const targets = Math.max(1, parameters.int('num_class', 0), parameters.int('num_target', 1));
  if (targets > MAX_TARGETS) throw damaged(parameters.at, `at most ${MAX_TARGETS} targets`, `${targets}`);
  const features = parameters.int('num_feature');
  const best = learner.has('attributes') ? Number(learner.object('attributes').get('best_iteration')) : Number.NaN;
  return {
    version: model.has('version') ? Array.from(model.numbers('version')).join('.') : '1',
    features,
    featureNames: learner.has('feature_names') ? Array.from(learner.list('feature_names'), String) : [],
    targets,
    objective: learner.object('objective').text('name'),
    baseScore: baseScores(parameters, targets),
    ...readBooster(learner.object('gradient_booster'), features, targets),
    ...(Number.isInteger(best) && { bestIteration: best }),
  };
}

/** Parses the base score: a number, or a list since version 3.1. */
function baseScores(parameters: Fields, targets: number): Float32Array {
  const text = parameters.text('base_score').replace(/^\[|\]$/g, '');
  const given = text.split(',').map(Number);
  const scores = Float32Array.from(
    { length: targets },
    (_, target) => given[given.length === 1 ? 0 : target] ?? Number.NaN,
  );
  const isComplete = given.length === 1 || given.length === targets;
  if (isComplete && scores.every((score) => Number.isFinite(score))) return scores;
  throw damaged(`${parameters.at}.base_score`, `one number, or ${targets}`, JSON.stringify(text.slice(0, 40)));
}

type Booster = Pick<XgboostModel, 'trees' | 'treesPerRound' | 'linear'>;

function readBooster(booster: Fields, features: number, targets: number): Booster {
  const name = booster.text('name');
  if (name === 'gbtree') return readTrees(booster.object('model'), features, targets);
  if (name === 'dart') {
    const read = readTrees(booster.object('gbtree').object('model'), features, targets);
    const weights = booster.numbers('weight_drop', read.trees.length);
    return { ...read, trees: read.trees.map((tree, at) => ({ ...tree, weight: Math.fround(weights[at]!) })) };
  }
  if (name === 'gblinear') {
    const linear = Float32Array.from(booster.object('model').numbers('weights', (features + 1) * targets));
    return { trees: [], treesPerRound: targets, linear };
  }
  throw gbdtError('ERR_GBDT_UNSUPPORTED', { received: `booster ${JSON.stringify(name.slice(0, 40))}`, at: booster.at });
}

function readTrees(model: Fields, features: number, targets: number): Booster {
  const trees = model.list('trees');
  const ofTree = model.numbers('tree_info', trees.length);
  const parallel = model.object('gbtree_model_param').int('num_parallel_tree', 1);
  return {
    treesPerRound: targets * Math.max(1, parallel),
    trees: Array.from(trees, (tree, at) => {
      const target = ofTree[at]!;
      if (!(Number.isInteger(target) && target >= 0 && target < targets))
        throw damaged(`${model.at}.tree_info[${at}]`, indexBelow('a target', targets), `${target}`);
      return readTree(new Fields(tree, `${model.at}.trees[${at}]`), target, features);
    }),
  };
}

function readTree(tree: Fields, target: number, features: number): XgboostTree {
  const parameters = tree.object('tree_param');
  if (parameters.int('size_leaf_vector', 0) > 1)
    throw gbdtError('ERR_GBDT_UNSUPPORTED', {
      received: 'leaves that hold a vector (multi_strategy="multi_output_tree")',
      at: tree.at,
    });
  const left = tree.indices('left_children');
  const nodes = left.length;
  if (nodes === 0) throw damaged(tree.at, 'at least one node', 'none');
  const right = tree.indices('right_children', nodes);
  const feature = tree.indices('split_indices', nodes);
  for (let node = 0; node < nodes; node++) {
    if (left[node] === -1) continue;
    for (const child of [left[node]!, right[node]!])
      if (!(child > 0 && child < nodes)) throw damaged(`${tree.at}, node ${node}`, 'children in the tree', `${child}`);
    if (!(feature[node]! >= 0 && feature[node]! < features))
      throw damaged(`${tree.at}, node ${node}`, indexBelow('a feature', features), `${feature[node]}`);
  }
  return {
    at: tree.at,
    target,
    weight: 1,
    left,
    right,
    feature,
    condition: Float32Array.from(tree.numbers('split_conditions', nodes)),
    defaultLeft: Uint8Array.from(tree.numbers('default_left', nodes), (flag) => (flag === 0 ? 0 : 1)),
    cover: coversOf(tree, nodes),
    categories: tree.has('split_type') ? categoriesOf(tree, nodes) : new Map(),
  };
}

/**
 * Reads the sum of hessians of each node, which only explanations use. Returns undefined if the
 * list is missing or has another length.
 */
function coversOf(tree: Fields, nodes: number): Float32Array | undefined {
  if (!tree.has('sum_hessian')) return undefined;
  const list = Float32Array.from(tree.numbers('sum_hessian'));
  return list.length === nodes && list.every((cover) => cover >= 0 && cover < Infinity) ? list : undefined;
}

/**
 * Reads the categories of each node. The file stores all lists in one array, and the nodes of the
 * lists in another array, in ascending order.
 */
function categoriesOf(tree: Fields, nodes: number): Map<number, Float64Array> {
  const types = tree.numbers('split_type', nodes);
  const found = new Map<number, Float64Array>();
  if (types.every((type) => type === 0)) return found;
  const testing = tree.indices('categories_nodes');
  const starts = tree.indices('categories_segments', testing.length);
  const sizes = tree.indices('categories_sizes', testing.length);
  const all = tree.numbers('categories');
  testing.forEach((node, at) => {
    const [start, end] = [starts[at]!, starts[at]! + sizes[at]!];
    const set = all.slice(start, end).sort();
    const isSet = set.every(
      (one, place) => Number.isInteger(one) && one >= 0 && (place === 0 || one > set[place - 1]!),
    );
    if (!(types[node] === 1 && end <= all.length && set.length === sizes[at] && isSet))
      throw damaged(`${tree.at}.categories_nodes[${at}]`, 'a node with a set of categories', `node ${node}`);
    found.set(node, set);
  });
  if (types.some((type, node) => type !== 0 && !found.has(node)))
    throw damaged(`${tree.at}.categories_nodes`, 'every node that tests categories', 'not all of them');
  return found;
}
