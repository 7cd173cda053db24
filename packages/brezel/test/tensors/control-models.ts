import { AttributeType, makeAttribute, makeFunction, makeNode } from '@brezel/onnx';
import { bool, constant, file, flag, float, float32, graph, integer } from './models.js';

// Small graphs with all parts of tensor programs. Tests mutate the files.

const choose = (name: string) => graph([makeNode('Add', [name, 'x'], ['z'])], [], [float('z', ['n'])]);

const loopBody = graph(
  [
    constant('bound', float32([], 40)),
    makeNode('Add', ['v', 'x'], ['next']),
    makeNode('Less', ['next', 'bound'], ['again']),
    makeNode('If', ['again'], ['each'], { then_branch: { g: choose('next') }, else_branch: { g: choose('v') } }),
  ],
  [integer('i', []), flag('c'), float('v', ['n'])],
  [flag('again'), float('next', ['n']), float('each', ['n'])],
);

const loop = () =>
  file(
    graph(
      [
        makeNode('Loop', ['trips', 'c', 'x'], ['end', 'all'], { body: { g: loopBody } }),
        makeNode('Identity', ['all'], ['y']),
      ],
      [integer('trips', []), flag('c'), float('x', ['n'])],
      [float('end', ['n']), float('y', ['m', 'n'])],
    ),
  );

const scanBody = graph(
  [makeNode('Add', ['s', 'a'], ['t']), makeNode('Mul', ['t', 'w'], ['u'])],
  [float('s', ['k']), float('a', ['k'])],
  [float('t', ['k']), float('u', ['k'])],
);

const scan = (opset: number, lists: Readonly<Record<string, readonly number[]>>, inputs: readonly string[]) =>
  file(
    graph(
      [
        constant('w', float32([], 2)),
        makeNode('Scan', inputs, ['end', 'all'], {
          body: { g: scanBody },
          num_scan_inputs: { i: 1 },
          ...Object.fromEntries(Object.entries(lists).map(([name, ints]) => [name, { ints }])),
        }),
      ],
      [integer('lengths', [2]), float('s', opset === 8 ? [2, 3] : [3]), float('x', opset === 8 ? [2, 4, 3] : [4, 3])],
      [float('end', []), float('all', [])],
    ),
    opset,
  );

const calls = () => {
  const shift = makeFunction('local', 'Shift', {
    input: ['x', 'unused'],
    output: ['y'],
    attributeProto: [makeAttribute('by', { f: 10 })],
    node: [
      makeNode('Constant', [], ['c'], { value_float: { ref: 'by', type: AttributeType.FLOAT } }),
      makeNode('Add', ['x', 'c'], ['y']),
    ],
  });
  const twice = makeFunction(
    'local',
    'Twice',
    {
      input: ['x'],
      output: ['y'],
      node: [
        makeNode('Shift', ['x'], ['a'], { by: { f: 1 } }, 'local'),
        makeNode('Shift', ['a', 'x'], ['y'], {}, 'local'),
      ],
    },
    { '': 17, local: 1 },
  );
  const branch = graph([makeNode('Twice', ['x'], ['z'], {}, 'local')], [], [float('z', ['n'])]);
  return file(
    graph(
      [
        constant('c', bool(true)),
        makeNode('If', ['c'], ['y'], { then_branch: { g: branch }, else_branch: { g: choose('x') } }),
      ],
      [float('x', ['n'])],
      [float('y', ['n'])],
    ),
    17,
    { functions: [shift, twice] },
  );
};

export const controlModels = (): Uint8Array[] => [
  loop(),
  calls(),
  scan(16, { scan_input_axes: [0], scan_output_axes: [-1], scan_output_directions: [1] }, ['s', 'x']),
  scan(8, { directions: [1] }, ['lengths', 's', 'x']),
];
