import { makeFunction, makeNode } from '@brezel/onnx';
import type { Tensor } from 'brezel';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { fraction } from '../../../../testing/fraction.js';
import { ort } from '../conformance/against-onnxruntime.js';
import { seed } from '../conformance/seed.js';
import { answer, bool, constant, file, flag, float, type Graph, graph, int64, integer } from './models.js';

// Compares control flow and functions with onnxruntime, with random shapes, axes, directions,
// counts and conditions. Sums of small integers are exact.

type Inputs = Readonly<Record<string, Tensor>>;

async function expected(bytes: Uint8Array, inputs: Inputs): Promise<Record<string, Tensor>> {
  const session = await ort!.InferenceSession.create(bytes, { intraOpNumThreads: 1, logSeverityLevel: 4 });
  const feeds = Object.entries(inputs).map(([name, { element, data, shape }]) => [
    name,
    new ort!.Tensor(element as 'float32', data as Float32Array, shape),
  ]);
  const results = await session.run(Object.fromEntries(feeds));
  await session.release();
  const outputs = Object.entries(results).map(([name, { type, dims, data }]) => [
    name,
    { element: type, shape: [...dims], data },
  ]);
  return Object.fromEntries(outputs);
}

async function compare(bytes: Uint8Array, inputs: Inputs): Promise<void> {
  expect(await answer(bytes, inputs)).toEqual(await expected(bytes, inputs));
}

/** Returns a tensor of a shape with the numbers 0, 1, 2, ... */
function counted(shape: readonly number[], first = 0): Tensor {
  const count = shape.reduce((product, size) => product * size, 1);
  return { element: 'float32', shape, data: Float32Array.from({ length: count }, (_, at) => first + at) };
}

const runs = { seed, numRuns: 40 };
const side = fc.constantFrom(0, 1);

/** A Scan body whose state is the sum of the scanned values. */
function scanBody(rank: number): Graph {
  const free = new Array<string>(rank).fill('k');
  return graph(
    [makeNode('Add', ['state', 'x'], ['next']), makeNode('Add', ['next', 'z'], ['sum'])],
    [float('state', free), float('x', free), float('z', free)],
    [float('next', free), float('sum', free)],
  );
}

const scans = fc.record({
  sizes: fc.array(fc.integer({ min: 1, max: 4 }), { minLength: 1, maxLength: 2 }),
  length: fc.integer({ min: 1, max: 5 }),
  axes: fc.array(fraction, { minLength: 3, maxLength: 3 }),
  negative: fc.boolean(),
  directions: fc.array(side, { minLength: 3, maxLength: 3 }),
  opset: fc.constantFrom(11, 16, 21),
});

