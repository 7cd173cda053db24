import { damaged } from '../errors.js';
import { typeOf, type ValueType } from '../value.js';
import type { Element } from '../xml/element.js';
import { type Interval, readInterval } from './interval.js';

/** A field of the data dictionary. */
export interface DataField {
  readonly name: string;
  readonly dataType: string;
  readonly type: ValueType;
  readonly optype: string;
  readonly at: string;
  /** The listed values by their property, as texts. */
  readonly valid: readonly string[];
  readonly invalid: readonly string[];
  readonly missing: readonly string[];
  readonly intervals: readonly Interval[];
}

/** The fields of a document by name. */
export type DataDictionary = ReadonlyMap<string, DataField>;

const properties = ['valid', 'invalid', 'missing'] as const;

/**
 * Reads a `DataDictionary` element. A field of an unsupported type is an error only if a model uses
 * it.
 */
export function readDataDictionary(element: Element): DataDictionary {
  const fields = new Map<string, DataField>();
  for (const field of element.all('DataField')) {
    const name = field.required('name');
    if (name === '' || name === '__proto__') throw damaged(field.at, 'a name', JSON.stringify(name));
    if (fields.has(name)) throw damaged(field.at, 'distinct names of fields', JSON.stringify(name.slice(0, 40)));
    fields.set(name, readField(field, name));
  }
  return fields;
}

function readField(element: Element, name: string): DataField {
  const values = element.all('Value').map((value) => ({
    text: value.required('value'),
    property: value.choice('property', properties, 'valid'),
  }));
  const of = (wanted: (typeof properties)[number]) =>
    values.filter(({ property }) => property === wanted).map(({ text }) => text);
  const dataType = element.required('dataType');
  const { at } = element;
  return {
    name,
    dataType,
    get type() {
      return typeOf(dataType, at);
    },
    optype: element.choice('optype', ['continuous', 'categorical', 'ordinal']),
    at,
    valid: of('valid'),
    invalid: of('invalid'),
    missing: of('missing'),
    intervals: element.all('Interval').map(readInterval),
  };
}
