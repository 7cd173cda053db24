import {
  type CompiledPlan,
  type DictionaryType,
  type DType,
  dtypeOf,
  type InputPort,
  type OutputPort,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { runtimeError } from '../../errors.js';

/** A JSON Schema. All of its keywords exist in every supported version. */
export type JsonSchema = { readonly [keyword: string]: unknown };

/** The versions of JSON Schema that `jsonSchema` writes. */
export type JsonSchemaTarget = 'draft-2020-12' | 'draft-07' | 'openapi-3.0';

/** Options of the JSON Schemas of a plan. */
export interface JsonSchemaOptions {
  /** The version of JSON Schema. fastify needs `draft-07`. Default `draft-2020-12`. */
  readonly target?: JsonSchemaTarget;
}

/** The schemas of the rows and the answers of a plan, as JSON. */
export interface PlanJsonSchema {
  readonly row: JsonSchema;
  readonly answer: JsonSchema;
}

const DIALECTS: Readonly<Record<JsonSchemaTarget, string | undefined>> = {
  'draft-2020-12': 'https://json-schema.org/draft/2020-12/schema',
  'draft-07': 'http://json-schema.org/draft-07/schema#',
  'openapi-3.0': undefined,
};

/**
 * Returns the JSON Schemas of the rows and the answers of a plan. The plan accepts every row that
 * matches the schema, except rows whose texts are longer than `maxInputBytes`.
 *
 * @throws ERR_RUNTIME_OPTION for an unknown target.
 */
export function jsonSchemaOf(
  { name, inputs, outputs, ignoresExtraFields = false }: PlanView,
  { target = 'draft-2020-12' }: JsonSchemaOptions = {},
): PlanJsonSchema {
  if (!Object.hasOwn(DIALECTS, target)) {
    const expected = `target ${Object.keys(DIALECTS).join(', ')}`;
    throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(target), at: 'jsonSchema' });
  }
  const dialect = DIALECTS[target];
  const head = (title: string) => ({ ...(dialect !== undefined && { $schema: dialect }), title });
  return {
    row: { ...head(`${name} row`), ...rowSchema(inputs, ignoresExtraFields) },
    answer: { ...head(`${name} answer`), ...objectOf(outputs, outputSchema, () => true) },
  };
}

/** The fields of a compiled or registered plan that its schemas need. */
type PlanView = Pick<CompiledPlan, 'name' | 'inputs' | 'outputs'> & { readonly ignoresExtraFields?: boolean };

function rowSchema(inputs: readonly InputPort[], ignoresExtraFields: boolean): JsonSchema {
  const object = objectOf(
    inputs,
    (port) => (port.unused ? {} : inputSchema(port)),
    (port) => !port.unused && port.missing !== true,
  );
  const row = ignoresExtraFields ? { ...object, additionalProperties: true } : object;
  const bare = inputs.length === 1 ? bareSchemas(inputs[0]!) : [];
  return bare.length === 0 ? row : { anyOf: [...bare, row] };
}

/**
 * Returns schemas for rows that are not objects. A plan with one input may accept a text or a list
 * as a row.
 */
function bareSchemas(port: InputPort): JsonSchema[] {
  const { type, unused } = port;
  if (type.kind === 'dictionary') return [];
  const isVector = type.kind === 'vector' || type.kind === 'tensor';
  const lists = isVector ? (unused ? [{ type: 'array' }] : listSchemas(port, type)) : [];
  return isOneText(type) ? [{ type: 'string' }, ...lists] : lists;
}

const isOneText = (type: ValueType) => dtypeOf(type) === 'string' && sizeOf(type) === 1;

/** Returns the schema of an object with one property for each port. */
function objectOf<Port extends { readonly name: string }>(
  ports: readonly Port[],
  schemaOf: (port: Port) => JsonSchema,
  isRequired: (port: Port) => boolean,
): JsonSchema {
  return {
    type: 'object',
    properties: Object.fromEntries(ports.map((port) => [port.name, schemaOf(port)])),
    required: ports.filter(isRequired).map((port) => port.name),
    additionalProperties: false,
  };
}