describe.skipIf(ort === undefined)('agree with onnxruntime', () => {
  test('Scan', async () => {
    await fc.assert(
      fc.asyncProperty(scans, async ({ sizes, length, axes, negative, directions, opset }) => {
        const rank = sizes.length + 1;
        const [first, second, output] = axes.map((at) => Math.floor(at * rank)) as [number, number, number];
        const written = (axis: number) => (negative ? axis - rank : axis);
        const scan = makeNode('Scan', ['s', 'x', 'z'], ['end', 'sums'], {
          body: { g: scanBody(sizes.length) },
          num_scan_inputs: { i: 2 },
          scan_input_axes: { ints: [written(first), written(second)] },
          scan_input_directions: { ints: directions.slice(0, 2) },
          scan_output_axes: { ints: [written(output)] },
          scan_output_directions: { ints: directions.slice(2) },
        });
        const names = ['a', 'b', 'c'].slice(0, rank);
        const main = graph(
          [scan],
          [float('s', names.slice(1)), float('x', names), float('z', names)],
          [float('end', names.slice(1)), float('sums', names)],
        );
        const inputs = {
          s: counted(sizes),
          x: counted(sizes.toSpliced(first, 0, length), 10),
          z: counted(sizes.toSpliced(second, 0, length), 100),
        };
        await compare(file(main, opset), inputs);
      }),
      runs,
    );
  });

  test('Scan of operator set 8', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          batch: fc.integer({ min: 1, max: 3 }),
          length: fc.integer({ min: 1, max: 4 }),
          lengths: fc.array(fc.nat(3), { minLength: 3, maxLength: 3 }),
          directions: fc.tuple(side, side),
        }),
        async ({ batch, length, lengths, directions }) => {
          const scan = makeNode('Scan', ['lengths', 's', 'x', 'z'], ['end', 'sums'], {
            body: { g: scanBody(1) },
            num_scan_inputs: { i: 2 },
            directions: { ints: directions },
          });
          const main = graph(
            [scan],
            [
              integer('lengths', ['b']),
              float('s', ['b', 'k']),
              float('x', ['b', 'n', 'k']),
              float('z', ['b', 'n', 'k']),
            ],
            [float('end', ['b', 'k']), float('sums', ['b', 'n', 'k'])],
          );
          const ends = lengths.slice(0, batch).map((end) => 1 + (end % length));
          const inputs = {
            lengths: int64([batch], ...ends),
            s: counted([batch, 2]),
            x: counted([batch, length, 2], 10),
            z: counted([batch, length, 2], 100),
          };
          await compare(file(main, 8, { irVersion: 3 }), inputs);
        },
      ),
      runs,
    );
  });

  test('Loop with an If that reads values of both graphs around it', async () => {
    const grow = graph([makeNode('Add', ['total', 'step'], ['grown'])], [], [float('grown', [])]);
    const shrink = graph([makeNode('Add', ['total', 'back'], ['shrunk'])], [], [float('shrunk', [])]);
    const body = graph(
      [
        makeNode('Less', ['total', 'bound'], ['low']),
        makeNode('If', ['low'], ['next'], { then_branch: { g: grow }, else_branch: { g: shrink } }),
        makeNode('Less', ['next', 'stop'], ['again']),
      ],
      [integer('i', []), flag('c'), float('total', [])],
      [flag('again'), float('next', []), float('next', [])],
    );
    const each = {
      ...body,
      node: [...body.node, makeNode('Identity', ['next'], ['each'])],
      output: [...body.output.slice(0, 2), float('each', [])],
    };
    const model = (condition: string) =>
      graph(
        [makeNode('Loop', ['trips', condition, 'start'], ['end', 'all'], { body: { g: each } })],
        [
          integer('trips', []),
          flag('go'),
          ...['start', 'step', 'back', 'bound', 'stop'].map((name) => float(name, [])),
        ],
        [float('end', []), float('all', ['n'])],
      );
    const small = fc.integer({ min: -4, max: 8 }).map((value) => counted([], value));
    await fc.assert(
      fc.asyncProperty(
        fc.record({
          trips: fc.nat(12).map((count) => int64([], count)),
          go: fc.boolean().map(bool),
          start: small,
          step: small,
          back: small,
          bound: small,
          stop: small,
        }),
        fc.constantFrom('go', ''),
        (inputs, condition) => compare(file(model(condition)), inputs),
      ),
      runs,
    );
  });

  test('functions', async () => {
    const shift = makeFunction('local', 'Shift', {
      input: ['x'],
      output: ['y'],
      attribute: ['by'],
      node: [
        makeNode('Constant', [], ['c'], { value_float: { ref: 'by', type: 1 } }),
        makeNode('Add', ['x', 'c'], ['y']),
      ],
    });
    const both = makeFunction(
      'local',
      'Both',
      {
        input: ['x'],
        output: ['a', 'b'],
        node: [
          makeNode('Shift', ['x'], ['a'], { by: { f: 1 } }, 'local'),
          makeNode('Shift', ['a'], ['b'], { by: { f: 2 } }, 'local'),
        ],
      },
      { '': 17, local: 1 },
    );
    const main = graph(
      [
        constant('c', counted([], 50)),
        makeNode('Both', ['x'], ['a', 'z'], {}, 'local'),
        makeNode('Add', ['z', 'c'], ['b']),
      ],
      [float('x', ['n'])],
      [float('a', ['n']), float('b', ['n'])],
    );
    await compare(file(main, 17, { functions: [shift, both] }), { x: counted([5]) });
  });
});
