import type { InputPort } from '@brezel/core';
import { describe, expect, test } from 'vitest';
import { ColumnRows } from './column-rows.js';
import { admit } from './row-schema.js';

/** Returns inputs that count how often their names are read. */
function countedInputs(length: number) {
  const reads = { count: 0 };
  const inputs = Array.from(
    { length },
    (_, index): InputPort => ({
      get name() {
        reads.count++;
        return `input${index}`;
      },
      type: { kind: 'scalar', dtype: 'float64' },
    }),
  );
  return { inputs, reads };
}

const MANY = 2000;
/** The fields in reverse order, so that a search from the first input takes longest. */
const fieldsOf = <T>(value: T) =>
  Object.fromEntries(Array.from({ length: MANY }, (_, index) => [`input${MANY - 1 - index}`, value]));

describe('a plan with 2000 inputs', () => {
  test('reads each name a few times for a row', () => {
    const { inputs, reads } = countedInputs(MANY);
    expect(admit({ inputs }, [fieldsOf(1)])).toHaveLength(MANY);
    expect(reads.count).toBeLessThan(10 * MANY);
  });

  test('reads each name a few times for columns', () => {
    const { inputs, reads } = countedInputs(MANY);
    expect(new ColumnRows({ inputs }, fieldsOf(Float64Array.of(1, 2)))).toHaveLength(2);
    expect(reads.count).toBeLessThan(10 * MANY);
  });

  test.each([8, 9, MANY])('a plan with %d inputs rejects other fields', (length) => {
    const { inputs } = countedInputs(length);
    const row = Object.fromEntries(inputs.map(({ name }) => [name, 1]));
    expect(admit({ inputs }, [row])).toHaveLength(length);
    for (const name of ['other', '__proto__x', 'constructor'])
      expect(() => admit({ inputs }, [{ ...row, [name]: 1 }])).toThrow(`an extra field "${name}"`);
  });
});
