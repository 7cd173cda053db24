import { makeNode } from '@brezel/onnx';
import { createRuntime, importTensors, openStore, type TensorInputs } from 'brezel';
import { describe, expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { countTurns, ReadClock } from './count-turns.js';
import { constant, file, flag, float, float32, type Graph, graph, int64, integer } from './models.js';

// A Loop may repeat as often as a request demands. The event loop must run meanwhile, and the
// request must end at its deadline.

const store = await openStore({ native: false });
const counted = (bytes: Uint8Array, inputs: TensorInputs, options = {}, limits = {}) =>
  countTurns(store, bytes, inputs, options, limits);

const step = graph(
  [makeNode('Add', ['total', 'i'], ['next'])],
  [integer('i', []), flag('goesOn'), integer('total', [])],
  [flag('goesOn'), integer('next', [])],
);
const empty = graph([], [integer('i', []), flag('c'), integer('v', [])], [flag('c'), integer('v', [])]);
const nested = graph(
  [makeNode('Loop', ['trips', '', 'total'], ['next'], { body: { g: step } })],
  [integer('outer', []), flag('again'), integer('total', [])],
  [flag('again'), integer('next', [])],
);

function loop(body: Graph): Uint8Array {
  const inputs = [integer('trips', []), integer('start', [])];
  return file(
    graph([makeNode('Loop', ['trips', '', 'start'], ['y'], { body: { g: body } })], inputs, [integer('y', [])]),
  );
}

const trips = (count: number) => ({ trips: int64([], count), start: int64([], 0) });

const summing = graph(
  [makeNode('Add', ['state', 'x'], ['next'])],
  [float('state', []), float('x', [])],
  [float('next', [])],
);
const scan = file(
  graph(
    [makeNode('Scan', ['s', 'x'], ['y'], { body: { g: summing }, num_scan_inputs: { i: 1 } })],
    [float('s', []), float('x', ['n'])],
    [float('y', [])],
  ),
);
const batches = file(
  graph(
    [makeNode('Scan', ['', 's', 'x'], ['y'], { body: { g: summing }, num_scan_inputs: { i: 1 } })],
    [float('s', ['b']), float('x', ['b', 'n'])],
    [float('y', ['b'])],
  ),
  8,
);
const sequences = file(
  graph(
    [
      makeNode('SplitToSequence', ['x'], ['parts']),
      makeNode('SequenceMap', ['parts'], ['changed'], {
        body: { g: graph([makeNode('Neg', ['a'], ['b'])], [float('a', [1])], [float('b', [1])]) },
      }),
      makeNode('ConcatFromSequence', ['changed'], ['y'], { axis: { i: 0 } }),
    ],
    [float('x', ['n'])],
    [float('y', ['n'])],
  ),
);
const branches = graph(
  [
    makeNode('If', ['goesOn'], ['next'], {
      then_branch: { g: graph([makeNode('Add', ['total', 'i'], ['sum'])], [], [integer('sum', [])]) },
      else_branch: { g: graph([constant('none', int64([], 0))], [], [integer('none', [])]) },
    }),
  ],
  [integer('i', []), flag('goesOn'), integer('total', [])],
  [flag('goesOn'), integer('next', [])],
);
const chain = file(
  graph(
    Array.from({ length: 200 }, (_, at) => makeNode('Neg', [`v${at}`], [`v${at + 1}`])),
    [float('v0', ['n'])],
    [float('v200', ['n'])],
  ),
);
const ones = new Array<number>(200).fill(1);

describe('a tensor program that runs for long', () => {
  test.each<[string, Uint8Array, TensorInputs, object]>([
    ['Loop', loop(step), trips(200), { y: int64([], 19_900) }],
    ['Loop without nodes', loop(empty), trips(200), { y: int64([], 0) }],
    ['Loop in a Loop', loop(nested), trips(20), { y: int64([], 20 * 190) }],
    ['If in a Loop', loop(branches), trips(200), { y: int64([], 19_900) }],
    ['Scan', scan, { s: float32([], 0), x: float32([200], ...ones) }, { y: float32([], 200) }],
    [
      'Scan of operator set 8',
      batches,
      { s: float32([2], 0, 1), x: float32([2, 100], ...ones) },
      { y: float32([2], 100, 101) },
    ],
    ['SequenceMap', sequences, { x: float32([200], ...ones) }, { y: float32([200], ...ones.map((one) => -one)) }],
    ['nodes without a subgraph', chain, { v0: float32([1], 5) }, { v200: float32([1], 5) }],
  ])('%s lets the event loop run', async (_, model, inputs, outputs) => {
    const got = await counted(model, inputs);
    expect(got.outputs).toEqual(outputs);
    // The clock is read two or three times in a slice, and once for each of 200 nodes.
    expect(got.turns).toBeGreaterThan(40);
  });

  test('a short program is answered before the next turn of the event loop', async () => {
    await using runtime = createRuntime({ store, clock: new ManualClock() });
    const tensors = runtime.registerTensors(importTensors(loop(step)).program);
    let isAnswered = false;
    runtime.predictTensors(tensors, trips(1)).then(() => {
      isAnswered = true;
    });
    for (let tick = 0; tick < 20; tick++) await undefined;
    expect(isAnswered).toBe(true);
  });

  test('ends at its deadline', async () => {
    const late = counted(loop(step), trips(400_000), { deadlineMs: 10 });
    await expect(late).rejects.toMatchObject({ code: 'ERR_RUNTIME_DEADLINE' });
    await expect(late).rejects.toThrow(/0 of 1 requests answered after 1\d\.\d ms, deadlineMs 10/);
    expect((await counted(loop(step), trips(4), { deadlineMs: 1000 })).outputs).toEqual({ y: int64([], 6) });
    await expect(counted(loop(step), trips(4), { deadlineMs: -1 })).rejects.toMatchObject({
      code: 'ERR_RUNTIME_OPTION',
    });
  });

  const registered = () => {
    const runtime = createRuntime({ store, clock: new ReadClock() as never });
    return { runtime, tensors: runtime.registerTensors(importTensors(loop(step)).program, { name: 'endless' }) };
  };

  test('ends when its signal aborts', async () => {
    const { runtime, tensors } = registered();
    const ended = new AbortController();
    const request = runtime.predictTensors(tensors, trips(400_000), { signal: ended.signal });
    setImmediate(() => ended.abort(new Error('nobody waits')));
    await expect(request).rejects.toThrow('nobody waits');
    await runtime.close();
  });

  test('ends when it is removed, and when the runtime closes', async () => {
    for (const [end, code] of [
      ['unregister', 'ERR_RUNTIME_UNKNOWN_PLAN'],
      ['close', 'ERR_RUNTIME_CLOSED'],
    ] as const) {
      const { runtime, tensors } = registered();
      const request = runtime.predictTensors(tensors, trips(400_000));
      setImmediate(() => (end === 'close' ? runtime.close() : runtime.unregister(tensors)));
      await expect(request).rejects.toMatchObject({ code });
      await runtime.close();
    }
  });

  test('is answered while the runtime drains, and counts as a queued row', async () => {
    const runtime = createRuntime({ store, limits: { maxQueuedRows: 1 }, clock: new ReadClock() as never });
    const tensors = runtime.registerTensors(importTensors(loop(step)).program);
    const request = runtime.predictTensors(tensors, trips(100));
    await expect(runtime.predictTensors(tensors, trips(1))).rejects.toMatchObject({ code: 'ERR_RUNTIME_OVERLOADED' });
    const closed = runtime.close({ drainMs: 1e9 });
    await expect(runtime.predictTensors(tensors, trips(1))).rejects.toMatchObject({ code: 'ERR_RUNTIME_CLOSED' });
    expect(await request).toEqual({ y: int64([], 4950) });
    await closed;
  });

  test('that exceeds its limit of steps fails', async () => {
    const request = counted(loop(step), trips(400_000), {}, { maxSteps: 1000 });
    await expect(request).rejects.toMatchObject({ code: 'ERR_FLOUR_LIMIT' });
  });
});

test('a program runs on the calling thread without a pause, up to maxSteps', () => {
  const { program } = importTensors(loop(step));
  expect(program.run([int64([], 200), int64([], 0)])).toEqual([int64([], 19_900)]);
  expect(() => program.run([int64([], 200), int64([], 0)], { maxSteps: 100 })).toThrow(/at most 100 nodes/);
});
