import { readFileSync } from 'node:fs';
import { BrezelError, createFlour, importScikitLearn, type ScikitLearnOptions } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';

const fileOf = (name: string) => readFileSync(new URL(`models/${name}.json`, import.meta.url));

interface Document {
  brezel_export: unknown;
  producer: unknown;
  inputs: { name: unknown; kind: unknown; width: unknown }[];
  nodes: Record<string, unknown>[];
  outputs: Record<string, unknown>;
}

/** Imports a changed model. Returns the error, and checks that nothing is left in the store. */
async function errorOf(change: (document: Document) => void, options?: ScikitLearnOptions, name = 'logistic') {
  const document = JSON.parse(fileOf(name).toString()) as Document;
  change(document);
  using flour = await createFlour();
  try {
    importScikitLearn(JSON.stringify(document), flour, options);
  } catch (error) {
    expect(flour.store.stats().objects).toBe(0);
    if (!(error instanceof BrezelError)) throw error;
    return { code: error.code, text: error.message };
  }
  return undefined;
}

const floats = (...numbers: number[]) => ({
  f64: Buffer.from(Float64Array.from(numbers).buffer).toString('base64'),
  shape: [numbers.length],
});
const nodeOf = ({ nodes }: Document, op: string) => nodes.find((node) => node.op === op)!;

describe('bad files', () => {
  test.each<[string, (document: Document) => void, string, string]>([
    ['another version', (model) => (model.brezel_export = 2), 'ERR_SKLEARN_VERSION', 'expected 1'],
    ['no version', (model) => (model.brezel_export = '1'), 'ERR_SKLEARN_FORMAT', 'model.brezel_export'],
    ['no producer', (model) => (model.producer = 7), 'ERR_SKLEARN_FORMAT', 'model.producer'],
    ['an unknown node', (model) => (model.nodes[1]!.op = 'constructor'), 'ERR_SKLEARN_FORMAT', 'nodes[1].op'],
    ['an unknown input', (model) => (model.nodes[0]!.input = 'y'), 'ERR_SKLEARN_FORMAT', 'nodes[0].input'],
    ['an input of a later node', (model) => (model.nodes[1]!.in = [1]), 'ERR_SKLEARN_FORMAT', 'nodes[1].in[0]'],
    ['no inputs of a node', (model) => (model.nodes[1]!.in = []), 'ERR_SKLEARN_FORMAT', 'an input 0'],
    ['an output of no node', (model) => (model.outputs.label = 99), 'ERR_SKLEARN_FORMAT', 'outputs.label'],
    ['no outputs', (model) => (model.outputs = {}), 'ERR_SKLEARN_FORMAT', 'model.outputs'],
    ['a vector of texts', (model) => (model.inputs[0]!.kind = 'text'), 'ERR_SKLEARN_FORMAT', 'inputs[0]'],
    ['a width of 0', (model) => (model.inputs[0]!.width = 0), 'ERR_SKLEARN_FORMAT', 'inputs[0].width'],
    [
      'a scale of another width',
      (model) => (nodeOf(model, 'arithmetic').operand = floats(1, 2)),
      'ERR_SKLEARN_FORMAT',
      '13 numbers',
    ],
    [
      'a shape that disagrees with the bytes',
      (model) => (nodeOf(model, 'matmul').weights = { ...floats(1, 2), shape: [13, 3] }),
      'ERR_SKLEARN_FORMAT',
      '312 bytes',
    ],
    [
      'weights that are not finite',
      (model) => (nodeOf(model, 'matmul').weights = { ...floats(...new Array(39).fill(Number.NaN)), shape: [13, 3] }),
      'ERR_FLOUR_WEIGHT',
      'mat-mul',
    ],
    ['labels of two types', (model) => (nodeOf(model, 'label').labels = ['a', 1]), 'ERR_SKLEARN_FORMAT', 'labels'],
  ])('%s', async (_, change, code, text) => {
    const error = await errorOf(change);
    expect(error?.code).toBe(code);
    expect(error?.text).toContain(text);
  });

  test('a text that is not JSON', async () => {
    using flour = await createFlour();
    expect(() => importScikitLearn('{"brezel_export"', flour)).toThrow(
      expect.objectContaining({ code: 'ERR_SKLEARN_FORMAT' }),
    );
  });

  test('trees whose nodes form a ring, and leaves with too many values', async () => {
    const ints = (...numbers: number[]) => ({
      i32: Buffer.from(Int32Array.from(numbers).buffer).toString('base64'),
      shape: [numbers.length],
    });
    const change = (field: string, place: number, value: number) => (model: Document) => {
      const forest = nodeOf(model, 'forest');
      const list = [
        ...new Int32Array(Uint8Array.from(Buffer.from((forest[field] as { i32: string }).i32, 'base64')).buffer),
      ];
      list[place] = value;
      forest[field] = ints(...list);
    };
    expect((await errorOf(change('left', 0, 0), {}, 'forest'))?.code).toBe('ERR_FLOUR_PARAM');
    expect((await errorOf(change('feature', 0, 4000), {}, 'forest'))?.code).toBe('ERR_FLOUR_SIZE');
    expect((await errorOf(change('start', 1, 9), {}, 'forest'))?.code).toBe('ERR_SKLEARN_FORMAT');
    expect((await errorOf(change('roots', 0, -1), {}, 'forest'))?.code).toBe('ERR_FLOUR_PARAM');
  });
});

