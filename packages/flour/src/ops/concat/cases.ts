import type { FlourContext, Flow } from '@brezel/flour';
import fc from 'fast-check';
import {
  anyFloat,
  denseCase,
  listOf,
  type OperatorCase,
  type OperatorCases,
  sparseInput,
  sparseText,
} from '../../case.js';

interface Part {
  readonly kind: 'dense' | 'sparse';
  readonly values: readonly number[];
}

/**
 * Builds a case that concatenates parts. Each part is a separate input: a vector if the part is
 * dense, and a text if it is sparse. In row `r`, a dense part has its values rotated by `r`. A
 * sparse part has `r` nonzero columns, starting with column `r`.
 */
function mixed(name: string, parts: readonly Part[], rows: number): OperatorCase {
  const flow = (flour: FlourContext, part: Part, at: number) =>
    part.kind === 'sparse'
      ? sparseInput(flour, part.values, `p${at}`)
      : (flour.input(`p${at}`, { kind: 'vector', dtype: 'float32', size: part.values.length }) as Flow<'vector'>);
  const value = (part: Part, row: number) => {
    const columns = part.values.map((_, column) => (column + row) % part.values.length);
    return part.kind === 'sparse' ? sparseText(columns.slice(0, row)) : columns.map((column) => part.values[column]!);
  };
  return {
    name,
    build(flour) {
      const [first, ...others] = parts.map((part, at) => flow(flour, part, at));
      return { y: first!.concat(...others) };
    },
    rows: Array.from({ length: rows }, (_, row) =>
      Object.fromEntries(parts.map((part, at) => [`p${at}`, value(part, row)])),
    ),
  };
}

const part = fc
  .integer({ min: 1, max: 18 })
  .chain((size) =>
    fc.record({ kind: fc.constantFrom<Part['kind']>('dense', 'sparse'), values: listOf(anyFloat, size) }),
  );

export const cases: OperatorCases = {
  operators: ['concat'],
  named: [
    denseCase('a vector with itself', [[1, -0]], (x) => x.concat(x, x), [[1, -0, 1, -0, 1, -0]], { engine: 'native' }),
    denseCase('one vector', [[1, Number.NaN]], (x) => x.concat(), [[1, Number.NaN]]),
    {
      ...mixed(
        'dense after sparse',
        [
          { kind: 'sparse', values: [5, -0] },
          { kind: 'dense', values: [7, -0] },
        ],
        3,
      ),
      expected: [{ y: [0, 0, 7, -0] }, { y: [0, -0, -0, 7] }, { y: [5, -0, 7, -0] }],
      engine: 'native',
    },
    {
      ...mixed(
        'sparse after sparse, an empty row first',
        [
          { kind: 'sparse', values: [1, 2] },
          { kind: 'sparse', values: [3] },
        ],
        2,
      ),
      expected: [{ y: [0, 0, 0] }, { y: [0, 2, 3] }],
    },
  ],
  random: fc
    .tuple(fc.array(part, { minLength: 1, maxLength: 4 }), fc.integer({ min: 1, max: 5 }))
    .map(([parts, rows]) => mixed(`concat of ${parts.map(({ kind, values }) => `${kind}[${values}]`)}`, parts, rows)),
};
