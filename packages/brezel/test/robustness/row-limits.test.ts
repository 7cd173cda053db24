import { DataType, makeNode, tensorInput } from '@brezel/onnx';
import { createFlour, createRuntime, type ImportOptions, importModel, importOnnx, openFleet, packFleet } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../fleet/folder.js';
import { constant, file, flag, graph, int64, integer } from '../tensors/models.js';
import { node } from './models.js';

const folder = temporaryFolder();
const flour = await createFlour({ native: false });
const runtime = createRuntime({ store: flour.store });

afterAll(async () => {
  await runtime.close();
  flour.dispose();
  folder.remove();
});

const body = graph(
  [makeNode('Add', ['total', 'i'], ['next'])],
  [integer('i', []), flag('c'), integer('total', [])],
  [flag('c'), integer('next', [])],
);

/**
 * A model that sums the numbers below a trip count. The trip count is a constant, or by default the
 * row.
 */
const loop = (trips?: number): Uint8Array =>
  file(
    graph(
      [
        trips === undefined ? node('Squeeze', ['x'], ['trips']) : constant('trips', int64([], trips)),
        constant('zero', int64([], 0)),
        makeNode('Loop', ['trips', '', 'zero'], ['sum'], { body: { g: body } }),
        constant('one', int64([1], 1)),
        node('Reshape', ['sum', 'one'], ['list']),
        node('Add', ['list', 'x'], ['y']),
      ],
      [integer('x', ['N'])],
      [integer('y', ['N'])],
    ),
  );

function planOf(rowByRow: ImportOptions['rowByRow']) {
  const { program } = importOnnx(loop(), flour, { rowByRow });
  return program.plan();
}

const row = (trips: number) => ({ x: BigInt(trips) });
const limited = (most: string, at: string) => ({
  code: 'ERR_RUNTIME_INPUT',
  message: expect.stringMatching(new RegExp(`${most}.*at ${at}`)),
  hint: expect.stringContaining('rowByRow: { maxSteps:'),
});

describe('limits of a row that runs alone', () => {
  test('a row with too many iterations is rejected, and other rows are answered', async () => {
    const plan = runtime.register(planOf(true), { name: 'default' });
    expect(() => runtime.predictSync(plan, row(200_000))).toThrow(
      expect.objectContaining(limited('100000 nodes and iterations', 'row 0')),
    );
    await expect(runtime.predictBatch(plan, [row(1), row(200_000), row(2)])).rejects.toMatchObject(
      limited('100000 nodes and iterations', 'row 1'),
    );
    expect(runtime.predictSync(plan, row(30_000))).toEqual({ y: 449_985_000 + 30_000 });
  });

  test('the caller of the importer changes the limits', () => {
    const few = runtime.register(planOf({ maxSteps: 100 }), { name: 'few steps' });
    expect(runtime.predictSync(few, row(10))).toEqual({ y: 55 });
    expect(() => runtime.predictSync(few, row(1000))).toThrow(
      expect.objectContaining(limited('100 nodes and iterations', 'row 0')),
    );
    const small = runtime.register(planOf({ maxElements: 50 }), { name: 'few elements' });
    expect(runtime.predictSync(small, row(10))).toEqual({ y: 55 });
    expect(() => runtime.predictSync(small, row(1000))).toThrow(
      expect.objectContaining(limited('50 elements', 'row 0')),
    );
    const many = runtime.register(planOf({ maxSteps: 500_000 }), { name: 'many steps' });
    expect(runtime.predictSync(many, row(60_000))).toEqual({ y: 1_799_970_000 + 60_000 });
  });

  test('a fleet file stores the limits', async () => {
    const path = folder.path('limits.brezel');
    const plan = planOf({ maxSteps: 100 });
    await packFleet([plan], path, { store: flour.store });
    const fleet = await openFleet(path);
    await using opened = createRuntime({ store: fleet.store });
    const registered = opened.register(fleet.plan(fleet.names[0]!));
    expect(opened.predictSync(registered, row(10))).toEqual({ y: 55 });
    expect(() => opened.predictSync(registered, row(1000))).toThrow(
      expect.objectContaining(limited('100 nodes and iterations', 'row 0')),
    );
    fleet.close();
  });

  test.each([
    [{ steps: 3 }, '"steps"'],
    [{ maxSteps: -1 }, '-1'],
    [{ maxElements: 0.5 }, '0.5'],
    [[], 'an array'],
    ['yes', 'yes'],
  ])('the option %j is rejected', (rowByRow, received) => {
    const options = { rowByRow } as unknown as ImportOptions;
    for (const read of [importOnnx, importModel])
      expect(() => read(loop(), flour, options)).toThrow(
        expect.objectContaining({
          code: 'ERR_ONNX_OPTION',
          details: expect.objectContaining({ received, at: expect.stringContaining('rowByRow') }),
        }),
      );
  });
});

describe('rows that an import runs', () => {
  test('the steps of the import limit them', () => {
    const kind = (trips: number, options: ImportOptions) =>
      importModel(loop(trips), flour, { rowByRow: { maxSteps: 10 ** 6 }, ...options }).kind;
    expect(kind(500, {})).toBe('row');
    expect(kind(4000, {})).toBe('tensor');
    expect(kind(4000, { limits: { steps: 2 ** 27 } })).toBe('row');
  });

  test('elements that they compute cost steps of the import', () => {
    const size = 2 ** 12;
    const scaled = graph(
      [makeNode('LpNormalization', ['x'], ['y'], { axis: { i: 0 } })],
      [tensorInput('x', DataType.FLOAT, ['N', 1, size])],
      [tensorInput('y', DataType.FLOAT, ['N', 1, size])],
    );
    const kind = (steps: number) => importModel(file(scaled), flour, { rowByRow: true, limits: { steps } }).kind;
    expect(kind(2 ** 20)).toBe('row');
    expect(kind(2 ** 16)).toBe('tensor');
  });

  test('elements of the import limit an input', () => {
    const size = 2 ** 24;
    const summed = graph(
      [makeNode('Loop', ['x', '', 'z'], ['y'], { body: { g: body } })],
      [integer('x', [1]), integer('z', [1, size])],
      [integer('y', [1, size])],
    );
    const options = { rowByRow: true, limits: { bytes: 2 ** 40 } };
    expect(importModel(file(summed), flour, options).kind).toBe('tensor');
  });

  test('an input of an element type that rows do not hold makes a tensor program', () => {
    const rounded = graph(
      [makeNode('Loop', ['n', '', 'x'], ['y'], { body: { g: body } })],
      [tensorInput('n', DataType.UINT8, ['N']), tensorInput('x', DataType.FLOAT16, ['N'])],
      [tensorInput('y', DataType.FLOAT16, ['N'])],
    );
    expect(importModel(file(rounded), flour, { rowByRow: true }).kind).toBe('tensor');
  });
});
