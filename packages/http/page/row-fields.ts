import { html } from './dom.js';

/** The parts of a JSON Schema that the form reads. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly minItems?: number;
}

/** A field of the form: its control with a label, and a function that reads its value. */
export interface Field {
  readonly name: string;
  readonly element: HTMLElement;
  /**
   * Returns the value for the row. Undefined means that the row does not have the field.
   * @throws SyntaxError
   */
  value(): unknown;
}

/** Returns the fields of the form for the rows of a schema. */
export function fieldsOf(schema: Schema): Field[] {
  const object = alternatives(schema).find(({ properties }) => properties !== undefined);
  return Object.entries(object?.properties ?? {}).map(([name, field]) => {
    const types = new Set(alternatives(field).flatMap(({ type }) => type ?? []));
    const isRequired = object?.required?.includes(name) ?? false;
    if (types.has('array') || types.has('object')) return jsonField(name, field);
    if (types.has('number') || types.has('integer')) return numberField(name, isRequired);
    return types.has('boolean') ? booleanField(name) : textField(name);
  });
}

const alternatives = (schema: Schema): readonly Schema[] => schema.anyOf?.flatMap(alternatives) ?? [schema];

function field(name: string, control: HTMLInputElement | HTMLTextAreaElement, value: () => unknown): Field {
  control.id = `row-${name}`;
  return { name, element: html('div', { class: 'field' }, html('label', { for: control.id }, name), control), value };
}

function textField(name: string): Field {
  const control = html('textarea', { rows: 3 });
  return field(name, control, () => control.value);
}

/**
 * A text field for a number, because texts such as "NaN" and integers beyond 2^53 are also valid.
 */
function numberField(name: string, isRequired: boolean): Field {
  const control = html('input', { type: 'text', inputmode: 'decimal', value: isRequired ? '0' : '' });
  return field(name, control, () => {
    const text = control.value.trim();
    if (text === '') return undefined;
    const number = Number(text);
    return Number.isFinite(number) && (!Number.isInteger(number) || Number.isSafeInteger(number)) ? number : text;
  });
}

function booleanField(name: string): Field {
  const control = html('input', { type: 'checkbox' });
  return field(name, control, () => control.checked);
}

function jsonField(name: string, schema: Schema): Field {
  const control = html('textarea', { rows: 3, spellcheck: 'false', class: 'code' }, JSON.stringify(exampleOf(schema)));
  return field(name, control, () => JSON.parse(control.value));
}

/**
 * The largest number of elements in the example list with which the form fills a field. The user
 * must complete a longer list.
 */
const MOST_EXAMPLES = 1000;

/** Returns a value that fits a schema, with zeros and empty texts. */
function exampleOf(schema: Schema): unknown {
  const [first = {}] = alternatives(schema);
  const { type, items = {}, minItems = 0 } = first;
  if (type === 'array') return Array.from({ length: Math.min(minItems, MOST_EXAMPLES) }, () => exampleOf(items));
  if (type === 'object') return {};
  return type === 'string' ? '' : 0;
}
