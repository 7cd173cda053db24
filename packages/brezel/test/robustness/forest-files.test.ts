import { makeTensor } from '@brezel/onnx';
import { createFlour, createRuntime, type ImportProgress, importOnnx, openStore } from 'brezel';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from '../conformance/seed.js';
import { file, floats, ml } from './models.js';

// Forests in every order and numbering that the flat lists of ONNX-ML allow. Weights are integers,
// so their sums are exact in any order.

type Tree = { readonly weight: number } | { readonly feature: number; readonly limit: number; yes: Tree; no: Tree };

const FEATURES = 3;
const trees = fc.array(
  fc.letrec<{ tree: Tree }>((tie) => ({
    tree: fc.oneof(
      { maxDepth: 5, depthIdentifier: 'tree', withCrossShrink: true },
      fc.record({ weight: fc.integer({ min: -99, max: 99 }) }),
      fc.record({
        feature: fc.nat(FEATURES - 1),
        limit: fc.integer({ min: -3, max: 3 }),
        yes: tie('tree'),
        no: tie('tree'),
      }),
    ),
  })).tree,
  { minLength: 1, maxLength: 6 },
);

const answer = (tree: Tree, row: readonly number[]): number =>
  'weight' in tree ? tree.weight : answer(row[tree.feature]! <= tree.limit ? tree.yes : tree.no, row);

/** How a file numbers trees and nodes, and in which order it lists nodes. */
const layouts = {
  'as exporters write': { treeId: (tree: number) => tree, nodeId: (node: number) => node, isMixed: false },
  'numbered backwards': { treeId: (tree: number) => 9 - tree, nodeId: (node: number) => 50_000 - node, isMixed: false },
  'numbered anyhow within a tree': {
    treeId: (tree: number) => tree,
    nodeId: (node: number) => node ^ 1,
    isMixed: false,
  },
  'trees mixed': { treeId: (tree: number) => tree, nodeId: (node: number) => node, isMixed: true },
  'beyond 32 bits': {
    treeId: (tree: number) => tree * 2 ** 40,
    nodeId: (node: number) => 2 ** 45 + node,
    isMixed: true,
  },
} as const;

interface Listed {
  readonly tree: number;
  readonly node: number;
  readonly at: Tree;
  readonly yes: number;
  readonly no: number;
}

function listed(all: readonly Tree[], isMixed: boolean): Listed[] {
  const lists = all.map((root, tree) => {
    const nodes: Listed[] = [];
    const queue = [root];
    for (let node = 0; node < queue.length; node++) {
      const at = queue[node]!;
      const [yes, no] = 'weight' in at ? [0, 0] : [queue.push(at.yes) - 1, queue.push(at.no) - 1];
      nodes.push({ tree, node, at, yes, no });
    }
    return nodes;
  });
  const nodes = lists.flat();
  return isMixed ? nodes.sort((one, other) => one.node - other.node) : nodes;
}

function forestFile(all: readonly Tree[], { treeId, nodeId, isMixed }: (typeof layouts)[keyof typeof layouts]) {
  const nodes = listed(all, isMixed);
  const ints = (of: (one: Listed) => number) => ({ ints: nodes.map(of) });
  const leaves = nodes.filter(({ at }) => 'weight' in at).reverse();
  const branch = (of: (one: Listed) => number) => ints((one) => ('weight' in one.at ? 0 : of(one)));
  const node = ml('TreeEnsembleRegressor', ['x'], ['y'], {
    n_targets: { i: 1 },
    nodes_treeids: ints(({ tree }) => treeId(tree)),
    nodes_nodeids: ints(({ node }) => nodeId(node)),
    nodes_featureids: branch(({ at }) => ('weight' in at ? 0 : at.feature)),
    nodes_values: { floats: nodes.map(({ at }) => ('weight' in at ? 0 : at.limit)) },
    nodes_modes: { strings: nodes.map(({ at }) => ('weight' in at ? 'LEAF' : 'BRANCH_LEQ')) },
    nodes_truenodeids: branch(({ yes }) => nodeId(yes)),
    nodes_falsenodeids: branch(({ no }) => nodeId(no)),
    target_treeids: { ints: leaves.map(({ tree }) => treeId(tree)) },
    target_nodeids: { ints: leaves.map(({ node }) => nodeId(node)) },
    target_ids: { ints: leaves.map(() => 0) },
    target_weights: { floats: leaves.map(({ at }) => ('weight' in at ? at.weight : 0)) },
  });
  return file([node], floats(FEATURES), ['y']);
}

const row = fc.array(fc.integer({ min: -4, max: 4 }), { minLength: FEATURES, maxLength: FEATURES });

