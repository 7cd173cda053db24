import { DataType, makeNode, tensorInput } from '@brezel/onnx';
import type { Tensor } from 'brezel';
import { describe, expect, test } from 'vitest';
import { answer, bool, constant, file, flag, float, float32, type Graph, graph, int64, integer } from './models.js';

const none = graph([], [], []);

/**
 * A loop whose state `total` starts at `start` and grows by the iteration. The loop collects every
 * `total`, and continues while `total < bound`.
 */
const countingBody = graph(
  [
    makeNode('Add', ['total', 'iteration'], ['next']),
    makeNode('Less', ['next', 'bound'], ['again']),
    makeNode('Identity', ['next'], ['each']),
  ],
  [integer('iteration', []), flag('goesOn'), integer('total', [])],
  [flag('again'), integer('next', []), integer('each', [])],
);

function loop(body: Graph, inputs: readonly string[], carried = 1): Uint8Array {
  const outputs = body.output.slice(1).map((_, at) => `out${at}`);
  return file(
    graph(
      [makeNode('Loop', inputs, outputs, { body: { g: body } })],
      [integer('trips', []), flag('condition'), integer('start', []), integer('bound', [])],
      outputs.map((name, at) => integer(name, at < carried ? [] : ['n'])),
    ),
  );
}

const loopInputs = { trips: int64([], 10), condition: bool(true), start: int64([], 5), bound: int64([], 12) };

