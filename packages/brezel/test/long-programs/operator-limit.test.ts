import { profileProgram } from '@brezel/flour';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { bake, createFlour, explain, type FlourContext, type Flow, importOnnx } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Compiling blocks the thread for a time in proportion to the number of operators. Oven rejects a
// program with more operators than `maxOperators` before any rule runs.

let flour: FlourContext;
beforeAll(async () => {
  flour = await createFlour();
});
afterAll(() => flour.dispose());

/** A chain of operators. */
function chain(length: number, context = flour) {
  let value = context.input('x', { kind: 'vector', dtype: 'float32', size: 2 }) as Flow<'vector'>;
  for (let at = 0; at < length; at++) value = value.map(at % 2 === 0 ? 'sin' : 'cos');
  return context.program({ y: value }, { name: 'long' });
}

/** An ONNX file of a chain of `length` nodes. */
function file(length: number): Uint8Array {
  const node = Array.from({ length }, (_, at) => makeNode(at % 2 === 0 ? 'Sin' : 'Cos', [`v${at}`], [`v${at + 1}`]));
  const [input, output] = ['v0', `v${length}`].map((name) => [tensorInput(name, DataType.FLOAT, ['N', 2])]);
  return writeModel(makeModel(makeGraph({ name: 'long', node, input: input!, output: output! }), { '': 17 }));
}

describe('a program with too many operators', () => {
  test.each<[string, (program: ReturnType<typeof chain>) => unknown]>([
    ['plan()', (program) => program.plan()],
    ['bake', (program) => bake(program)],
    ['explain', (program) => explain(program)],
  ])('is rejected by %s, with the option to pass', (_, compile) => {
    expect(() => compile(chain(5001))).toThrow(
      expect.objectContaining({
        code: 'ERR_OVEN_LIMIT',
        details: expect.objectContaining({
          expected: 'at most 5000 operators (maxOperators)',
          received: '5001',
          at: 'program long',
        }),
        hint: expect.stringContaining('createFlour({ maxOperators: 10002 })'),
      }),
    );
  });

  test('compiles with a greater limit, which counts operators and no inputs', async () => {
    expect(() => bake(chain(3), { maxOperators: 2 })).toThrow(/at most 2 operators/);
    bake(chain(3), { maxOperators: 3 }).release();
    bake(chain(3), { maxOperators: Number.POSITIVE_INFINITY }).release();
    using small = await createFlour({ maxOperators: 2 });
    expect(() => chain(3, small).plan()).toThrow(/at most 2 operators/);
    chain(2, small).plan().release();
  });

  test.each([-1, 1.5, Number.NaN, '5', null, {}])('%j is not a limit', (maxOperators) => {
    expect(() => bake(chain(1), { maxOperators: maxOperators as never })).toThrow(
      expect.objectContaining({ code: 'ERR_OVEN_LIMIT', details: expect.objectContaining({ at: 'maxOperators' }) }),
    );
  });
});

describe('an ONNX file with too many nodes', () => {
  test('is rejected at import', () => {
    expect(() => importOnnx(file(5200), flour)).toThrow(
      expect.objectContaining({ code: 'ERR_ONNX_LIMIT', hint: expect.stringContaining('limits: { nodes: ') }),
    );
  });

  test('compiles if the caller of the importer allows more nodes', () => {
    const { program } = importOnnx(file(5200), flour, { limits: { nodes: 5200 } });
    program.plan().release();
    const profiled = profileProgram(program, []);
    expect(profiled.maxOperators).toBe(program.maxOperators);
    expect(() => bake(program, { maxOperators: 5000 })).toThrow(/at most 5000 operators/);
  });

  test('may have more nodes if its weights are large', () => {
    const [small, large] = [importOnnx(file(1), flour), importOnnx(padded(file(1), 2 ** 20), flour)];
    expect(large.program.maxOperators! - small.program.maxOperators!).toBe(512);
  });
});

/** Returns the file with a description of `bytes` bytes, which the importer ignores. */
function padded(model: Uint8Array, bytes: number): Uint8Array {
  const length = [0x80 | (bytes & 0x7f), 0x80 | ((bytes >> 7) & 0x7f), bytes >> 14];
  const tag = 0x32; // ModelProto.doc_string
  return Buffer.concat([model, Uint8Array.of(tag, ...length), Buffer.alloc(bytes, 0x61)]);
}
