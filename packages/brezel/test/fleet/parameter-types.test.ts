/// <reference types="vite/client" />
import {
  BrezelError,
  bake,
  createFlour,
  createRuntime,
  type Flow,
  importModel,
  type ObjectStore,
  openFleet,
  packFleet,
  type Row,
} from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import type { ValueTypeT } from '../../../fleet-file/src/generated/value-type.js';
import { type OperatorCases, programOf } from '../../../flour/src/case.js';
import { linearModel, regressorModel, treeModel } from '../robustness/models.js';
import { stores, temporaryFolder } from './folder.js';
import { blobsOf, forge, forgeBlob, lengthenBlob, partsOf, unpack } from './forge.js';

const files = temporaryFolder();
afterAll(files.remove);
const [path, forged] = [files.path('fleet.brezel'), files.path('forged.brezel')];

/** For each number of an element type in a file, the number of another type of the same size. */
const ALIKE = [3, 2, 1, 0]; // float32 and int32, float64 and int64

/** Writes a fleet file of one model to `path`. */
async function packed(model: Uint8Array): Promise<void> {
  const flour = await createFlour();
  const imported = importModel(model, flour);
  if (imported.kind !== 'row') throw imported.why;
  const plan = imported.program.plan();
  await packFleet([plan], path, { store: flour.store });
  plan.release();
  flour.dispose();
}

describe('a file whose parameters have other element types is rejected', () => {
  test.each([
    ['linear', linearModel],
    ['tree', treeModel],
    ['regressor', regressorModel],
  ])('%s', async (_, model) => {
    await packed(model());
    const types = blobsOf(unpack(partsOf(path).manifest)).dtypes;
    expect(types.some((type) => type in ALIKE)).toBe(true);
    for (const [number, type] of types.entries()) {
      if (!(type in ALIKE)) continue;
      forge(path, forged, (fleet) => {
        blobsOf(fleet).dtypes[number] = ALIKE[type]!;
      });
      for (const store of (await stores()).values()) {
        await expect(openFleet(forged, { store })).rejects.toMatchObject({ code: 'ERR_FLEET_STAGE' });
        expect(store.stats().objects).toBe(0);
      }
    }
  });
});

/** Operators with integer parameters: indices into the row, the output or another parameter. */
const modules = import.meta.glob<{ cases: OperatorCases }>(
  '../../../flour/src/ops/{binning,forest,k-nearest-neighbors,ngram,select-columns,svm-classify,tree-ensemble,tree-featurize}/cases.ts',
  { eager: true },
);
/** The number that stands for int32 in a file. */
const INT32 = 3;
const IMPOSSIBLE = [-1, 1000];
const EQUAL = 'equal answers';
const ACCEPTABLE = ['ERR_FLEET_STAGE', EQUAL];

describe('an impossible integer in a parameter is rejected, or both engines give the same answers', () => {
  const operators = Object.entries(modules).map(([file, { cases }]) => [file.split('/').at(-2)!, cases.named] as const);
  test.each(operators)('%s', async (_, [one]) => {
    const outcomes = new Set<string>();
    const flour = await createFlour();
    const plan = bake(programOf(flour, one!));
    await packFleet([plan], path, { store: flour.store });
    plan.release();
    flour.dispose();
    for (const [number, type] of blobsOf(unpack(partsOf(path).manifest)).dtypes.entries()) {
      if (type !== INT32) continue;
      for (const integer of IMPOSSIBLE) {
        forgeBlob(path, forged, number, (bytes) => bytes.writeInt32LE(integer));
        for (const store of (await stores()).values()) outcomes.add(await outcome(store, one!.rows));
      }
    }
    expect(outcomes).toContain('ERR_FLEET_STAGE');
    expect([...outcomes].filter((one) => !ACCEPTABLE.includes(one))).toEqual([]);
  });
});

const everyOperator = import.meta.glob<{ cases: OperatorCases }>('../../../flour/src/ops/*/cases.ts', { eager: true });
/** The width of an element in bytes, by the number of its type in a file. Texts have none. */
const WIDTHS = [4, 8, 8, 4, 1];
const isAcceptable = (outcome: string) => outcome === EQUAL || /^ERR_(FLEET|STORE)_/.test(outcome);

describe('a parameter with one element too many is rejected, or both engines give the same answers', () => {
  const operators = Object.entries(everyOperator).map(([file, { cases }]) => [file.split('/').at(-2)!, cases] as const);
  test.each(operators)('%s', async (_, { named: [one] }) => {
    const outcomes = new Set<string>();
    const flour = await createFlour();
    const plan = bake(programOf(flour, one!));
    await packFleet([plan], path, { store: flour.store });
    plan.release();
    flour.dispose();
    for (const [number, type] of blobsOf(unpack(partsOf(path).manifest)).dtypes.entries()) {
      const width = WIDTHS[type];
      if (width === undefined || !lengthenBlob(path, forged, number, width)) continue;
      for (const store of (await stores()).values()) outcomes.add(await outcome(store, one!.rows));
    }
    expect([...outcomes].filter((one) => !isAcceptable(one))).toEqual([]);
  });
});

/** The number that stands for a vector in a file. */
const VECTOR = 1;
/** Changes of the type of an input: one element more, or numbers of another width. */
const retyped: readonly ((type: ValueTypeT) => void)[] = [
  (type) => {
    type.size += 1;
  },
  (type) => {
    type.dtype = ALIKE_WIDTHS[type.dtype] ?? type.dtype;
  },
];
/**
 * For each number of float32, float64, int64 and int32, the number of the type with the other
 * width.
 */
