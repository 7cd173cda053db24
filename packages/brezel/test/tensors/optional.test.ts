import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeNode, optionalOf, sequenceOf, writeElements, writeTensorProto } from '@brezel/onnx';
import { createFlour, createRuntime, importModel, importTensors, replayTestData, type Tensor } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../cli/test/brezel.js';
import { answer, bool, constant, file, flag, float, float32, graph, int64, integer } from './models.js';

const floats = sequenceOf(float('x', ['n']));
const pair = { element: 'sequence', tensors: [float32([2], 1, 2), float32([1], 3)] } as const;

describe('values of an optional type', () => {
  const echo = file(
    graph([makeNode('Identity', ['x'], ['y'])], [optionalOf(floats)], [optionalOf({ ...floats, name: 'y' })]),
  );

  test('can be inputs and outputs, and can be absent', async () => {
    expect(importTensors(echo).program.inputs).toEqual([
      { name: 'x', kind: 'sequence', element: 'float32', shape: ['n'], nullable: true, optional: true },
    ]);
    expect(await answer(echo, { x: pair })).toEqual({ y: pair });
    expect(await answer(echo)).toEqual({});
    await expect(answer(echo, { x: float32([1], 1) })).rejects.toThrow(/expected optional sequence of float32\[n\]/);
  });

  const has = (branch: string) =>
    graph([makeNode('Optional', branch === '' ? [] : [branch], ['o'])], [], [optionalOf(float('o', [2]))]);

  test('can be the result of a branch', async () => {
    const branches = { then_branch: { g: has('x') }, else_branch: { g: has('') } };
    const nodes = [makeNode('If', ['c'], ['y'], branches), makeNode('OptionalHasElement', ['y'], ['is'])];
    const model = file(graph(nodes, [flag('c'), float('x', [2])], [optionalOf(float('y', [2])), flag('is')]), 18);
    const x = float32([2], 1, 2);
    expect(await answer(model, { c: bool(true), x })).toEqual({ y: x, is: bool(true) });
    expect(await answer(model, { c: bool(false), x })).toEqual({ is: bool(false) });
    const certain = file(graph(nodes, [flag('c'), float('x', [2])], [float('y', [2])]), 18);
    await expect(answer(certain, { c: bool(false), x })).rejects.toThrow(
      /expected a value at output "y", received none/,
    );
  });

  test('can be absent in the state of a loop', async () => {
    const first = graph([makeNode('Identity', ['i'], ['o'])], [], [integer('o', [])]);
    const again = graph([makeNode('OptionalGetElement', ['v'], ['o'])], [], [integer('o', [])]);
    const body = graph(
      [
        makeNode('OptionalHasElement', ['v'], ['is']),
        makeNode('If', ['is'], ['next'], { then_branch: { g: again }, else_branch: { g: first } }),
      ],
      [integer('i', []), flag('c'), optionalOf(integer('v', []))],
      [flag('c'), optionalOf(integer('next', []))],
    );
    const model = file(
      graph(
        [constant('trips', int64([], 3)), makeNode('Loop', ['trips', '', 'x'], ['y'], { body: { g: body } })],
        [optionalOf(integer('x', []))],
        [optionalOf(integer('y', []))],
      ),
      18,
    );
    expect(await answer(model)).toEqual({ y: int64([], 0) });
    expect(await answer(model, { x: int64([], 7) })).toEqual({ y: int64([], 7) });
  });

  test('report whether they are present, and an absent value has no element', async () => {
    const type = optionalOf(float('', [2])).type!;
    const nodes = [
      makeNode('Optional', [], ['o'], { type: { tp: type } }),
      makeNode('OptionalGetElement', ['o'], ['y']),
    ];
    await expect(answer(file(graph(nodes, [], [float('y', [2])])))).rejects.toThrow(/a value that is absent/);
  });

  test('Identity accepts an absent value from version 16 on', async () => {
    const old = file(
      graph([makeNode('Identity', ['x'], ['y'])], [optionalOf(float('x', [1]))], [optionalOf(float('y', [1]))]),
      15,
    );
    await expect(answer(old)).rejects.toThrow(/no input 0/);
  });
});

