// JSON Schemas of the Open Inference Protocol v2, written from its published description.
import { datatypes } from '@brezel/oip';

const reference = (name: string) => ({ $ref: `#/components/schemas/${name}` });
const listOf = (items: object) => ({ type: 'array', items });
const text = { type: 'string' };
/** A number, or "NaN", "Infinity" or "-Infinity". */
const number = { type: ['number', 'string'] };
const datatype = { enum: [...datatypes.keys()] };
const shape = listOf({ type: 'integer', minimum: 0 });

export const protocolSchemas = {
  Error: {
    type: 'object',
    required: ['error', 'code'],
    properties: { error: text, code: text, hint: text },
  },
  Parameters: {
    type: 'object',
    additionalProperties: { anyOf: [text, { type: 'number' }, { type: 'boolean' }] },
  },
  TensorMetadata: {
    type: 'object',
    required: ['name', 'datatype', 'shape'],
    properties: { name: text, datatype, shape: listOf({ type: 'integer', minimum: -1 }) },
  },
  TensorData: {
    description: 'Elements in row-major order, flat or nested as in the shape',
    type: 'array',
    items: true,
  },
  RequestInput: {
    type: 'object',
    required: ['name', 'datatype', 'shape'],
    properties: { name: text, datatype, shape, parameters: reference('Parameters'), data: reference('TensorData') },
  },
  RequestOutput: {
    type: 'object',
    required: ['name'],
    properties: { name: text, parameters: reference('Parameters') },
  },
  InferenceRequest: {
    type: 'object',
    required: ['inputs'],
    properties: {
      id: text,
      parameters: reference('Parameters'),
      inputs: listOf(reference('RequestInput')),
      outputs: listOf(reference('RequestOutput')),
    },
  },
  ResponseOutput: {
    type: 'object',
    required: ['name', 'datatype', 'shape'],
    properties: { name: text, datatype, shape, parameters: reference('Parameters'), data: reference('TensorData') },
  },
  InferenceResponse: {
    type: 'object',
    required: ['model_name', 'outputs'],
    properties: { model_name: text, model_version: text, id: text, outputs: listOf(reference('ResponseOutput')) },
  },
  ServerMetadata: {
    type: 'object',
    required: ['name', 'version', 'extensions'],
    properties: { name: text, version: text, extensions: listOf(text) },
  },
  ModelMetadata: {
    type: 'object',
    required: ['name', 'platform', 'inputs', 'outputs'],
    properties: {
      name: text,
      versions: listOf(text),
      platform: text,
      inputs: listOf(reference('TensorMetadata')),
      outputs: listOf(reference('TensorMetadata')),
    },
  },
  ModelReady: {
    type: 'object',
    required: ['name', 'ready'],
    properties: { name: text, ready: { type: 'boolean' } },
  },
  Health: {
    type: 'object',
    properties: { live: { type: 'boolean' }, ready: { type: 'boolean' } },
  },
  IndexEntry: {
    type: 'object',
    required: ['name', 'version', 'state', 'reason'],
    properties: { name: text, version: text, state: { enum: ['READY', 'UNAVAILABLE'] }, reason: text },
  },
  Alias: {
    type: 'object',
    required: ['alias', 'version'],
    properties: { alias: text, version: text, canary: { type: 'object' }, shadow: { type: 'object' } },
  },
  AliasChange: {
    description: 'promote: version. canary: to, percent. shadow: to (null ends it), sample. rollback: nothing',
    type: 'object',
    properties: {
      version: { anyOf: [text, { type: 'integer' }] },
      to: { anyOf: [text, { type: 'integer' }, { type: 'null' }] },
      percent: { type: 'number', minimum: 0, maximum: 100 },
      sample: { type: 'number', minimum: 0, maximum: 1 },
    },
  },
  Empty: { type: 'object' },
};

/** The start and the end of a part of a text, in UTF-16 units. */
const place = { ...listOf({ type: 'integer', minimum: 0 }), minItems: 2, maxItems: 2 };

/** The schema of an explanation. Only documents with models use it. */
export const contributionsSchema = {
  description: 'What each value of a row adds to the score behind the answer',
  type: 'object',
  required: ['output', 'answer', 'raw', 'base', 'link', 'rest', 'contributions'],
  properties: {
    output: text,
    class: { anyOf: [{ type: 'integer' }, text] },
    answer: true,
    raw: number,
    base: number,
    link: text,
    rest: number,
    contributions: listOf({
      type: 'object',
      required: ['input', 'value'],
      properties: {
        input: text,
        value: number,
        index: { type: 'integer' },
        received: number,
        feature: text,
        at: place,
        places: listOf(place),
      },
    }),
  },
};
