import { AttributeType, DataType, makeAttribute, makeFunction, makeNode, tensorInput } from '@brezel/onnx';
import { importTensors } from 'brezel';
import { describe, expect, test } from 'vitest';
import { answer, bool, constant, file, flag, float, float32, graph } from './models.js';

const local = (name: string, input: readonly string[], output: readonly string[], attributes = {}) =>
  makeNode(name, input, output, attributes, 'local');

/** A function that computes x + by, where `by` is an attribute. */
const shift = makeFunction('local', 'Shift', {
  input: ['x'],
  output: ['y'],
  attribute: ['by'],
  node: [
    makeNode('Constant', [], ['c'], { value_float: { ref: 'by', type: AttributeType.FLOAT } }),
    makeNode('Add', ['x', 'c'], ['y']),
  ],
});

/** A function that calls `shift` twice. The default of `by` is 10. */
const twice = makeFunction(
  'local',
  'Twice',
  {
    input: ['x'],
    output: ['y'],
    attributeProto: [makeAttribute('by', { f: 10 })],
    node: [
      local('Shift', ['x'], ['c'], { by: { ref: 'by', type: AttributeType.FLOAT } }),
      local('Shift', ['c'], ['y'], { by: { ref: 'by', type: AttributeType.FLOAT } }),
    ],
  },
  { '': 17, local: 1 },
);

const model = (node: Parameters<typeof graph>[0], functions = [shift, twice], outputs = ['y']) =>
  file(
    graph(
      node,
      [float('x', [2])],
      outputs.map((name) => float(name, [2])),
    ),
    17,
    { functions },
  );

const x = float32([2], 1, 2);

