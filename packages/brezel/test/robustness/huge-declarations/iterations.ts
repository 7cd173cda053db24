import { makeNode, makeTensor } from '@brezel/onnx';
import { file, flag, float, type Graph, graph, integer } from '../../tensors/models.js';

// Small files whose Scan or Loop adds thousands of nodes to a row program.

const COUNT = 60;
const ENTRIES = 100;
const CARRIED = 1000;

const names = (prefix: string, count: number) => Array.from({ length: count }, (_, at) => `${prefix}${at}`);
const row = (name: string) => float(name, ['N', 1]);

/** Returns a Scan over the second axis of `x`, which has `ENTRIES` entries. */
const scan = (body: Graph, count: number) =>
  file(
    graph(
      [
        makeNode('Scan', new Array<string>(count).fill('x'), ['y'], {
          num_scan_inputs: { i: count },
          scan_input_axes: { ints: new Array<number>(count).fill(1) },
          body: { g: body },
        }),
      ],
      [float('x', ['N', ENTRIES])],
      [float('y', [ENTRIES, 'N'])],
      { initializer: [makeTensor('w', 'float32', [2], Float32Array.of(1, 2))] },
    ),
  );

/** Returns a Loop of `ENTRIES` iterations that carries `x` once for each carried value. */
const loop = (carried: readonly string[], results: readonly string[]) =>
  file(
    graph(
      [
        makeNode('Loop', ['trips', '', ...carried.map(() => 'x')], ['y', ...results.map((name) => `y of ${name}`)], {
          body: {
            g: graph(
              [],
              [integer('i', []), flag('c'), ...carried.map(row)],
              [flag('c'), ...[...carried, ...results.map(() => carried[0]!)].map(row)],
            ),
          },
        }),
      ],
      [row('x')],
      [row('y')],
      { initializer: [makeTensor('trips', 'int64', [], BigInt64Array.of(BigInt(ENTRIES)))] },
    ),
  );

const entries = names('entry', COUNT).map((name) => float(name, ['N']));
const negated = names('negated', COUNT);
const constants = graph(
  negated.map((name, at) => makeNode('Neg', [at === 0 ? 'number' : negated[at - 1]!], [name])),
  [float('number', [])],
  [float(negated.at(-1)!, [])],
);

/** The files by name. As row programs, all fail with ERR_ONNX_UNSUPPORTED. */
export const iterations: Readonly<Record<string, Uint8Array>> = {
  'Scan of many inputs': scan(graph([], entries, [entries[0]!]), COUNT),
  'Scan over constants in a Scan': scan(
    graph(
      [makeNode('Scan', ['w'], ['numbers'], { num_scan_inputs: { i: 1 }, body: { g: constants } })],
      [entries[0]!],
      [entries[0]!],
    ),
    1,
  ),
  'Loop with many scan outputs': loop(['v'], names('result', COUNT)),
  'Loop with many carried values': loop(names('v', CARRIED), []),
};
