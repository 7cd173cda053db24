import { dtypeOf, type ParameterValue, sizeOf, sparse, vector } from '@brezel/core';
import { ofNumbers, onlyInput } from '../../checks.js';
import { defineOp, int32, type Numbers, numbersOf } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { everyIndex } from '../../numbers.js';
import '../concat/index.js';
import { stringColumns } from '../concat/string-columns.js';
import { densify } from '../densify/index.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `select-columns`, which selects columns of a vector, in the given order.
 * `Flow.selectColumns` adds it to a program. In a sparse vector, no column may be selected twice.
 * For such a selection, `Flow.selectColumns` first converts the vector to a dense one.
 *
 * Types: any vector [n] → [columns], sparse if the input is sparse.
 */
export const selectColumns = defineOp({
  name: 'select-columns',
  version: 1,
  doc: {
    does: 'Selects columns, in the given order.',
    types: 'any vector [n] → [columns]; a sparse vector stays sparse',
    parameters: { columns: 'int32[columns]' },
    kernels: ['select_columns', 'select_sparse', 'select_texts'],
  },
  parameters: { columns: ['int32'] },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none', passesIntegers: true },
  infer(use) {
    const type = ofNumbers(
      'select-columns',
      onlyInput('select-columns', use, 'sparse', 'vector'),
      'float32',
      'float64',
      'int64',
      'bool',
      'int32',
      'string',
    );
    const size = use.parameters.columns!.shape[0]!;
    return type.kind === 'sparse' ? sparse(size) : vector(dtypeOf(type), size);
  },
  reference,
  contributions,
  check: ({ inputs, parameters }) => checkColumns(numbersOf(parameters.columns!) as Int32Array, sizeOf(inputs[0]!)),
  identity(use) {
    const columns = numbersOf(use.parameter('columns'));
    return columns.length === sizeOf(use.inputs[0]!) && columns.every((column, at) => column === at);
  },
  quality: (use) => ({ passes: Int32Array.from(numbersOf(use.parameter('columns')), Number) }),
  missing(use) {
    const before = new Uint8Array(sizeOf(use.inputs[0]!));
    numbersOf(use.parameter('columns')).forEach((column, at) => {
      if (use.after[at] === 1) before[Number(column)] = 1;
    });
    return before;
  },
  kernel({ inputs }) {
    const [input] = inputs;
    if (dtypeOf(input!) === 'string') return { kernel: 'select_texts', parameters: ['columns'] };
    if (input?.kind !== 'sparse') return { kernel: 'select_columns', parameters: ['columns'] };
    // Sparse entries use the reverse table: old column → new column, or -1.
    const places = {
      derive: `places of ${input.size} columns`,
      from: ['columns'],
      build: ({ columns }: Readonly<Record<string, ParameterValue>>) => {
        const table = new Int32Array(input.size).fill(-1);
        (columns as { data: Int32Array }).data.forEach((column, at) => {
          table[column] = at;
        });
        return int32(table);
      },
    };
    return { kernel: 'select_sparse', parameters: [places] };
  },
});

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Selects columns, in the given order.
     *
     * Shapes: `[n]` → `[columns.length]`. A sparse row stays sparse unless a column is repeated.
     * Cost: O(nnz) for a sparse row, otherwise O(columns).
     * @throws ERR_FLOUR_PARAM for a column out of range.
     * @see Source: ONNX-ML ArrayFeatureExtractor-1; scikit-learn SelectKBest.
     * @example features.selectColumns([1, 0])
     */
    selectColumns(this: Flow<'vector', Row, Value>, columns: Numbers): Flow<'vector', Row, Value>;
  }
}

function checkColumns(list: ArrayLike<number>, size: number): void {
  everyIndex('select-columns', 'columns', list, size);
  if (list.length === 0)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `columns from 0 to ${size - 1}`,
      received: 'none',
      at: 'select-columns',
    });
}

Flow.prototype.selectColumns = function (this: Flow<'vector'>, columns) {
  const list =
    columns instanceof Int32Array ? columns.slice() : Array.from(columns as ArrayLike<number | bigint>, Number);
  const size = sizeOf(this.type);
  checkColumns(list, size);
  // Selects texts before they are concatenated to a vector, so that no vector of strings is built.
  const texts = stringColumns(this);
  if (texts.length > 0) {
    const [first, ...others] = Array.from(list, (column) => texts[column]!.asVector());
    return others.length === 0 ? first! : first!.concat(...others);
  }
  // A sparse row holds distinct ids, so a repeated column needs a dense row.
  const twice = this.type.kind === 'sparse' && new Set(list).size < list.length;
  const source = twice ? this.context.apply<'vector'>(densify, [this]) : this;
  return this.context.apply<'vector'>(selectColumns, [source], { parameters: { columns: int32(list) } });
};
