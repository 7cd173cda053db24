import { type FlourContext, type Flow, type Forest, type Program, vector } from 'brezel';
import fc from 'fast-check';
import { listOf } from '../../../flour/src/case.js';

/** A program over rows of numbers, as data. Each step reads earlier values by number. */
export interface NumberProgramShape {
  /** Sizes of the inputs `x0`, `x1`, ... */
  readonly inputs: readonly number[];
  readonly steps: readonly Step[];
  /** The numbers of values that are outputs, besides the last value. */
  readonly outputs: readonly number[];
}

type Operation = 'add' | 'subtract' | 'multiply' | 'divide';
type Step =
  | {
      readonly kind: 'constant';
      readonly of: number;
      readonly operation: Operation;
      readonly left: boolean;
      readonly values: readonly number[];
    }
  | { readonly kind: 'two'; readonly of: number; readonly and: number; readonly operation: 'add' | 'subtract' }
  | { readonly kind: 'map'; readonly of: number; readonly function: 'abs' | 'negate' | 'relu' | 'tanh' | 'sigmoid' }
  | { readonly kind: 'concat'; readonly of: readonly number[] }
  | { readonly kind: 'select'; readonly of: number; readonly columns: readonly number[] }
  | {
      readonly kind: 'linear';
      readonly of: number;
      readonly outputs: number;
      readonly weights: readonly number[];
      readonly mirrored: boolean;
      /** The norm by which the row is divided. It is never near 0. */
      readonly norm: 'l1' | 'l2' | 'max' | undefined;
    }
  | { readonly kind: 'forest'; readonly of: number; readonly trees: readonly Tree[]; readonly targets: number }
  | { readonly kind: 'again'; readonly step: number };

/** A root with two leaves, or a root with another node in its true branch and three leaves. */
interface Tree {
  readonly features: readonly [number, number];
  readonly thresholds: readonly [number, number];
  readonly deep: boolean;
  readonly leaves: readonly [number, number, number];
}

/**
 * Numbers of similar size, so that their sums can be regrouped within a small tolerance. Many are
 * neutral elements, so that rules find identities.
 */
const constant = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom(0.25, 0.5, 2, -2, 3, -0.75, 1.5) },
  { weight: 1, arbitrary: fc.constantFrom(1, 1, -1) },
);
const threshold = fc.constantFrom(-1, -0.5, 0, 0.25, 0.5, 1, 2);
/** Draws the number of a value. 0 is the newest value, because many rules need chains. */
const place = fc.oneof({ weight: 3, arbitrary: fc.constantFrom(0, 0, 1, 2) }, { weight: 2, arbitrary: fc.nat(30) });

const tree: fc.Arbitrary<Tree> = fc.record({
  features: fc.tuple(place, place),
  thresholds: fc.tuple(threshold, threshold),
  deep: fc.boolean(),
  leaves: fc.tuple(constant, constant, constant),
});

const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant('constant' as const),
      of: place,
      operation: fc.constantFrom<Operation>('add', 'subtract', 'multiply', 'divide'),
      left: fc.boolean(),
      values: fc.oneof(fc.constant([1]), fc.constant([-0]), listOf(constant, 1), listOf(constant, 6)),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('two' as const),
      of: place,
      and: place,
      operation: fc.constantFrom('add' as const, 'add' as const, 'subtract' as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('map' as const),
      of: place,
      function: fc.constantFrom(
        'abs' as const,
        'negate' as const,
        'relu' as const,
        'tanh' as const,
        'sigmoid' as const,
      ),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('concat' as const), of: fc.array(place, { minLength: 1, maxLength: 4 }) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('select' as const),
      of: place,
      columns: fc.array(fc.nat(30), { minLength: 1, maxLength: 3 }),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('linear' as const),
      of: place,
      outputs: fc.constantFrom(1, 2, 3),
      weights: listOf(constant, 7),
      mirrored: fc.boolean(),
      norm: fc.constantFrom(undefined, undefined, undefined, 'l1' as const, 'l2' as const, 'max' as const),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('forest' as const),
      of: place,
      trees: fc.array(tree, { minLength: 1, maxLength: 3 }),
      targets: fc.constantFrom(1, 1, 2),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('again' as const), step: place }) },
);

export const numberProgramShape: fc.Arbitrary<NumberProgramShape> = fc.record({
  inputs: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 3 }),
  steps: fc.array(step, { minLength: 1, maxLength: 14 }),
  outputs: fc.array(place, { maxLength: 2 }),
});

/** Draws rows of this shape: thresholds, zeros of both signs, and numbers of similar size. */
export const rowsFor = ({ inputs }: NumberProgramShape): fc.Arbitrary<Record<string, number[]>[]> => {
  const number = fc.oneof(threshold, fc.constantFrom(-0, 0.1, -0.3, 1.75), fc.float({ min: -4, max: 4, noNaN: true }));
  const row = fc.tuple(...inputs.map((size) => listOf(number, size)));
  const named = row.map((values) => Object.fromEntries(values.map((list, at) => [`x${at}`, list])));
  return fc.array(named, { minLength: 3, maxLength: 20 });
};

/** The maximum size of vectors, so that programs stay small. */
const MAX_SIZE = 12;

/**
 * Builds the program. Numbers of values and columns are taken modulo the number of existing ones.
 */
