import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { seed } from '../../packages/brezel/test/conformance/seed.js';
import { addon } from './harness.js';

// Tests the boundary of kernels for tensor programs. Invalid arguments must cause an error before
// anything is written, whatever the numbers are.

const numberOf = (name: string) => addon.tensorKernels().indexOf(name);
const run = (name: string, tensors: readonly (NodeJS.TypedArray | undefined)[], numbers: readonly number[]) =>
  addon.tensorRun('baseline', numberOf(name), tensors, Float64Array.from(numbers));
const zeros = (count: number) => new Float32Array(count);

/** A valid call of each kernel. */
const fitting: Readonly<Record<string, () => readonly [(NodeJS.TypedArray | undefined)[], number[]]>> = {
  batch_norm: () => [
    [zeros(6), zeros(6), zeros(3), zeros(3), zeros(3), zeros(3)],
    [1, 3, 2, 1e-5],
  ],
  conv: () => [
    [zeros(8), zeros(9), zeros(8), zeros(2)],
    [1, 1, 1, 2, 2, 3, 2, 2, 1, 1, 0, 3, 2, 2, 1, 1, 0],
  ],
  layer_norm: () => [
    [zeros(6), zeros(6), zeros(3), zeros(3), new Float64Array(2), new Float64Array(2)],
    [2, 3, 1e-5, 0],
  ],
  map: () => [
    [zeros(5), zeros(5)],
    [0, 0, 0],
  ],
  mat_mul: () => [
    [zeros(6), zeros(8), zeros(12), new Int32Array(1), new Int32Array(1)],
    [1, 2, 4, 3, 0],
  ],
  pair: () => [
    [zeros(6), zeros(6), zeros(3)],
    [0, 2, 2, 3, 3, 1, 0, 1],
  ],
  pool: () => [
    [zeros(4), zeros(9), new BigInt64Array(4)],
    [0, 1, 2, 3, 2, 2, 1, 1, 0, 3, 2, 2, 1, 1, 0, -1, -1],
  ],
  softmax: () => [
    [zeros(12), zeros(12)],
    [0, 2, 3, 2],
  ],
  strided: () => [
    [zeros(6), zeros(6)],
    [2, 3, 2, 1, 3],
  ],
  tree_shap: () => [
    [
      ...[new Float64Array(3), Float64Array.of(1, 2, 3)],
      Int32Array.of(1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 1), // two edges of one split
      new Float64Array(2 * 6).fill(0.5),
      Float64Array.of(1, -1),
      Int32Array.of(0, 1, 0, -1, -2),
      Float64Array.of(2.5),
      Int32Array.of(0, 2, 1, 0),
    ],
    [3, 1, 2, 1, 1, 1],
  ],
};

const refusal = { code: 'ERR_NATIVE_ARGUMENT' };

