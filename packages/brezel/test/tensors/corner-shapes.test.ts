import { DataType, makeNode, makeTensor, tensorInput } from '@brezel/onnx';
import type { Tensor } from 'brezel';
import { describe, expect, test } from 'vitest';
import { answer, bool, constant, file, flag, float, float32, graph, integer } from './models.js';

describe('values of one element instead of scalars', () => {
  const one = (value: number): Tensor => ({ element: 'int64', shape: [1], data: BigInt64Array.of(BigInt(value)) });

  test('the condition of If', async () => {
    const branch = (value: number) =>
      graph([makeNode('Constant', [], ['v'], { value_float: { f: value } })], [], [float('v', [])]);
    const nodes = [makeNode('If', ['c'], ['y'], { then_branch: { g: branch(1) }, else_branch: { g: branch(2) } })];
    const whole = file(graph(nodes, [tensorInput('c', DataType.BOOL, [1])], [float('y', [])]));
    const condition: Tensor = { element: 'bool', shape: [1], data: Uint8Array.of(0) };
    expect(await answer(whole, { c: condition })).toEqual({ y: float32([], 2) });
  });

  test('the trip count of Loop, and what its body declares', async () => {
    const body = graph(
      [makeNode('Concat', ['total', 'i'], ['next'], { axis: { i: 0 } }), makeNode('Identity', ['goesOn'], ['again'])],
      [integer('i', [1]), { ...flag('goesOn') }, integer('total', ['n'])],
      [flag('again'), integer('next', ['n'])],
    );
    const nodes = [makeNode('Loop', ['trips', '', 'start'], ['y'], { body: { g: body } })];
    const whole = file(graph(nodes, [integer('trips', [1]), integer('start', ['n'])], [integer('y', ['m'])]));
    expect(await answer(whole, { trips: one(3), start: one(9) })).toEqual({
      y: { element: 'int64', shape: [4], data: BigInt64Array.of(9n, 0n, 1n, 2n) },
    });
  });
});

describe('recurrent layers over no steps', () => {
  const names = { RNN: 1, GRU: 3, LSTM: 4 } as const;
  test.each(Object.entries(names))('%s gives its initial states', async (operator, gates) => {
    const outputs = operator === 'LSTM' ? ['y', 'h', 'c'] : ['y', 'h'];
    const weights = (name: string, width: number) =>
      makeTensor(name, 'float32', [1, gates * 2, width], new Float32Array(gates * 2 * width).fill(0.5));
    const whole = file(
      graph(
        [makeNode(operator, ['x', 'w', 'r', '', '', 'start'], outputs, { hidden_size: { i: 2 } })],
        [float('x', ['steps', 1, 3]), float('start', [1, 1, 2])],
        outputs.map((name) => float(name, name === 'y' ? ['steps', 1, 1, 2] : [1, 1, 2])),
        { initializer: [weights('w', 3), weights('r', 2)] },
      ),
    );
    const found = await answer(whole, { x: float32([0, 1, 3]), start: float32([1, 1, 2], 1, 2) });
    expect(found.y).toEqual(float32([0, 1, 1, 2]));
    expect(found.h).toEqual(float32([1, 1, 2], 1, 2));
    if (operator === 'LSTM') expect(found.c).toEqual(float32([1, 1, 2], 0, 0));
  });
});

describe('Dropout in training mode', () => {
  const SIZE = 1000;
  const nodes = (attributes: Parameters<typeof makeNode>[3] = {}) => [
    constant('ratio', float32([], 0.25)),
    constant('training', bool(true)),
    makeNode('Dropout', ['x', 'ratio', 'training'], ['y', 'mask'], attributes),
  ];
  const outputs = [float('y', [SIZE]), tensorInput('mask', DataType.BOOL, [SIZE])];
  const x = float32([SIZE], ...Array.from({ length: SIZE }, (_, at) => at + 1));
  const run = async (attributes?: Parameters<typeof makeNode>[3]) => {
    const { y, mask } = await answer(file(graph(nodes(attributes), [float('x', [SIZE])], outputs)), { x });
    return [y, mask] as [Tensor, Tensor];
  };

  test('drops by its ratio, and scales the remaining elements', async () => {
    const [y, mask] = await run();
    const kept = mask.data as Uint8Array;
    expect(Array.from(y.data as Float32Array)).toEqual(
      Array.from(kept, (keeps, at) => (keeps ? Math.fround((at + 1) / 0.75) : 0)),
    );
    const count = kept.reduce((sum, keeps) => sum + keeps, 0);
    expect(Math.abs(count - 750)).toBeLessThan(110); // eight standard deviations
  });

  test('is reproducible with a seed, and random without', async () => {
    expect(await run({ seed: { i: 7 } })).toEqual(await run({ seed: { i: 7 } }));
    expect(await run({ seed: { i: 7 } })).not.toEqual(await run({ seed: { i: 8 } }));
    expect(await run()).not.toEqual(await run());
  });
});
