import { dtypeOf, type NumericParameter, type ParameterValue } from '@brezel/core';
import { denseLike, ofNumbers, onlyInput } from '../../checks.js';
import { shown } from '../../custom/row-values.js';
import { defineOp, type ParameterShape } from '../../define-op.js';
import { flourError } from '../../errors.js';
import { Flow } from '../../flow.js';
import { contributions } from './contributions.js';
import { reference } from './reference.js';

/**
 * Defines the operator `lookup`, which returns the entries of a table at given indices.
 * `Flow.labels` adds it to a program.
 *
 * Types: int64[n] → [n] of the type of the table.
 */
export const lookup = defineOp({
  name: 'lookup',
  version: 1,
  doc: {
    does: 'Returns the entries of a table at given indices. An index outside the table selects the first or the last entry.',
    types: 'int64[n] → [n] of the type of the table',
    attributes: { wide: 'whether entries exceed 2^53', repeated: 'whether a string occurs twice' },
    parameters: { table: '[entries], labels or numbers of any type' },
    kernels: ['lookup'],
  },
  attributes: { wide: 'boolean', repeated: 'boolean' },
  parameters: { table: 'any' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    const type = ofNumbers('lookup', onlyInput('lookup', use, 'scalar', 'vector'), 'int64');
    const table = use.parameters.table;
    if (table === undefined || table.shape[0] === 0)
      throw flourError('ERR_FLOUR_PARAM', { expected: 'a table with at least one entry', at: 'lookup' });
    return denseLike(type, table.dtype);
  },
  reference,
  contributions,
  summary: ({ parameters: { table } }) => (table ? `from ${table.shape[0]} labels` : ''),
  kernel({ parameters, attributes }, type) {
    if (attributes.wide || attributes.repeated) return undefined;
    const entries = parameters.table!.shape[0]!;
    // A table of strings stays in JavaScript: the kernel returns the index, and JavaScript reads
    // the string.
    if (dtypeOf(type) === 'string') return { kernel: 'lookup', attributes: [entries] };
    return { kernel: 'lookup', parameters: ['table'], attributes: [entries] };
  },
});

/**
 * Returns the attribute for a table whose lookup runs in JavaScript: `wide` if float64 cannot
 * represent an integer of the table, `repeated` if a string occurs twice. Returns no attribute for
 * other tables.
 */
export function lookupAttributes(table: ParameterValue): { wide?: true; repeated?: true } {
  if (table.dtype === 'int64') return table.data.some((label) => BigInt(Number(label)) !== label) ? { wide: true } : {};
  return table.dtype === 'string' && new Set(table.values).size < table.values.length ? { repeated: true } : {};
}

/**
 * A plan lists the integer labels of a table with at most this many entries. Larger tables usually
 * contain the values of keys and not labels of classes.
 */
const MOST_INTEGER_LABELS = 1000;

/**
 * Returns the integers of a table in order. Returns undefined for a table of another type, for a
 * table with too many entries, and for integers beyond 2^53.
 */
export function integerLabelsOf(
  { dtype, shape }: ParameterShape,
  read: () => ParameterValue,
): readonly number[] | undefined {
  if (dtype !== 'int64' || shape[0]! > MOST_INTEGER_LABELS) return undefined;
  const labels = Array.from((read() as NumericParameter).data, Number);
  return labels.every(Number.isSafeInteger) ? labels : undefined;
}

/** Labels of classes: strings, or integers. */
export type Labels = readonly string[] | readonly number[] | BigInt64Array;

/** The kind of flow that `labels` returns: `text` for strings, `scalar` for integers. */
export type LabelKind<List extends Labels> = List extends readonly string[] ? 'text' : 'scalar';

/** The type of one label in an answer, for a list of labels of type `List`. */
export type LabelValue<List extends Labels> = List extends BigInt64Array ? number | bigint : List[number];

/** Converts labels to a parameter. Integers are stored as int64. */
export function labelTable(labels: Labels): ParameterValue {
  if (labels instanceof BigInt64Array) return { dtype: 'int64', shape: [labels.length], data: labels };
  const wrong = (labels as readonly unknown[]).find(
    (label) => typeof label !== typeof labels[0] || (typeof label === 'number' && !Number.isSafeInteger(label)),
  );
  if (wrong !== undefined)
    throw flourError('ERR_FLOUR_PARAM', {
      expected: 'labels that are all strings or all integers',
      received: shown(wrong),
      at: 'labels',
    });
  if (typeof labels[0] === 'string')
    return { dtype: 'string', shape: [labels.length], values: [...(labels as readonly string[])] };
  return { dtype: 'int64', shape: [labels.length], data: BigInt64Array.from(labels as readonly number[], BigInt) };
}

declare module '../../flow.js' {
  interface Flow<Kind, Row, Value> {
    /**
     * Maps an index to a label.
     *
     * Shapes: int64 → string (a `text` flow) or int64. An index outside the list selects the first
     * or the last label. Cost: O(1).
     * @throws ERR_FLOUR_PARAM for an empty list, or unless the labels are all strings or all
     * integers.
     * @see Source: ONNX-ML ArrayFeatureExtractor over class labels; ML.NET key-to-value mapping.
     * @example scores.argMax().labels(['negative', 'positive'])
     */
    labels<const List extends Labels>(
      this: Flow<'scalar', Row, unknown>,
      labels: List,
    ): Flow<LabelKind<List>, Row, LabelValue<List>>;
  }
}

Flow.prototype.labels = function (this: Flow, labels: Labels) {
  return lookUp(this, labelTable(labels)) as never;
};

/** Adds the operator `lookup`, which reads the entries of `table` at the indices in a flow. */
export function lookUp(index: Flow, table: ParameterValue): Flow {
  return index.context.apply(lookup, [index], { attributes: lookupAttributes(table), parameters: { table } });
}