describe('tensorRun', () => {
  test('accepts valid calls of every kernel', () => {
    expect(Object.keys(fitting)).toEqual(addon.tensorKernels());
    for (const [name, call] of Object.entries(fitting)) expect(() => run(name, ...call())).not.toThrow();
  });

  test('rejects unknown kernels and instruction sets, and values that are not tensors', () => {
    const [tensors, numbers] = fitting.map!();
    const given = Float64Array.from(numbers);
    for (const kernel of [-1, 99, 0.5, Number.NaN])
      expect(() => addon.tensorRun('baseline', kernel, tensors, given)).toThrow(expect.objectContaining(refusal));
    expect(() => addon.tensorRun('none' as never, 0, tensors, given)).toThrow(expect.objectContaining(refusal));
    for (const wrong of [
      [],
      [undefined],
      [null, zeros(5)],
      [zeros(5), new Uint8Array(5)],
      new Array(9).fill(zeros(5)),
      {},
    ])
      expect(() => run('map', wrong as never, numbers)).toThrow(expect.objectContaining(refusal));
    expect(() => addon.tensorRun('baseline', numberOf('map'), tensors, numbers as never)).toThrow(
      expect.objectContaining(refusal),
    );
    expect(() => run('map', tensors, new Array(257).fill(0))).toThrow(expect.objectContaining(refusal));
  });

  test('rejects detached and short tensors', () => {
    for (const [name, call] of Object.entries(fitting)) {
      const [tensors, numbers] = call();
      for (const which of tensors.keys()) {
        const shorter = tensors.map((tensor, at) => (at === which ? tensor!.slice(1) : tensor));
        expect(() => run(name, shorter as NodeJS.TypedArray[], numbers), `${name} ${which}`).toThrow(
          expect.objectContaining(refusal),
        );
      }
      structuredClone(tensors[1], { transfer: [tensors[1]!.buffer as ArrayBuffer] });
      expect(() => run(name, tensors, numbers), name).toThrow(expect.objectContaining(refusal));
    }
  });

  test('numbers of any size run or are rejected, and never write outside the result', () => {
    const odd = fc.oneof(
      fc.constantFrom(
        0,
        1,
        2,
        3,
        -1,
        0.5,
        2 ** 31,
        2 ** 31 + 1,
        2 ** 32,
        2 ** 53,
        Number.NaN,
        Number.POSITIVE_INFINITY,
      ),
      fc.integer({ min: -2, max: 9 }),
    );
    const change = fc.record({
      name: fc.constantFrom(...Object.keys(fitting)),
      changes: fc.array(fc.tuple(fc.nat(20), odd), { minLength: 1, maxLength: 3 }),
    });
    let ran = 0;
    const property = fc.property(change, ({ name, changes }) => {
      const [tensors, numbers] = fitting[name]!();
      for (const [at, value] of changes) numbers[at % numbers.length] = value;
      const room = zeros(64).fill(7);
      const out = room.subarray(16, 16 + tensors[0]!.length);
      try {
        run(name, [out, ...tensors.slice(1)], numbers);
        ran++;
      } catch (error) {
        expect(error).toMatchObject(refusal);
      }
      expect([...room.subarray(0, 16), ...room.subarray(16 + out.length)].every((value) => value === 7)).toBe(true);
    });
    fc.assert(property, { seed, numRuns: 2000 });
    expect(ran).toBeGreaterThan(100);
  });

  test('trees with indices out of range are rejected', () => {
    const [tensors, numbers] = fitting.tree_shap!();
    const refuses = (tensor: number, at: number, value: number) => {
      const changed = tensors.map((one) => one!.slice()) as Int32Array[];
      changed[tensor]![at] = value;
      expect(() => run('tree_shap', changed, numbers), `${tensor}[${at}] = ${value}`).toThrow(
        expect.objectContaining(refusal),
      );
    };
    const edges = [
      [0, 0, 2],
      [1, -1, 1],
      [2, -1, 1],
      [3, -1, 1],
    ] as const;
    for (const [at, ...values] of edges) for (const value of values) refuses(2, at, value);
    for (const [at, value] of [
      [0, 1],
      [1, 6],
      [3, 0],
      [4, 1],
    ] as const)
      refuses(5, at, value);
    for (const [at, value] of [
      [0, 2],
      [1, 0],
      [1, 3],
      [2, 0],
      [2, 2],
      [3, -1],
      [3, 1],
    ] as const)
      refuses(7, at, value);
  });

  test('missing matrices are rejected', () => {
    const [tensors, numbers] = fitting.mat_mul!();
    for (const matrix of [-1, 1, 2 ** 31 - 1]) {
      const wrong = [...tensors.slice(0, 3), Int32Array.of(matrix), tensors[4]];
      expect(() => run('mat_mul', wrong, numbers)).toThrow(expect.objectContaining(refusal));
    }
  });

  test('scratch of large products is freed', () => {
    const [rows, inner] = [1, 2 ** 20 + 1];
    const tensors = [zeros(rows * 16), zeros(rows * inner), zeros(inner * 16), new Int32Array(1), new Int32Array(1)];
    // Other tests of this process may hold scratch for their kernels.
    const before = addon.contextStats().scratchBytes;
    run('mat_mul', tensors, [1, rows, inner, 16, 1]);
    expect(addon.contextStats().scratchBytes).toBeLessThan(Math.max(before + 1, 2 ** 26));
  });
});