const ALIKE_WIDTHS = [1, 0, 3, 2];
/** Returns a row with one element more in each of these fields. */
const longer = (row: Row, fields: ReadonlySet<string>): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      fields.has(name) && Array.isArray(value) ? [...value, value[0]] : value,
    ]),
  );

describe('an input of another type is rejected, or both engines give the same answers', () => {
  const operators = Object.entries(everyOperator).map(([file, { cases }]) => [file.split('/').at(-2)!, cases] as const);
  test.each(operators)('%s', async (_, { named: [one] }) => {
    const flour = await createFlour();
    const plan = bake(programOf(flour, one!), { exact: true });
    await packFleet([plan], path, { store: flour.store });
    const vectors = new Set(plan.inputs.filter(({ type }) => type.kind === 'vector').map(({ name }) => name));
    plan.release();
    flour.dispose();
    const outcomes = new Set<string>();
    for (const [number, retype] of retyped.entries()) {
      forge(path, forged, ({ programs, shapes }) => {
        const types = [
          ...programs.flatMap(({ inputs }) => inputs),
          ...shapes.flatMap(({ inputs }) => inputs.map(({ type }) => type!)),
        ];
        for (const type of types) if (type.kind === VECTOR) retype(type);
        for (const wiring of shapes.flatMap((shape) => shape.wiring))
          wiring.maxVectorSizes = wiring.maxVectorSizes.map((size) =>
            Math.max(size, ...types.map((type) => type.size)),
          );
      });
      const rows = number === 0 ? one!.rows.map((row) => longer(row, vectors)) : one!.rows;
      for (const store of (await stores()).values()) outcomes.add(await outcome(store, rows));
    }
    expect([...outcomes].filter((one) => !isAcceptable(one))).toEqual([]);
  });
});

describe('a missing attribute is rejected, or both engines give the same answers', () => {
  const operators = Object.entries(everyOperator).map(([file, { cases }]) => [file.split('/').at(-2)!, cases] as const);
  test.each(operators)('%s', async (operator, { named: [one] }) => {
    const flour = await createFlour();
    const plan = bake(programOf(flour, one!), { exact: true });
    await packFleet([plan], path, { store: flour.store });
    const step = plan.stages.flatMap(({ stage }) => stage.steps).find((step) => step.operator === operator);
    plan.release();
    flour.dispose();
    const outcomes = new Set<string>();
    for (const name of Object.keys(step?.attributes ?? {})) {
      forge(path, forged, ({ programs }) => {
        for (const other of programs.flatMap(({ steps }) => steps)) {
          if (other.operator !== operator) continue;
          const { [name]: _, ...others } = JSON.parse(other.attributes as string);
          other.attributes = JSON.stringify(others);
        }
        // The only attribute of some kernel calls is an index in a list of choices. The compiler
        // would write -1 for a choice that is missing.
        for (const { attributes } of programs.flatMap(({ calls }) => calls))
          if (attributes.length === 1) attributes[0] = -1;
      });
      for (const store of (await stores()).values()) outcomes.add(await outcome(store, one!.rows));
    }
    expect([...outcomes].filter((one) => !isAcceptable(one))).toEqual([]);
  });
});

describe('a constant operand that a step does not have is rejected', () => {
  test.each<[string, (x: Flow<'vector'>) => Flow]>([
    ['arithmetic', (x) => x.arithmetic('multiply', x)],
    ['compare', (x) => x.compare('greater', x)],
    ['bitwise', (x) => x.bitwise('and', x)],
  ])('%s', async (_, build) => {
    const flour = await createFlour();
    const x = flour.input('x', { kind: 'vector', dtype: 'int32', size: 2 }) as Flow<'vector'>;
    const plan = flour.program({ y: build(x) }).plan();
    await packFleet([plan], path, { store: flour.store });
    plan.release();
    flour.dispose();
    forge(path, forged, ({ programs: [program] }) => {
      const [step] = program!.steps;
      step!.attributes = (step!.attributes as string).replace('"side":"none"', '"side":"right"');
      for (const call of program!.calls) call.attributes[1] = 0;
    });
    for (const store of (await stores()).values())
      await expect(openFleet(forged, { store })).rejects.toMatchObject({ code: 'ERR_FLEET_STAGE' });
  });
});

test('repeated keys are rejected: engines would return different indices', async () => {
  const flour = await createFlour();
  const x = flour.input('x', { kind: 'scalar', dtype: 'int64' }) as Flow<'scalar'>;
  const plan = flour.program({ y: x.indexOf([1, 2, 3]) }).plan();
  await packFleet([plan], path, { store: flour.store });
  plan.release();
  flour.dispose();
  forgeBlob(path, forged, 0, (bytes) => bytes.copy(bytes, 0, 8, 16));
  for (const store of (await stores()).values())
    await expect(openFleet(forged, { store })).rejects.toMatchObject({ code: 'ERR_FLEET_STAGE' });
});

/**
 * Opens the forged file and predicts with several verbs and the reference. Returns whether all
 * answers are equal, or the code of an error.
 */
async function outcome(store: ObjectStore, rows: readonly Row[]): Promise<string> {
  try {
    using fleet = await openFleet(forged, { store });
    await using runtime = createRuntime({ store, native: store.memory.kind === 'native' });
    const opened = fleet.plan(fleet.names[0]!);
    using _released = { [Symbol.dispose]: () => opened.release() };
    const plan = runtime.register(opened);
    const answers = [
      await runtime.predictBatch(plan, rows),
      rows.map((row) => runtime.predictSync(plan, row)),
      await runtime.predictBatch(plan, rows, { engine: 'reference' }),
    ];
    return new Set(answers.map((one) => JSON.stringify(one))).size === 1 ? EQUAL : 'differing answers';
  } catch (error) {
    if (error instanceof BrezelError) return error.code;
    throw error;
  }
}