describe('Loop', () => {
  test('runs to its trip count, or until its condition is false', async () => {
    const model = loop(countingBody, ['trips', 'condition', 'start']);
    expect(await answer(model, loopInputs)).toEqual({ out0: int64([], 15), out1: int64([5], 5, 6, 8, 11, 15) });
    const short = await answer(model, { ...loopInputs, trips: int64([], 2) });
    expect(short).toEqual({ out0: int64([], 6), out1: int64([2], 5, 6) });
  });

  test('without a trip count, only its condition ends it', async () => {
    const model = loop(countingBody, ['', 'condition', 'start']);
    expect((await answer(model, loopInputs)).out0).toEqual(int64([], 15));
  });

  test('without a condition it starts, and its body may end it', async () => {
    const model = loop(countingBody, ['trips', '', 'start']);
    expect((await answer(model, loopInputs)).out0).toEqual(int64([], 15));
    expect((await answer(model, { ...loopInputs, bound: int64([], 1000) })).out0).toEqual(int64([], 50));
  });

  test('without an iteration, it returns its inputs, and empty lists of the declared types', async () => {
    const model = loop(countingBody, ['trips', 'condition', 'start']);
    for (const none of [{ trips: int64([], 0) }, { trips: int64([], -3) }, { condition: bool(false) }])
      expect(await answer(model, { ...loopInputs, ...none })).toEqual({ out0: int64([], 5), out1: int64([0]) });
  });

  test('an endless loop is stopped', async () => {
    const body = graph([], [integer('i', []), flag('c'), integer('v', [])], [flag('c'), integer('v', [])]);
    const model = loop(body, ['', 'condition', 'start']);
    await expect(answer(model, loopInputs)).rejects.toMatchObject({ code: 'ERR_FLOUR_LIMIT' });
    await expect(answer(model, loopInputs, { maxSteps: 100 })).rejects.toThrow(
      /at most 100 nodes.*node "out0" \(ai.onnx.Loop/,
    );
  });

  test('a list that grows beyond the limit of elements is stopped', async () => {
    const model = loop(countingBody, ['trips', '', 'start']);
    const request = { ...loopInputs, trips: int64([], 1000), bound: int64([], 1e9) };
    expect((await answer(model, request)).out1).toMatchObject({ shape: [1000] });
    await expect(answer(model, request, { maxElements: 1500 })).rejects.toThrow(/at most 1500 elements/);
  });

  test('reads values of every enclosing graph', async () => {
    const inner = graph(
      [makeNode('Add', ['total', 'start'], ['sum']), makeNode('Add', ['sum', 'outerIteration'], ['next'])],
      [integer('i', []), flag('c'), integer('total', [])],
      [flag('c'), integer('next', [])],
    );
    const outer = graph(
      [makeNode('Loop', ['trips', '', 'value'], ['result'], { body: { g: inner } })],
      [integer('outerIteration', []), flag('c'), integer('value', [])],
      [flag('c'), integer('result', [])],
    );
    const model = loop(outer, ['trips', '', 'start']);
    const got = await answer(model, { ...loopInputs, trips: int64([], 3) });
    expect(got).toEqual({ out0: int64([], 5 + 9 * 5 + 3 * (0 + 1 + 2)) });
  });

  test('iterations must return equal shapes, and bodies the declared number of values', async () => {
    const changing = graph(
      [
        constant('minus', int64([], -1)),
        makeNode('Less', ['v', 'i'], ['late']),
        makeNode('If', ['late'], ['each'], { then_branch: { g: one }, else_branch: { g: two } }),
        makeNode('Add', ['v', 'minus'], ['next']),
      ],
      [integer('i', []), flag('again'), integer('v', [])],
      [flag('again'), integer('next', []), integer('each', ['n'])],
    );
    const model = loop(changing, ['trips', '', 'start']);
    const request = { ...loopInputs, start: int64([], 1) };
    await expect(answer(model, request)).rejects.toThrow(
      /one type and shape .*received int64\[2\] and then int64\[1\] for "each"/,
    );
    const unequal = loop(countingBody, ['trips', 'condition', 'start', 'bound'], 2);
    await expect(answer(unequal, loopInputs)).rejects.toThrow(
      /a body of 4 inputs .*received a body of 3 inputs and 3 outputs/,
    );
  });

  test.each([
    ['a trip count', { trips: int64([2], 1, 2) }],
    ['condition', { condition: { element: 'bool', shape: [0], data: new Uint8Array(0) } as const }],
  ])('%s must be one value', async (what, wrong) => {
    const anyShape = (name: string, type: number) => tensorInput(name, type, ['n']);
    const model = file(
      graph(
        [makeNode('Loop', ['trips', 'condition', 'start'], ['a', 'b'], { body: { g: countingBody } })],
        [
          anyShape('trips', DataType.INT64),
          anyShape('condition', DataType.BOOL),
          integer('start', []),
          integer('bound', []),
        ],
        [integer('a', []), integer('b', ['n'])],
      ),
    );
    const right = { ...loopInputs, trips: int64([1], 3), condition: { ...bool(true), shape: [1] } as Tensor };
    expect((await answer(model, right)).b).toMatchObject({ shape: [3] });
    await expect(answer(model, { ...right, ...wrong })).rejects.toThrow(
      new RegExp(`one .* as .*Loop.*${what} that is`),
    );
  });
});

const one = graph([constant('a', int64([1], 7))], [], [integer('a', [1])]);
const two = graph([constant('b', int64([2], 8, 9))], [], [integer('b', [2])]);

describe('If', () => {
  const model = file(
    graph(
      [makeNode('If', ['c'], ['y'], { then_branch: { g: one }, else_branch: { g: two } })],
      [tensorInput('c', DataType.BOOL, [1])],
      [integer('y', ['n'])],
    ),
  );
  const given = (...flags: number[]) => ({
    c: { element: 'bool', shape: [flags.length], data: Uint8Array.from(flags) } as const,
  });

  test('runs one branch; shapes may differ', async () => {
    expect(await answer(model, given(1))).toEqual({ y: int64([1], 7) });
    expect(await answer(model, given(0))).toEqual({ y: int64([2], 8, 9) });
  });

  test('returns a copy of a constant', async () => {
    const first = await answer(model, given(0));
    (first.y as { data: BigInt64Array }).data.fill(0n);
    expect(await answer(model, given(0))).toEqual({ y: int64([2], 8, 9) });
  });

  test('a branch may return a value of the enclosing graph, also if the file computes it later, unless the value depends on the branch', async () => {
    const through = graph([makeNode('Identity', ['x'], ['z'])], [], [float('z', [])]);
    const late = graph([makeNode('Identity', ['later'], ['z'])], [], [float('z', [])]);
    const build = (branch: Graph, later = 'x') =>
      file(
        graph(
          [
            makeNode('If', ['c'], ['y'], { then_branch: { g: through }, else_branch: { g: branch } }),
            makeNode('Identity', [later], ['later']),
          ],
          [flag('c'), float('x', [2])],
          [float('y', [2]), float('later', [2])],
        ),
      );
    expect(await answer(build(through), { c: bool(true), x: float32([2], 1, 2) })).toMatchObject({
      y: float32([2], 1, 2),
    });
    expect(await answer(build(late), { c: bool(false), x: float32([2], 1, 2) })).toMatchObject({
      y: float32([2], 1, 2),
    });
    await expect(answer(build(late, 'y'))).rejects.toThrow(/value "y" before its user/);
  });

  test('without a branch, or with too few outputs, it fails with the reason', async () => {
    const bare = file(
      graph([makeNode('If', ['c'], ['y'], { then_branch: { g: none } })], [flag('c')], [float('y', [])]),
    );
    await expect(answer(bare, { c: bool(false) })).rejects.toThrow(/expected the subgraph 'else_branch'/);
    await expect(answer(bare, { c: bool(true) })).rejects.toThrow(
      /at least 1 outputs .*received a branch of 0 outputs/,
    );
  });
});

/** A body whose state is the sum so far. It also returns all intermediate sums. */
const summing = graph(
  [makeNode('Add', ['state', 'x'], ['next']), makeNode('Identity', ['next'], ['sum'])],
  [float('state', ['k']), float('x', ['k'])],
  [float('next', ['k']), float('sum', ['k'])],
);

function scan(attributes: Readonly<Record<string, { ints: readonly number[] }>>, opset = 17): Uint8Array {
  return file(
    graph(
      [
        makeNode('Scan', ['s', 'x'], ['end', 'sums'], {
          body: { g: summing },
          num_scan_inputs: { i: 1 },
          ...attributes,
        }),
      ],
      [float('s', ['k']), float('x', ['n', 'k'])],
      [float('end', ['k']), float('sums', ['n', 'k'])],
    ),
    opset,
  );
}

describe('Scan', () => {
  const s = float32([2], 0, 0);
  const x = float32([3, 2], 1, 2, 3, 4, 5, 6);

  test('passes its state from slice to slice', async () => {
    for (const opset of [9, 11, 16, 25])
      expect(await answer(scan({}, opset), { s, x })).toEqual({
        end: float32([2], 9, 12),
        sums: float32([3, 2], 1, 2, 4, 6, 9, 12),
      });
  });

  test.each([
    ['scan_input_directions', [1], { end: float32([2], 9, 12), sums: float32([3, 2], 5, 6, 8, 10, 9, 12) }],
    ['scan_output_directions', [1], { end: float32([2], 9, 12), sums: float32([3, 2], 9, 12, 4, 6, 1, 2) }],
    ['scan_output_axes', [1], { end: float32([2], 9, 12), sums: float32([2, 3], 1, 4, 9, 2, 6, 12) }],
    ['scan_output_axes', [-1], { end: float32([2], 9, 12), sums: float32([2, 3], 1, 4, 9, 2, 6, 12) }],
  ])('%s %j', async (name, ints, wanted) => {
    expect(await answer(scan({ [name]: { ints } }), { s, x })).toEqual(wanted);
  });

  test.each([1, -1])('input axis %j', async (axis) => {
    const got = await answer(scan({ scan_input_axes: { ints: [axis] } }), { s: float32([3], 0, 0, 0), x });
    expect(got).toEqual({ end: float32([3], 3, 7, 11), sums: float32([2, 3], 1, 3, 5, 3, 7, 11) });
  });

  test('without a slice, it returns its state, and empty outputs', async () => {
    expect(await answer(scan({}), { s, x: float32([0, 2]) })).toEqual({ end: s, sums: float32([0, 0]) });
  });

  test.each([
    ['scan_input_axes', [2], /axis 2 of a tensor of 2 axes/],
    ['scan_input_axes', [0, 0], /expected 1 integers in scan_input_axes/],
    ['scan_output_axes', [5], /an axis in \[-2, 1\]/],
  ])('%s %j is rejected', async (name, ints, message) => {
    await expect(answer(scan({ [name]: { ints } }), { s, x })).rejects.toThrow(message);
  });

  test('a huge shape without elements takes no time', async () => {
    const vast = { element: 'float32', shape: [2 ** 40, 2, 0], data: new Float32Array(0) } as const;
    const model = file(
      graph(
        [
          makeNode('Scan', ['x'], ['y'], {
            body: { g: graph([makeNode('Identity', ['a'], ['b'])], [float('a', [])], [float('b', [])]) },
            num_scan_inputs: { i: 1 },
            scan_input_axes: { ints: [1] },
            scan_output_axes: { ints: [1] },
          }),
        ],
        [tensorInput('x', DataType.FLOAT, ['a', 'b', 'c'])],
        [tensorInput('y', DataType.FLOAT, ['a', 'b', 'c'])],
      ),
    );
    expect(await answer(model, { x: vast })).toEqual({ y: vast });
    const long = { ...vast, shape: [0, 2 ** 40, 0] };
    await expect(answer(model, { x: long })).rejects.toMatchObject({ code: 'ERR_FLOUR_LIMIT' });
  });

  test('operator set 8: a batch, in which each entry has a length', async () => {
    const model = file(
      graph(
        [makeNode('Scan', ['lengths', 's', 'x'], ['end', 'sums'], { body: { g: summing }, num_scan_inputs: { i: 1 } })],
        [integer('lengths', ['b']), float('s', ['b', 'k']), float('x', ['b', 'n', 'k'])],
        [float('end', ['b', 'k']), float('sums', ['b', 'n', 'k'])],
      ),
      8,
    );
    const request = { s: float32([2, 1], 0, 10), x: float32([2, 3, 1], 1, 2, 3, 4, 5, 6) };
    expect(await answer(model, { ...request, lengths: int64([2], 3, 2) })).toEqual({
      end: float32([2, 1], 6, 19),
      sums: float32([2, 3, 1], 1, 3, 6, 14, 19, 0),
    });
    await expect(answer(model, { ...request, lengths: int64([2], 3, 4) })).rejects.toThrow(/sequence lengths/);
  });
});
