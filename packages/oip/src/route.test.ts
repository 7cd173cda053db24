import type { InputColumn, Row } from 'brezel';
import { describe, expect, test } from 'vitest';
import type { InputTensor } from './request.js';
import { answerTensors, type ReadyRoute } from './route.js';

/** A route that answers the sum of two numbers, and records its calls. */
function summing(hasShadow: boolean, dtype: 'float32' | 'int64' = 'float32') {
  const calls: string[] = [];
  const sum = ({ x }: Record<string, ArrayLike<number | bigint>>) => Number(x![0]) + Number(x![1]);
  const route = {
    hasShadow,
    async predict(row: Row) {
      calls.push('predict');
      return { y: sum(row as never) };
    },
    async predictBatch(rows: readonly Row[]) {
      calls.push('predictBatch');
      return rows.map((row) => ({ y: sum(row as never) }));
    },
    async predictColumns({ x }: { x: InputColumn & ArrayLike<number> }) {
      calls.push('predictColumns');
      return { y: Float32Array.from({ length: x.length / 2 }, (_, row) => x[2 * row]! + x[2 * row + 1]!) };
    },
  };
  const description = {
    inputs: [{ name: 'x', type: { kind: 'vector', dtype, size: 2 } }],
    outputs: [{ name: 'y', type: { kind: 'scalar', dtype: 'float32' } }],
  };
  return { calls, ready: { route, description, options: {} } as unknown as ReadyRoute };
}

const tensor = (elements: InputTensor['elements'], rows = elements.length / 2): InputTensor => ({
  name: 'x',
  shape: [rows, 2],
  elements,
});

describe('the tensors of a request', () => {
  test.each([
    ['bytes of two rows', tensor(Float32Array.of(1, 2, 3, 4)), true, false, 'predictColumns'],
    ['bytes, while a shadow needs the rows', tensor(Float32Array.of(1, 2, 3, 4)), true, true, 'predictBatch'],
    ['bytes for a response in JSON', tensor(Float32Array.of(1, 2, 3, 4)), false, false, 'predictBatch'],
    ['bytes of another datatype', tensor(Int32Array.of(1, 2, 3, 4)), true, false, 'predictBatch'],
    ['JSON', tensor([1, 2, 3, 4]), true, false, 'predictBatch'],
    ['bytes of one row', tensor(Float32Array.of(1, 2)), true, false, 'predict'],
  ])('%s', async (_, input, isBinary, hasShadow, verb) => {
    const { calls, ready } = summing(hasShadow);
    const [output, ...others] = await answerTensors(ready, { inputs: [input], outputs: undefined }, 10, isBinary);
    expect([calls, others]).toEqual([[verb], []]);
    const rows = input.elements.length / 2;
    expect(output).toMatchObject({ name: 'y', datatype: 'FP32', shape: [rows] });
    expect(Array.from(output!.elements)).toEqual([3, 7].slice(0, rows));
  });

  test('of a wrong shape or too many rows are rejected, also in columns', async () => {
    const { calls, ready } = summing(false);
    const answers = (input: InputTensor) => answerTensors(ready, { inputs: [input], outputs: undefined }, 10, true);
    await expect(answers({ ...tensor(Float32Array.of(1, 2, 3, 4)), shape: [4, 1] })).rejects.toThrow();
    await expect(answers(tensor(new Float32Array(22)))).rejects.toMatchObject({ kind: 'ROWS' });
    expect(calls).toEqual([]);
  });
});