test.each(Object.entries(layouts))('a forest %s', async (_, layout) => {
  const store = await openStore();
  const runtime = createRuntime({ store });
  const flour = await createFlour({ store });
  fc.assert(
    fc.property(trees, fc.array(row, { minLength: 1, maxLength: 8 }), (all, rows) => {
      const plan = importOnnx(forestFile(all, layout), flour).program.plan();
      const registered = runtime.register(plan);
      for (const one of rows) {
        const sum = all.reduce((total, tree) => total + answer(tree, one), 0);
        expect(runtime.predictSync(registered, { x: one })).toEqual({ y: [sum] });
      }
      runtime.unregister(registered);
      plan.release();
      flour.dispose();
    }),
    { seed, numRuns: 60 },
  );
  expect(store.stats().objects).toBe(0);
  await runtime.close();
});

const chain = (length: number): Tree => {
  let tree: Tree = { weight: 1 };
  for (let at = 0; at < length; at++) tree = { feature: 0, limit: -1, yes: { weight: 0 }, no: tree };
  return tree;
};

test('a tree of 50 000 levels, and 20 000 trees of one leaf', async () => {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store });
  const all = [chain(50_000), ...Array.from({ length: 20_000 }, (): Tree => ({ weight: 1 }))];
  for (const layout of [layouts['as exporters write'], layouts['trees mixed']]) {
    const plan = importOnnx(forestFile(all, layout), flour).program.plan();
    expect(runtime.predictSync(runtime.register(plan), { x: [0, 0, 0] })).toEqual({ y: [20_001] });
  }
});

test('progress is reported from 0 to the end, and an error of the callback ends the import', async () => {
  using flour = await createFlour();
  const bytes = forestFile([chain(500)], layouts['as exporters write']);
  const told: Parameters<ImportProgress>[] = [];
  importOnnx(bytes, flour, { progress: (...args) => told.push(args) });
  const of = (wanted: string) => told.filter(([, , phase]) => phase === wanted).map(([done]) => done);
  expect(told.map(([, , phase]) => phase)).toEqual([
    ...of('read').map(() => 'read'),
    ...of('convert').map(() => 'convert'),
  ]);
  expect(of('read').length).toBeGreaterThan(5);
  expect(of('read').length).toBeLessThanOrEqual(100);
  expect(of('read')).toEqual(of('read').toSorted((a, b) => a - b));
  expect(of('convert')).toEqual([1]);
  expect(
    told.every(([done, total, phase]) => done > 0 && done <= total && total === (phase === 'read' ? bytes.length : 1)),
  ).toBe(true);
  flour.dispose();
  const stop = new Error('enough');
  for (const phase of ['read', 'convert']) {
    const progress: ImportProgress = (_done, _total, at) => {
      if (at === phase) throw stop;
    };
    expect(() => importOnnx(bytes, flour, { progress })).toThrow(stop);
    expect(flour.store.stats().objects).toBe(0);
  }
});

test('a short file that declares millions of targets is rejected', async () => {
  using flour = await createFlour();
  const stump = (operator: string, targets: number) =>
    file(
      [
        operator === 'TreeEnsemble'
          ? ml(operator, ['x'], ['y'], {
              n_targets: { i: targets },
              aggregate_function: { i: 1 },
              post_transform: { i: 0 },
              tree_roots: { ints: [0] },
              nodes_featureids: { ints: [0] },
              nodes_modes: { t: makeTensor('', 'int32', [1], Int32Array.of(0)) },
              nodes_splits: { t: makeTensor('', 'float32', [1], Float32Array.of(0.5)) },
              nodes_truenodeids: { ints: [0] },
              nodes_trueleafs: { ints: [1] },
              nodes_falsenodeids: { ints: [1] },
              nodes_falseleafs: { ints: [1] },
              leaf_targetids: { ints: [0, 1] },
              leaf_weights: { t: makeTensor('', 'float32', [2], Float32Array.of(1, 2)) },
            })
          : ml(operator, ['x'], ['y'], {
              n_targets: { i: targets },
              nodes_treeids: { ints: [0] },
              nodes_nodeids: { ints: [0] },
              nodes_featureids: { ints: [0] },
              nodes_values: { floats: [0] },
              nodes_modes: { strings: ['LEAF'] },
              nodes_truenodeids: { ints: [0] },
              nodes_falsenodeids: { ints: [0] },
              target_treeids: { ints: [0] },
              target_nodeids: { ints: [0] },
              target_ids: { ints: [0] },
              target_weights: { floats: [1] },
            }),
      ],
      floats(1),
      ['y'],
      {},
      operator === 'TreeEnsemble' ? 5 : 3,
    );
  for (const operator of ['TreeEnsemble', 'TreeEnsembleRegressor']) {
    expect(importOnnx(stump(operator, 1000), flour).program.outputs).toHaveLength(1);
    expect(() => importOnnx(stump(operator, 2 ** 24), flour), operator).toThrow(
      expect.objectContaining({ code: 'ERR_ONNX_UNSUPPORTED', message: expect.stringContaining('16777216 targets') }),
    );
  }
});
