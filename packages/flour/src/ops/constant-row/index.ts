import { type ParameterValue, tensor } from '@brezel/core';
import { ofUsableSize, onlyInput } from '../../checks.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { reference } from './reference.js';

/** The same elements for every row. The input tells how many rows there are. */
export const constantRow = defineOp({
  name: 'constant-row',
  version: 1,
  doc: {
    does: 'The same elements for every row; the input tells how many rows there are.',
    types: 'anything but tokens and dictionaries → the row with its axes',
    parameters: { row: 'any type and axes, the row' },
    kernels: ['constant_row'],
  },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'none' },
  infer(use) {
    onlyInput('constant-row', use, 'scalar', 'vector', 'tensor', 'sparse');
    const { row } = use.parameters;
    if (row === undefined) throw flourError('ERR_FLOUR_PARAM', { expected: 'a row', at: 'constant-row' });
    return ofUsableSize('constant-row', tensor(row.dtype, row.shape));
  },
  reference,
  // Texts stay in JavaScript: a kernel would have to copy them into every row.
  kernel: ({ parameters }) =>
    parameters.row!.dtype === 'string' ? undefined : { kernel: 'constant_row', parameters: ['row'] },
});

/** A value that is the same for every row: `row` with its shape, for as many rows as the flow has. */
export const repeatRow = (flow: Flow, row: ParameterValue): Flow =>
  flow.context.apply(constantRow, [flow], { parameters: { row } });
