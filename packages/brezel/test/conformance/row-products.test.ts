import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { ort } from './against-onnxruntime.js';
import { type Case, elements, expectAsTensors, expectNearOnnxruntime, node } from './row-tensors.js';
import { seed } from './seed.js';

// Products of values of the row with each other and with constants. They run completely in the
// addon, with the bits of tensor programs and near the answers of onnxruntime.

const matMul = (a: readonly number[], b: readonly number[]): Case => ({
  nodes: [node('MatMul', 'a b', 'y')],
  inputs: { a, b },
});

const cases: Readonly<Record<string, Case>> = {
  'matrices of the row': matMul([2, 3], [3, 4]),
  'wide matrices': matMul([9, 17], [17, 70]),
  'many matrices of the row': matMul([2, 5, 18], [2, 18, 3]),
  'one matrix repeated': matMul([4, 2, 3], [1, 3, 2]),
  'matrices repeated on both sides': matMul([3, 1, 2, 3], [1, 4, 3, 2]),
  'a row of one entry': matMul([1, 1], [1, 1]),
  'a constant on the right of matrices': {
    nodes: [node('MatMul', 'a w', 'y')],
    inputs: { a: [5, 4] },
    constants: { w: [4, 10] },
  },
  'constants on the right of matrices': {
    nodes: [node('MatMul', 'a w', 'y')],
    inputs: { a: [2, 5, 4] },
    constants: { w: [2, 4, 3] },
  },
  'a constant column': { nodes: [node('MatMul', 'a w', 'y')], inputs: { a: [5, 4] }, constants: { w: [4] } },
  'a constant on the left of matrices': {
    nodes: [node('MatMul', 'w a', 'y')],
    inputs: { a: [4, 6] },
    constants: { w: [3, 4] },
  },
  'a constant row': { nodes: [node('MatMul', 'w a', 'y')], inputs: { a: [4, 6] }, constants: { w: [4] } },
  'a row times a constant, of one row after the other': {
    nodes: [node('MatMul', 'a w', 'u'), node('MatMul', 'u b', 'y')],
    inputs: { a: [2, 3], b: [4, 2] },
    constants: { w: [3, 4] },
  },
  'attention without its softmax': {
    nodes: [
      node('Transpose', 'a', 't', { perm: { ints: [0, 2, 1] } }),
      node('MatMul', 'a t', 'scores'),
      node('MatMul', 'scores a', 'y'),
    ],
    inputs: { a: [6, 16] },
  },
};

/**
 * The size of each letter. In operands of the row, `n` is the axis of the rows. Operands without
 * `n` are constants.
 */
const sizes: Readonly<Record<string, number>> = { b: 2, h: 3, i: 4, j: 5, k: 17, o: 1, w: 9 };

/**
 * Returns a graph that computes an equation. In operands of the row, the axis of the rows is first;
 * the graph transposes them to the order of the equation.
 */
function einsum(equation: string, repeated: readonly string[] = []): Case {
  const operands = equation.split('->')[0]!.replaceAll('...', 'h').split(',');
  const shapes = operands.map((labels, at): [string, number[]] => [
    `x${at}`,
    [...labels.replace('n', '')].map((label) => (repeated.includes(`${label}${at}`) ? 1 : sizes[label]!)),
  ]);
  const inputs = Object.fromEntries(shapes.filter((_, at) => operands[at]!.includes('n')));
  const constants = Object.fromEntries(shapes.filter((_, at) => !operands[at]!.includes('n')));
  const moves = operands.flatMap((labels, at) => {
    const place = labels.indexOf('n');
    const perm = [...labels].map((_, axis) => (axis === place ? 0 : axis < place ? axis + 1 : axis));
    return place > 0 ? [node('Transpose', `x${at}`, `t${at}`, { perm: { ints: perm } })] : [];
  });
  const names = operands.map((labels, at) => (labels.indexOf('n') > 0 ? `t${at}` : `x${at}`));
  return { nodes: [...moves, node('Einsum', names.join(' '), 'y', { equation: { s: equation } })], inputs, constants };
}

const equations: Readonly<Record<string, Case>> = Object.fromEntries(
  [
    'nij->nji',
    'nii->ni',
    'nij->ni',
    'nij->n',
    'nijk->nkj',
    'nik,nkj->nij',
    'nik,njk->nij',
    'nhik,nhjk->nhij',
    'nihk,njhk->nhij',
    'ni,nj->nji',
    'ni,ni->ni',
    'ni,ni->n',
    'nk,kw->nw',
    'nbik,kjh->nbhij',
    'nki,nkj,nij->nk',
    'nk,kj,ji->ni',
    'ni,ij,nj->n',
    'nik,nbj->nj',
    'nki,bj->nik',
    'niik,k->ni',
    'nijk,nkjw->niw',
    'n...k,nkj->n...j',
    'nw,wo',
    'inj,jkn->nik',
  ]
    .map((equation) => [equation, einsum(equation)] as const)
    .concat([
      ['nij,nij->nij, repeated', einsum('nij,nij->nij', ['i0', 'j1'])],
      ['constants times rows as columns', { ...einsum('wk,nk->nw'), hasLanesOfRows: true }],
      ['nik,nkj->nij, repeated', einsum('nik,nkj->nij', ['k1'])],
    ]),
);

const uses = Object.entries({ ...cases, ...equations }).flatMap(([name, one]) =>
  elements.map((element) => [name, element, one] as const),
);

describe('products by rows', () => {
  test.each(uses)('%s of %s runs in the addon, with the bits of tensor programs', async (_name, element, one) => {
    expect(await expectAsTensors(one, element)).toEqual([]);
  });

  test.skipIf(ort === undefined).each(uses)('%s of %s agrees with onnxruntime', (_name, element, one) =>
    expectNearOnnxruntime(one, element),
  );
});

/**
 * Draws up to three operands with some letters in any order, some of them twice. The rows are the
 * first axis of the result.
 */
const anyEquation = fc
  .tuple(
    fc.array(fc.tuple(fc.array(fc.constantFrom(...'bhijko'), { maxLength: 3 }), fc.option(fc.nat(3))), {
      minLength: 1,
      maxLength: 3,
    }),
    fc.shuffledSubarray([...'bhijko']),
    fc.array(fc.boolean(), { minLength: 9, maxLength: 9 }),
  )
  .map(([operands, result, flags]) => {
    const terms = operands.map(([labels, at], index) => {
      const place = at ?? (index === operands.length - 1 && operands.every(([, one]) => one === null) ? 0 : null);
      return place === null ? labels.join('') : labels.toSpliced(place, 0, 'n').join('');
    });
    const used = result.filter((label) => terms.some((term) => term.includes(label)));
    const repeated = terms.flatMap((term, at) =>
      [...new Set(term)].filter((_, label) => flags[3 * at + label] && flags[8 - at]).map((label) => `${label}${at}`),
    );
    return { equation: `${terms.join(',')}->n${used.join('')}`, repeated };
  });

test('random equations have the bits of tensor programs', async () => {
  await fc.assert(
    fc.asyncProperty(anyEquation, fc.constantFrom(...elements), async ({ equation, repeated }, element) => {
      await expectAsTensors({ ...einsum(equation, repeated), hasLanesOfRows: true }, element);
    }),
    { numRuns: Number(process.env.BREZEL_EQUATION_RUNS ?? 40), seed },
  );
});