describe('limits', () => {
  test('of the file, of nodes and of elements', async () => {
    const limited = (limits: ScikitLearnOptions['limits']) => errorOf(() => {}, { limits: limits! });
    expect((await limited({ fileBytes: 100 }))?.text).toContain('limits.fileBytes');
    expect((await limited({ nodes: 3 }))?.text).toContain('limits.nodes');
    expect((await limited({ elements: 20 }))?.text).toContain('limits.elements');
    expect((await limited({ elements: -1 }))?.code).toBe('ERR_SKLEARN_OPTION');
  });

  test('stop a product of many factors, because each factor is an operator', async () => {
    const product = (factors: number) => (model: Document) => {
      model.nodes = [
        { op: 'input', in: [], input: 'x' },
        { op: 'products', in: [0], terms: [[], Array(factors).fill(0)] },
      ];
      model.outputs = { features: 1 };
    };
    expect(await errorOf(product(100))).toBeUndefined();
    expect((await errorOf(product(1000)))?.text).toContain('limits.nodes');
  });

  test('stop a small file whose vectors double at each node', async () => {
    const double = (model: Document) => {
      model.nodes = [{ op: 'input', in: [], input: 'x' }];
      for (let node = 0; node < 40; node++) model.nodes.push({ op: 'concat', in: [node, node] });
      model.outputs = { features: 40 };
    };
    expect((await errorOf(double))?.code).toBe('ERR_SKLEARN_LIMIT');
  });
});

describe('options', () => {
  test.each<[ScikitLearnOptions, string]>([
    [{ precison: 'float32' } as ScikitLearnOptions, 'precision'],
    [{ precision: 'float16' as 'float32' }, 'float64 or float32'],
    [{ outputs: [] }, 'at least one output'],
    [{ outputs: ['scores'] }, 'label, probabilities'],
  ])('%o is rejected', async (options, text) => {
    const error = await errorOf(() => {}, options);
    expect(error?.code).toBe('ERR_SKLEARN_OPTION');
    expect(error?.text).toContain(text);
  });

  test('outputs selects outputs', async () => {
    using flour = await createFlour();
    const { program, producer, operators } = importScikitLearn(fileOf('logistic'), flour, { outputs: ['label'] });
    expect(program.outputs.map(({ name }) => name)).toEqual(['label']);
    expect(producer).toBe('scikit-learn 1.2.1');
    expect(operators['scikit-learn:matmul']).toBe(1);
  });
});

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 200);

test('changed bytes are rejected with a code, and leave nothing in the store', async () => {
  using flour = await createFlour();
  const files = ['churn', 'forest', 'logistic'].map(fileOf);
  const change = fc.record({ place: fc.double({ min: 0, max: 1, noNaN: true, maxExcluded: true }), byte: fc.nat(255) });
  const property = fc.property(
    fc.constantFrom(...files),
    fc.array(change, { minLength: 1, maxLength: 5 }),
    (file, all) => {
      const bytes = Buffer.from(file);
      for (const { place, byte } of all) bytes[Math.floor(place * bytes.length)] = byte;
      const before = flour.store.stats().objects;
      try {
        importScikitLearn(bytes, flour);
      } catch (error) {
        if (!(error instanceof BrezelError)) throw error;
        expect(flour.store.stats().objects).toBe(before);
      }
    },
  );
  fc.assert(property, { seed, numRuns: runs });
});
