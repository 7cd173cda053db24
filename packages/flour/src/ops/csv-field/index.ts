import { type Attributes, type DType, text } from '@brezel/core';
import { ofElement, ofNames, ofText } from '../../checks.js';
import { FlourContext, selection } from '../../context.js';
import { defineOp } from '../../define-op.js';
import { flourError } from '../../errors.js';
import type { Flow } from '../../flow.js';
import '../cast/index.js';
import '../parse-number/index.js';
import type { ColumnKind, ElementOf, Field, FieldElement } from '../../flow-types.js';
import { reference } from './reference.js';

/**
 * Defines the operator `csv-field`, which extracts one field of a CSV line (RFC 4180).
 * `FlourContext.csv` adds it to a program.
 *
 * Types: text → text.
 */
export const csvField = defineOp({
  name: 'csv-field',
  version: 1,
  doc: {
    does: 'Extracts one field of a CSV line (RFC 4180).',
    types: 'text → text',
    attributes: { index: 'index of the field, from 0', separator: 'one ASCII character', quote: 'one ASCII character' },
    kernels: ['csv_field'],
  },
  attributes: { index: 'count', separator: 'infer', quote: 'infer' },
  annotations: { cardinality: '1-to-1', bound: 'memory', state: 'none' },
  infer(use) {
    checkCharacters(use.attributes);
    return ofText('csv-field', use) && text;
  },
  reference,
  summary: ({ attributes: { index, separator } }) =>
    `field ${index}${separator === ',' ? '' : ` by ${JSON.stringify(separator)}`}`,
  kernel: ({ attributes }) => ({
    kernel: 'csv_field',
    attributes: [attributes.index as number, byte(attributes.separator), byte(attributes.quote)],
  }),
});

function checkCharacters({ separator, quote }: Attributes): void {
  for (const [what, value] of Object.entries({ separator, quote })) {
    if (typeof value === 'string' && value.length === 1 && value <= '\x7f') continue;
    throw flourError('ERR_FLOUR_PARAM', {
      expected: `one ASCII character as ${what}`,
      received: JSON.stringify(value) ?? 'nothing',
      at: 'csv',
    });
  }
}

const byte = (value: unknown) => String(value).charCodeAt(0);

/** Options of `FlourContext.csv`, which declares an input that is one line of CSV text. */
export interface CsvOptions<Name extends string = string> {
  /** Name of the program input for the line. Default `line`. */
  readonly name?: Name;
  /** The character that separates fields: one ASCII character. Default `,`. */
  readonly separator?: string;
  /**
   * The character around a quoted field: one ASCII character. A quoted field may contain
   * separators. Two quotes inside it stand for one quote. Default `"`.
   */
  readonly quote?: string;
}

/**
 * The fields of a CSV line, in order, with their element types: text or float. Integers are not
 * supported, because a field without a number becomes NaN.
 */
export type CsvSchema = Readonly<Record<string, 'string' | 'float32' | 'float64'>>;

/** The fields of a CSV line. The line is the only input of a row. */
export interface CsvColumns<S extends CsvSchema, Line extends string> {
  /**
   * Returns the flow of a field.
   *
   * @throws ERR_FLOUR_NAME for an unknown field.
   */
  select<Name extends keyof S & string>(
    name: Name,
  ): Flow<ColumnKind<S[Name]>, Field<Line, FieldElement<'string'>>, ElementOf<S[Name]>>;
}

declare module '../../context.js' {
  interface FlourContext {
    /**
     * Declares an input that is one line of CSV text (RFC 4180). The schema names the fields in
     * order, with their element types: string, float32 or float64. A missing field is an empty
     * text. If a float field does not contain a number, its value is NaN.
     *
     * Shapes: line, a string → one column per selected field: a text, or a scalar of its type
     * (numbers are parsed as float32). Cost: O(bytes up to the field).
     * @throws ERR_FLOUR_TYPE for a schema that is not an object, or for another element type;
     * ERR_FLOUR_PARAM unless separator and quote are one ASCII character each.
     * @see Source: the paper's Listing 1, `CSV.FromText`.
     * @example
     * const text = flour.csv({ rating: 'float32', text: 'string' }).select('text');
     */
    csv<const S extends CsvSchema, const Name extends string = 'line'>(
      schema: S,
      options?: CsvOptions<Name>,
    ): CsvColumns<S, Name>;
  }
}

const FIELD_ELEMENTS: readonly DType[] = ['string', 'float32', 'float64'];
const FIELD_HINT =
  "csv({ rating: 'float32', text: 'string' }) takes the element type of each field; for integers, cast a float64 field";

FlourContext.prototype.csv = function csv<S extends CsvSchema>(
  this: FlourContext,
  schema: S,
  options: CsvOptions = {},
) {
  ofNames('csv', 'names of fields with their element types', schema, FIELD_HINT);
  const { name = 'line', separator = ',', quote = '"' } = options;
  checkCharacters({ separator, quote });
  const line = this.input(name, text);
  const flows = new Map<string, Flow>();
  Object.entries(schema).forEach(([field, dtype]: [string, DType], index) => {
    ofElement(`csv, field ${JSON.stringify(field)}`, dtype, FIELD_ELEMENTS, FIELD_HINT);
    const value = this.apply<'text'>(csvField, [line], { attributes: { index, separator, quote } });
    flows.set(field, dtype === 'string' ? value : value.parseNumber().cast(dtype));
  });
  return selection<S>(flows) as never;
};