describe('functions of a model', () => {
  test('take attributes, with defaults, through functions that call functions', async () => {
    expect(await answer(model([local('Twice', ['x'], ['y'])]), { x })).toEqual({ y: float32([2], 21, 22) });
    const given = model([local('Twice', ['x'], ['y'], { by: { f: 0.5 } })]);
    expect(await answer(given, { x })).toEqual({ y: float32([2], 2, 3) });
  });

  test('do not share names with the graph', async () => {
    const nodes = [
      constant('c', float32([], 100)),
      local('Shift', ['x'], ['s'], { by: { f: 1 } }),
      makeNode('Add', ['s', 'c'], ['y']),
    ];
    expect(await answer(model(nodes), { x })).toEqual({ y: float32([2], 102, 103) });
    const peeping = makeFunction('local', 'Peep', {
      input: [],
      output: ['y'],
      node: [makeNode('Identity', ['x'], ['y'])],
    });
    expect(() => importTensors(model([local('Peep', [], ['y'])], [peeping]))).toThrow(
      /value "x" before its user.*in function Peep/,
    );
  });

  test('may omit attributes and inputs', async () => {
    const optional = makeFunction('local', 'Loops', {
      input: ['x', 'trips'],
      output: ['y'],
      node: [
        constant('once', bool(true)),
        makeNode('Loop', ['trips', 'once', 'x'], ['y'], {
          body: {
            g: graph(
              [constant('stop', bool(false))],
              [float('i', []), flag('c'), float('v', [2])],
              [flag('stop'), float('v', [2])],
            ),
          },
        }),
      ],
    });
    expect(await answer(model([local('Loops', ['x'], ['y'])], [optional]), { x })).toEqual({ y: x });
    expect(() => importTensors(model([local('Shift', ['x'], ['y'])]))).toThrow(/ERR_ONNX_ATTRIBUTE|one attribute/);
  });

  test('read their parameters in subgraphs, not values of their caller', async () => {
    const branch = graph([makeNode('Identity', ['x'], ['z'])], [], [float('z', [2])]);
    const choose = makeFunction('local', 'Choose', {
      input: ['c', 'x'],
      output: ['y'],
      node: [makeNode('If', ['c'], ['y'], { then_branch: { g: branch }, else_branch: { g: branch } })],
    });
    const bytes = file(
      graph([local('Choose', ['flag', 'value'], ['y'])], [flag('flag'), float('value', [2])], [float('y', [2])]),
      17,
      { functions: [choose] },
    );
    expect(await answer(bytes, { flag: bool(true), value: x })).toEqual({ y: x });
  });

  test('have separate operator sets', () => {
    const old = makeFunction(
      'local',
      'Old',
      { input: ['x'], output: ['y'], node: [makeNode('Scan', ['x'], ['y'])] },
      { '': 7 },
    );
    expect(() => importTensors(model([local('Old', ['x'], ['y'])], [old]))).toThrow(
      /node "y" \(ai.onnx.Scan, opset 7\) in function Old: version 7 of Scan/,
    );
  });

  test('that call themselves are rejected, directly or indirectly', () => {
    const a = makeFunction(
      'local',
      'A',
      { input: ['x'], output: ['y'], node: [local('B', ['x'], ['y'])] },
      { '': 17, local: 1 },
    );
    const b = makeFunction(
      'local',
      'B',
      { input: ['x'], output: ['y'], node: [local('A', ['x'], ['y'])] },
      { '': 17, local: 1 },
    );
    expect(() => importTensors(model([local('A', ['x'], ['y'])], [a, b]))).toThrow(/function A calls itself/);
  });

  test('that expand beyond the limit of nodes are rejected', () => {
    const levels = Array.from({ length: 20 }, (_, level) =>
      makeFunction(
        'local',
        `F${level}`,
        {
          input: ['x'],
          output: ['y'],
          node: level === 0 ? [] : [local(`F${level - 1}`, ['x'], ['a']), local(`F${level - 1}`, ['a'], ['y'])],
        },
        { '': 17, local: 1 },
      ),
    );
    // The innermost function would be empty, and an empty function fails. It gets a node.
    levels[0] = { ...levels[0]!, node: [makeNode('Identity', ['x'], ['y'])] };
    expect(() => importTensors(model([local('F19', ['x'], ['y'])], levels))).toThrow(/at most 500\d nodes/);
    const chain = Array.from({ length: 40 }, (_, level) =>
      makeFunction(
        'local',
        `G${level}`,
        {
          input: ['x'],
          output: ['y'],
          node: [level === 0 ? makeNode('Identity', ['x'], ['y']) : local(`G${level - 1}`, ['x'], ['y'])],
        },
        { '': 17, local: 1 },
      ),
    );
    expect(() => importTensors(model([local('G39', ['x'], ['y'])], chain))).toThrow(/nested 24 deep/);
  });

  test.each([
    ['too many inputs', [local('Shift', ['x', 'x'], ['y'], { by: { f: 1 } })], /at most 1 inputs and 1 outputs/],
    [
      'an attribute of no function',
      [makeNode('Constant', [], ['y'], { value_float: { ref: 'by', type: AttributeType.FLOAT } })],
      /"by" outside a function/,
    ],
    ['an output nobody writes', [local('Nothing', ['x'], ['y'])], /value "y" before its user/],
  ])('%s is refused', (_, nodes, message) => {
    const nothing = makeFunction('local', 'Nothing', { input: ['x'], output: ['y'] });
    expect(() => importTensors(model(nodes, [shift, nothing]))).toThrow(message);
  });
});

describe('inputs with initializers', () => {
  const initializer = [{ ...constant('', x).attribute[0]!.t!, name: 'w' }];
  const main = graph([makeNode('Identity', ['w'], ['y'])], [tensorInput('w', DataType.FLOAT, [2])], [float('y', [2])], {
    initializer,
  });

  test('are optional from IR version 4 on, and not inputs before', async () => {
    expect(await answer(file(main, 17, { irVersion: 8 }))).toEqual({ y: x });
    expect(await answer(file(main, 17, { irVersion: 8 }), { w: float32([2], 5, 6) })).toEqual({
      y: float32([2], 5, 6),
    });
    expect(importTensors(file(main, 8, { irVersion: 3 })).program.inputs).toEqual([]);
  });
});
