import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { createFlour, importOnnx } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { difference, Engines } from './engines.js';

// Bit operators on integers of every width in ONNX files. They run in the addon, although rows have
// no types for most widths, and give the bits of the ONNX definition.

const types = {
  uint8: [DataType.UINT8, 8, false],
  uint16: [DataType.UINT16, 16, false],
  uint32: [DataType.UINT32, 32, false],
  uint64: [DataType.UINT64, 64, false],
  int8: [DataType.INT8, 8, true],
  int16: [DataType.INT16, 16, true],
  int32: [DataType.INT32, 32, true],
  int64: [DataType.INT64, 64, true],
} as const;
type Name = keyof typeof types;

const functions: Readonly<Record<string, (a: bigint, b: bigint) => bigint>> = {
  BitwiseAnd: (a, b) => a & b,
  BitwiseOr: (a, b) => a | b,
  BitwiseXor: (a, b) => a ^ b,
  BitwiseNot: (a) => ~a,
  LEFT: (a, b) => a << b,
  RIGHT: (a, b) => a >> b,
};

const flour = await createFlour();
const engines = new Engines(flour.store);
afterAll(() => flour.dispose());

function fileOf(element: number, names: readonly string[]): Uint8Array {
  const nodes = names.map((name) => {
    if (name === 'LEFT' || name === 'RIGHT')
      return makeNode('BitShift', ['x', 'z'], [name], { direction: { s: name } });
    return makeNode(name, name === 'BitwiseNot' ? ['x'] : ['x', 'z'], [name]);
  });
  const graph = makeGraph({
    node: nodes,
    initializer: [],
    input: ['x', 'z'].map((name) => tensorInput(name, element, ['N', 3])),
    output: names.map((name) => tensorInput(name, element, ['N', 3])),
  });
  return writeModel(makeModel(graph, { '': 18 }));
}

describe.each(Object.keys(types) as Name[])('%s', (name) => {
  const [element, bits, isSigned] = types[name];
  const names = Object.keys(functions).filter((one) => !isSigned || one.startsWith('Bitwise'));
  const most = Math.min(2 ** (isSigned ? bits - 1 : bits) - 1, Number.MAX_SAFE_INTEGER);
  const rows = [
    { x: [most, 5, 1], z: [1, 3, bits - 1] },
    { x: [100, isSigned ? -7 : 7, 0], z: [bits, 2, bits + 1] },
  ];

  test('runs in the addon, as the bits say', async () => {
    const plan = importOnnx(fileOf(element, names), flour).program.plan();
    const inJavaScript = plan.stages
      .filter(({ stage }) => stage.calls === undefined)
      .flatMap(({ stage }) => stage.steps);
    expect(inJavaScript.map(({ operator, attributes }) => `${operator} ${attributes.operator ?? ''}`)).toEqual([]);
    const { answers } = await engines.answers(plan, rows);
    const reference = answers.get('reference')!;
    for (const [engine, got] of answers) expect(difference(got, reference), engine).toBeUndefined();
    // Brezel returns a uint64 of a row as the int64 with the same bits.
    const wrap = (value: bigint) => (isSigned ? BigInt.asIntN(bits, value) : BigInt.asUintN(bits, value));
    rows.forEach(({ x, z }, row) => {
      for (const one of names) {
        const got = (reference[row] as Record<string, readonly number[]>)[one]!.map((value) => wrap(BigInt(value)));
        expect(got, one).toEqual(x.map((value, at) => wrap(functions[one]!(BigInt(value), BigInt(z[at]!)))));
      }
    });
    plan.release();
  });
});

test.each((Object.keys(types) as Name[]).filter((name) => types[name][2]))('%s is not shifted', (name) => {
  expect(() => importOnnx(fileOf(types[name][0], ['LEFT']), flour)).toThrow(
    expect.objectContaining({ code: 'ERR_ONNX_UNSUPPORTED' }),
  );
});