const FLOAT = { type: 'number' };
const ELEMENTS: Readonly<Record<DType, JsonSchema>> = {
  float32: FLOAT,
  float64: FLOAT,
  int32: { type: 'integer', minimum: -(2 ** 31), maximum: 2 ** 31 - 1 },
  // the largest float64 below 2^63
  int64: { type: 'integer', minimum: -(2 ** 63), maximum: 2 ** 63 - 1024 },
  bool: { enum: [true, false, 0, 1] },
  string: { type: 'string' },
};

/** Returns the schema of the values that a row may have for an input. */
function inputSchema(port: InputPort): JsonSchema {
  const { type, missing } = port;
  if (type.kind === 'dictionary') return dictionarySchema(type);
  if (type.kind === 'tokens') return listOf({ type: 'string' });
  const element = elementSchema(port, type);
  if (type.kind === 'scalar') return element;
  // a vector of one element may be passed without brackets
  const choices = [
    ...(sizeOf(type) === 1 ? [element] : missing === true ? [{ enum: [null] }] : []),
    ...listSchemas(port, type),
  ];
  return choices.length === 1 ? choices[0]! : { anyOf: choices };
}

/** Returns schemas for the lists that a vector or a tensor input accepts. */
function listSchemas(port: InputPort, type: Exclude<ValueType, DictionaryType>): JsonSchema[] {
  const element = elementSchema(port, type);
  return [...(type.kind === 'tensor' ? [nested(element, type.shape)] : []), listOf(element, sizeOf(type))];
}

/**
 * Returns the schema of an element. If only some elements of a list may be missing, the schema
 * allows no missing elements. Older versions of JSON Schema cannot describe each element
 * separately.
 */
const elementSchema = ({ missing }: InputPort, type: Exclude<ValueType, DictionaryType>): JsonSchema =>
  missing === true ? { anyOf: [FLOAT, { enum: [null, 'NaN'] }] } : ELEMENTS[dtypeOf(type)];

const listOf = (items: JsonSchema, size?: number): JsonSchema => ({
  type: 'array',
  items,
  ...(size !== undefined && { minItems: size, maxItems: size }),
});

const nested = (element: JsonSchema, shape: readonly number[]): JsonSchema =>
  shape.reduceRight((inner, size) => listOf(inner, size), element);

const MIXED = { anyOf: [FLOAT, { type: 'boolean' }, { type: 'string' }, listOf({ type: 'string' }), { type: 'null' }] };

function dictionarySchema({ keys, values }: DictionaryType): JsonSchema {
  const value = values === 'mixed' ? MIXED : ELEMENTS[values];
  if (keys === 'string') return { type: 'object', additionalProperties: value };
  return { type: 'object', patternProperties: { '^-?[0-9]{1,18}$': value }, additionalProperties: false };
}

/**
 * The schema of an element in an answer, by element type. Unlike the schemas of inputs, the schema
 * of int64 answers has no minimum and no maximum, because an answer may be an exact bigint.
 */
const ANSWERS: Readonly<Record<DType, JsonSchema>> = {
  ...ELEMENTS,
  int64: { type: 'integer' },
  bool: { type: 'boolean' },
};

/** Returns the schema of the value of an output. */
function outputSchema({ type, labels, integerLabels }: OutputPort): JsonSchema {
  if (type.kind === 'dictionary') return { type: 'object' };
  if (type.kind === 'tokens') return listOf({ type: 'string' });
  if (type.kind === 'map') {
    const keys = type.keys.map((name) => ({ name }));
    return objectOf(
      keys,
      () => FLOAT,
      () => true,
    );
  }
  const known = labels ?? integerLabels;
  const element = known === undefined ? ANSWERS[dtypeOf(type)] : { enum: [...new Set<string | number>(known)] };
  if (type.kind === 'scalar') return element;
  return type.kind === 'tensor' ? nested(element, type.shape) : listOf(element, sizeOf(type));
}