describe('SequenceMap', () => {
  const body = graph(
    [makeNode('Add', ['a', 'b'], ['sum'])],
    [float('a', ['n']), float('b', ['n'])],
    [float('sum', ['n'])],
  );
  const map = (g = body) => makeNode('SequenceMap', ['x', 'other'], ['y'], { body: { g } });
  const model = (second: ReturnType<typeof float>, g = body) =>
    file(graph([map(g)], [floats, { ...second, name: 'other' }], [sequenceOf(float('y', ['n']))]));

  test('passes elements of sequences at one index, and tensors unchanged', async () => {
    expect(await answer(model(floats), { x: pair, other: pair })).toEqual({
      y: { element: 'sequence', tensors: [float32([2], 2, 4), float32([1], 6)] },
    });
    expect(await answer(model(float('other', [1])), { x: pair, other: float32([1], 10) })).toEqual({
      y: { element: 'sequence', tensors: [float32([2], 11, 12), float32([1], 13)] },
    });
  });

  test('of an empty sequence is an empty sequence', async () => {
    const none = { element: 'sequence', tensors: [] } as const;
    expect(await answer(model(floats), { x: none, other: none })).toEqual({ y: none });
  });

  test('rejects wrong arguments', async () => {
    const shorter = { element: 'sequence', tensors: [float32([2], 1, 2)] } as const;
    await expect(answer(model(floats), { x: pair, other: shorter })).rejects.toThrow(/sequences of 2 and 1 tensors/);
    const narrow = graph([], [float('a', ['n'])], [float('a', ['n'])]);
    await expect(answer(model(floats, narrow), { x: pair, other: pair })).rejects.toThrow(/a body of 1 inputs/);
    const first = file(
      graph(
        [makeNode('SequenceMap', ['x'], ['y'], { body: { g: narrow } })],
        [float('x', [1])],
        [sequenceOf(float('y', ['n']))],
      ),
    );
    await expect(answer(first, { x: float32([1], 1) })).rejects.toThrow(/a first input that is float32\[1\]/);
    await expect(answer(model(floats), { x: pair, other: pair }, { maxSteps: 3 })).rejects.toThrow(/maxSteps/);
  });
});

describe('test data of an optional type', () => {
  const folder = temporaryFolder();
  afterAll(folder.remove);

  /**
   * Encodes an OptionalProto: the kind of the value, and the value. The field 3 has a tensor, the
   * field 5 a sequence.
   */
  const written = (field: number, value: Uint8Array) =>
    Buffer.from([0x10, field === 3 ? 1 : 3, (field << 3) | 2, value.length, ...value]);
  const proto = (tensor: Tensor) => writeTensorProto(writeElements('', tensor));

  test('is replayed, also for absent values', async () => {
    const tensor = [optionalOf(float('x', ['n'])), optionalOf(float('y', ['n']))] as const;
    const bytes = file(graph([makeNode('Identity', ['x'], ['y'])], [tensor[0]], [tensor[1]]));
    const sets = [written(3, proto(float32([1], 4))), Buffer.from([0x10, 0])];
    sets.forEach((value, number) => {
      const set = join(folder.path('data'), `test_data_set_${number}`);
      mkdirSync(set, { recursive: true });
      for (const name of ['input_0.pb', 'output_0.pb']) writeFileSync(join(set, name), value);
    });
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const replay = () => replayTestData(importModel(bytes, flour), runtime, folder.path('data'));
    expect((await replay()).map(({ agrees }) => agrees)).toEqual([true, true]);
    writeFileSync(join(folder.path('data'), 'test_data_set_1', 'output_0.pb'), sets[0]!);
    expect((await replay())[1]).toMatchObject({ agrees: false, difference: 'nothing instead of one' });
    writeFileSync(join(folder.path('data'), 'test_data_set_0', 'output_0.pb'), sets[1]!);
    expect((await replay())[0]).toMatchObject({ agrees: false, difference: 'a value instead of nothing' });
  });

  test('can contain a sequence', async () => {
    const bytes = file(
      graph([makeNode('Identity', ['x'], ['y'])], [optionalOf(floats)], [optionalOf({ ...floats, name: 'y' })]),
    );
    const one = proto(float32([1], 4));
    const sequence = Buffer.from([0x10, 1, 0x1a, one.length, ...one]);
    const set = join(folder.path('sequence'), 'test_data_set_0');
    mkdirSync(set, { recursive: true });
    for (const name of ['input_0.pb', 'output_0.pb']) writeFileSync(join(set, name), written(5, sequence));
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const [replayed] = await replayTestData(importModel(bytes, flour), runtime, folder.path('sequence'));
    expect(replayed).toMatchObject({ agrees: true, output: 'y' });
  });
});
