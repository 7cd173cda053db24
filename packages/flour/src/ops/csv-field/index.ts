import { type DType, text } from '@brezel/core';
import { ofText } from '../../checks.js';
import { type ColumnKind, type Columns, FlourContext, type Schema, selection } from '../../context.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import { reference } from './reference.js';

export const csvField = defineOp({
  name: 'csv-field',
  version: 1,
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer: (use) => ofText('csv-field', use) && text,
  reference,
  kernel: ({ attributes }) => ({
    kernel: 'csv_field',
    attributes: [attributes.index as number, byte(attributes.separator), byte(attributes.quote)],
  }),
});

const byte = (value: unknown) => String(value).charCodeAt(0);

export interface CsvOptions {
  /** Name of the program input that holds the line. */
  readonly name?: string;
  /** One ASCII character. */
  readonly separator?: string;
  /** One ASCII character; fields in it may hold separators, doubled it stands for itself. */
  readonly quote?: string;
}

declare module '../../context.js' {
  interface FlourContext {
    /**
     * Rows of CSV text, one line each (RFC 4180). The schema names the fields in order, with their element types.
     * A field that a line lacks is empty text.
     *
     * Shapes: line, a string → one text column a selected field. Only `string` fields can be selected so far.
     * Cost: O(bytes up to the field).
     * @throws ERR_FLOUR_PARAM when the separator or quote is not one ASCII character.
     * @see Source: the paper's Listing 1, `CSV.FromText`.
     * @example
     * const text = flour.csv({ rating: 'float32', text: 'string' }).select('text');
     */
    csv<const S extends Schema>(schema: S, options?: CsvOptions): Columns<S>;
  }
}

FlourContext.prototype.csv = function csv<S extends Schema>(this: FlourContext, schema: S, options: CsvOptions = {}) {
  const { name = 'line', separator = ',', quote = '"' } = options;
  for (const [what, value] of Object.entries({ separator, quote })) {
    if (value.length !== 1 || value > '\x7f') {
      throw flourError('ERR_FLOUR_PARAM', {
        expected: `one ASCII character as ${what}`,
        received: JSON.stringify(value),
        at: 'csv',
      });
    }
  }
  const line = this.input(name, text);
  const flows = new Map<string, Flow>();
  Object.entries(schema).forEach(([field, dtype]: [string, DType], index) => {
    if (dtype !== 'string') return;
    flows.set(field, this.apply<ColumnKind<'string'>>(csvField, [line], { attributes: { index, separator, quote } }));
  });
  return selection<S>(flows);
};