export function buildNumberProgram(flour: FlourContext, shape: NumberProgramShape): Program {
  const inputs = shape.inputs.map((size, at) => flour.input(`x${at}`, vector('float32', size)) as Flow<'vector'>);
  const values: Flow<'vector'>[] = [...inputs];
  const pick = (number: number) => values[values.length - 1 - (number % values.length)]!;
  shape.steps.forEach((one, at) => {
    const taken = one.kind === 'again' ? shape.steps[one.step % (at + 1)]! : one;
    if (taken.kind !== 'again') values.push(applyStep(taken, pick));
  });
  const chosen = [...shape.outputs.map(pick), values.at(-1)!].filter((flow) => flow.node.operator !== undefined);
  const outputs = chosen.length > 0 ? chosen : [inputs[0]!.map('tanh')];
  return flour.program(Object.fromEntries(outputs.map((flow, at) => [`y${at}`, flow])), { inputs });
}

function applyStep(step: Exclude<Step, { kind: 'again' }>, pick: (number: number) => Flow<'vector'>): Flow<'vector'> {
  if (step.kind === 'concat') return joined(step.of.map(pick));
  const source = pick(step.of);
  const size = sizeOf(source);
  const cycle = (values: readonly number[], length: number) =>
    Array.from({ length }, (_, at) => values[at % values.length]!);
  switch (step.kind) {
    case 'constant': {
      const operand = step.values.length === 1 ? step.values[0]! : cycle(step.values, size);
      return tamed(
        source.arithmetic(step.operation, operand, step.left && step.operation !== 'divide' ? 'left' : 'right'),
      );
    }
    case 'two': {
      const other = pick(step.and);
      return sizeOf(other) === size ? tamed(source.arithmetic(step.operation, other)) : source.map('relu');
    }
    case 'map':
      return source.map(step.function);
    case 'select':
      return source.selectColumns(step.columns.map((column) => column % size));
    case 'linear': {
      const row = step.norm === undefined ? source : longRow(source).normalize(step.norm);
      const weights = cycle(step.weights, sizeOf(row) * step.outputs);
      const opposite = weights.map((weight, at) => (at % 2 === 0 ? -weights[at + 1]! : weight));
      const mirrored = step.mirrored && step.outputs === 2;
      const bias = mirrored ? [-0.5, 0.5] : cycle([0.5, -1, 2], step.outputs);
      return tamed(row.linear({ weights: mirrored ? opposite : weights, bias }));
    }
    case 'forest':
      return source.treeEnsemble(forestOf(step.trees, step.targets, size));
  }
}

/**
 * Returns a vector of numbers of at least one half. It is long enough that folding a norm is
 * worthwhile.
 */
function longRow(source: Flow<'vector'>): Flow<'vector'> {
  const positive = source.map('abs').arithmetic('add', 0.5);
  return positive.concat(...Array<Flow<'vector'>>(Math.ceil(32 / sizeOf(source)) - 1).fill(positive));
}

const sizeOf = (flow: Flow<'vector'>) => (flow.type.kind === 'vector' ? flow.type.size : 1);

function joined(flows: readonly Flow<'vector'>[]): Flow<'vector'> {
  const [first, ...others] = flows;
  const small = flows.reduce((sum, flow) => sum + sizeOf(flow), 0) <= MAX_SIZE;
  return small ? first!.concat(...others) : first!.concat();
}

/** Limits the size of numbers, so that the sums of long programs can be compared. */
function tamed(flow: Flow<'vector'>): Flow<'vector'> {
  let depth = 0;
  for (let node = flow.node; node.operator !== undefined && node.operator.name !== 'map'; node = node.inputs[0]!)
    depth++;
  return depth > 3 ? flow.map('tanh') : flow;
}

/** Returns trees with one or two splits in the form of the operator. */
function forestOf(trees: readonly Tree[], targets: number, features: number): Forest {
  const nodes: { feature: number; threshold: number; children?: readonly [number, number]; leaf?: number }[] = [];
  const roots: number[] = [];
  trees.forEach(({ features: [a, b], thresholds: [s, t], deep, leaves }) => {
    const root = nodes.length;
    roots.push(root);
    nodes.push({ feature: a % features, threshold: s, children: deep ? [root + 1, root + 4] : [root + 1, root + 2] });
    if (deep) nodes.push({ feature: b % features, threshold: t, children: [root + 2, root + 3] });
    const count = deep ? 3 : 2;
    for (const leaf of leaves.slice(0, count)) nodes.push({ feature: 0, threshold: 0, leaf });
  });
  const leafNodes = nodes.filter(({ leaf }) => leaf !== undefined);
  let leavesSoFar = 0;
  const starts = nodes.map(({ leaf }) => (leaf === undefined ? leavesSoFar : leavesSoFar++));
  return {
    feature: Int32Array.from(nodes, ({ feature }) => feature),
    threshold: Float32Array.from(nodes, ({ threshold }) => threshold),
    mode: Int32Array.from(nodes, ({ leaf }) => (leaf === undefined ? 0 : 6)),
    trueChild: Int32Array.from(nodes, ({ children }) => children?.[0] ?? 0),
    falseChild: Int32Array.from(nodes, ({ children }) => children?.[1] ?? 0),
    missingTrue: new Int32Array(nodes.length),
    roots: Int32Array.from(roots),
    leafStart: Int32Array.of(...starts, leafNodes.length),
    leafTarget: Int32Array.from(leafNodes, (_, at) => at % targets),
    leafWeight: Float32Array.from(leafNodes, ({ leaf }) => leaf!),
    base: Float32Array.from({ length: targets }, (_, target) => 0.25 * target),
  };
}
