import { type ParameterValue, tensor } from '@brezel/core';
import { ofUsableSize, onlyInput } from '../../checks.js';
import { defineOp, int32 } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { reference } from './reference.js';

/**
 * Defines the operator `constant-row`, which returns the same elements for every row. It reads the
 * input only for the number of rows.
 */
export const constantRow = defineOp({
  name: 'constant-row',
  version: 1,
  doc: {
    does: 'Repeats the same elements for every row. The number of rows is that of the input.',
    types: 'any type except tokens and dictionaries → the row with its axes',
    parameters: { row: 'any type and axes, the row' },
    kernels: ['constant_row', 'constant_texts'],
  },
  parameters: { row: 'any' },
  annotations: { cardinality: '1-to-n', bound: 'memory', state: 'none' },
  infer(use) {
    onlyInput('constant-row', use, 'scalar', 'vector', 'tensor', 'sparse');
    const { row } = use.parameters;
    if (row === undefined) throw flourError('ERR_FLOUR_PARAM', { expected: 'a row', at: 'constant-row' });
    return ofUsableSize('constant-row', tensor(row.dtype, row.shape));
  },
  reference,
  kernel({ parameters }) {
    if (parameters.row!.dtype !== 'string') return { kernel: 'constant_row', parameters: ['row'] };
    return { kernel: 'constant_texts', parameters: [ends, bytes] };
  },
});

type Parameters = Readonly<Record<string, ParameterValue>>;
const textsOf = ({ row }: Parameters) => (row as { values: readonly string[] }).values;

/**
 * The first parameter of the kernel for texts: the offset of each text in `bytes`, and the end of
 * the last text.
 */
const ends = {
  derive: 'where the texts end',
  from: ['row'],
  build(parameters: Parameters) {
    let end = 0;
    return int32([0, ...textsOf(parameters).map((text) => (end += Buffer.byteLength(text)))]);
  },
};
const bytes = {
  derive: 'bytes of the texts',
  from: ['row'],
  build: (parameters: Parameters) => new TextEncoder().encode(textsOf(parameters).join('')),
};

/** Returns a flow that has the value `row` in every row, with the shape of `row`. */
export const repeatRow = (flow: Flow, row: ParameterValue): Flow =>
  flow.context.apply(constantRow, [flow], { parameters: { row } });
