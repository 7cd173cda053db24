import {
  type BackendFormat,
  BLACK_BOX,
  type BlackBoxNode,
  type DType,
  type ParameterValue,
  type ValueType,
  vector,
} from '@brezel/core';
import { tensorError } from '@brezel/tensors';
import { registerCustom } from './custom/registry.js';
import { shown } from './custom/row-values.js';
import type { OperatorDefinition, OperatorUse } from './define-op.js';
import { flourError } from './errors.js';
import { Flow } from './flow.js';
import './ops/densify/index.js';
import type { AnyFlow } from './program-types.js';

// The operator that runs a whole model of another runtime. It is registered like a custom operator,
// because Brezel does not define its answers.

/**
 * Options of `Flow.blackBox`: which input and output of the model it uses, and what the output
 * contains.
 */
export interface BlackBoxOptions {
  /**
   * The number of numbers or texts that the model returns for each row: the product of the sizes of
   * all axes of the output except the first.
   */
  readonly size: number;
  /** Element type of the output. Default `float32`. */
  readonly dtype?: DType;
  /** Name of the input that receives the rows. Default: the only input of the model. */
  readonly input?: string;
  /** Name of the output to read. Default: the first output of the model. */
  readonly output?: string;
  /**
   * The flows of the other inputs of the model, by the names of these inputs. If you pass this
   * option, `input` must name the input of the flow on which you call `blackBox`.
   */
  readonly others?: Readonly<Record<string, AnyFlow>>;
}

/**
 * A model stored in separate files, for a backend that opens its format: `tfjs-layers`,
 * `tfjs-graph`, `saved-model`, or `onnx`. A model of another server has the format `external`.
 */
export interface BlackBoxFile {
  readonly format: BackendFormat;
  /**
   * A file or folder, in the form that the backend accepts. The runtime opens it when the plan is
   * registered. For the format `external`: the name of the predictor.
   */
  readonly path: string;
  /** Identifies the model: black boxes with equal checksum and format share one model. */
  readonly checksum: string;
}

const formats: readonly BackendFormat[] = ['onnx', 'tfjs-graph', 'tfjs-layers', 'saved-model', 'external'];

const elements: readonly DType[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'];

const blackBox: OperatorDefinition = Object.freeze({
  name: BLACK_BOX,
  version: 1,
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model', discontinuous: true, javascript: true },
  infer: inferred,
  summary: ({ attributes: { bytes, format, path, size, dtype } }: Pick<OperatorUse, 'attributes'>) =>
    `${path === undefined ? `onnx model of ${bytes} bytes` : `${format} model ${path}`}, ${count(size, dtype === 'string' ? 'text' : 'number')}`,
  reference: () => {
    throw tensorError('ERR_FLOUR_BLACK_BOX', {
      received: 'a synchronous prediction',
      hint: 'use predict, predictBatch or predictStream, in a runtime with a backend',
    });
  },
} as const);
registerCustom(blackBox, true);

const count = (size: unknown, noun: string): string => `${size} ${noun}${size === 1 ? '' : 's'}`;

/**
 * Checks a use of a black box and returns the type of its output. It checks all attributes, because
 * a plan may come from a file.
 */
function inferred({ inputs, attributes, parameters }: OperatorUse): ValueType {
  const fail = (expected: string, received: string) =>
    flourError('ERR_FLOUR_PARAM', { expected, received, at: BLACK_BOX });
  if (inputs.length === 0) throw fail('an input', 'none');
  for (const { kind } of inputs)
    if (!['vector', 'tensor', 'scalar'].includes(kind))
      throw flourError('ERR_FLOUR_TYPE', { expected: 'text, numbers or a tensor', received: kind, at: BLACK_BOX });
  const { dtype, size, input: from, output: to } = attributes;
  const wrong = attributes.path === undefined ? wrongBytes(attributes, parameters) : wrongFile(attributes);
  if (wrong !== undefined) throw fail(...wrong);
  if (!elements.includes(dtype as DType)) throw fail(`dtype ${elements.join(', ')}`, String(dtype));
  if (!Number.isSafeInteger(size) || Number(size) < 1) throw fail('size, from 1', String(size));
  if (!isPortName(to) || !(inputs.length === 1 ? isPortName(from) : areNames(from, inputs.length)))
    throw fail('names of output and inputs, a different name for each input', `${to}; ${from}`);
  return vector(dtype as DType, size as number);
}

const isPortName = (name: unknown): boolean => name === null || typeof name === 'string';

/**
 * Returns whether `names` is a list of `count` different strings: the names of the model inputs. A
 * black box with several inputs needs all names.
 */
const areNames = (names: unknown, count: number): boolean =>
  Array.isArray(names) &&
  names.length === count &&
  new Set(names).size === count &&
  names.every((name) => typeof name === 'string');

type Wrong = readonly [expected: string, received: string] | undefined;

function wrongBytes({ bytes }: OperatorUse['attributes'], { model }: OperatorUse['parameters']): Wrong {
  const words = Number(bytes) / WORD;
  const fits = model?.dtype === 'int32' && Number.isSafeInteger(bytes) && model.shape[0] === Math.ceil(words);
  return fits ? undefined : ['a model whose length is the attribute bytes', `${bytes}`];
}

function wrongFile({ format, path, checksum }: OperatorUse['attributes']): Wrong {
  if (!formats.includes(format as BackendFormat)) return [`format ${formats.join(', ')}`, String(format)];
  for (const [name, value] of Object.entries({ path, checksum }))
    if (typeof value !== 'string' || value === '') return [`${name}, a text`, String(value)];
  return undefined;
}

const WORD = 4;

/** Copies the bytes of a model file to an int32 parameter. Zeros fill the last element. */
function modelParameter(bytes: Uint8Array): ParameterValue {
  const data = new Int32Array(Math.ceil(bytes.length / WORD));
  new Uint8Array(data.buffer).set(bytes);
  return { dtype: 'int32', shape: [data.length], data };
}

declare module './flow.js' {
  interface Flow<Kind> {
    /**
     * Runs a whole model of another runtime on each row: a neural head after a featurizer, or an
     * image network before a forest.
     *
     * The model receives a block of rows as one tensor whose first axis counts the rows. A model
     * whose first axis is fixed to 1 receives one row at a time. The bytes of an ONNX file become a
     * parameter of the plan. A model that is passed by its path is not copied, so a fleet file
     * cannot contain a plan that uses it.
     *
     * Shapes: float32 `[n]`, a tensor `[...]`, a number or a text → `size` numbers or texts. Cost:
     * one message to another thread, plus the run of the model. Only `predict`, `predictBatch` and
     * `predictStream` run such a plan, in a runtime with a backend that opens the model.
     * @throws ERR_FLOUR_TYPE, ERR_FLOUR_PARAM. ERR_BACKEND_MODEL on the first run if the model does
     * not match these options.
     * @example counts.blackBox(bytes, { size: 2 })
     */
    blackBox(model: Uint8Array | BlackBoxFile, options: BlackBoxOptions): Flow<'vector'>;
  }
}

Flow.prototype.blackBox = function (this: Flow, model: Uint8Array | BlackBoxFile, options: BlackBoxOptions) {
  if (typeof model !== 'object' || model === null) {
    const expected = 'the bytes of a model, or its format, path and checksum';
    throw flourError('ERR_FLOUR_PARAM', { expected, received: typeof model, at: BLACK_BOX });
  }
  const { size, dtype = 'float32', input: name = null, output = null, others = {} } = options;
  const { attributes, ...use } = model instanceof Uint8Array ? ofBytes(model) : ofFile(model);
  if (typeof others !== 'object' || others === null) {
    const expected = 'others, an object of flows by the names of inputs';
    throw flourError('ERR_FLOUR_PARAM', { expected, received: shown(others), at: BLACK_BOX });
  }
  const more = Object.entries(others) as [string, Flow][];
  const flows = [this, ...more.map(([, flow]) => flow)].map(densified);
  const input = more.length === 0 ? name : [name, ...more.map(([other]) => other)];
  return this.context.apply<'vector'>(blackBox, flows, {
    ...use,
    attributes: { ...attributes, dtype, size, input, output },
  });
};

const densified = (flow: Flow): Flow => (flow?.type?.kind === 'sparse' ? (flow as Flow<'vector'>).densify() : flow);

/**
 * The part of an imported model that becomes a black box: its inputs, its output, and the nodes
 * that EXPLAIN lists.
 */
export interface BlackBoxPart {
  readonly size: number;
  readonly dtype: DType;
  /** Names of the model's inputs, in the order of the flows. */
  readonly inputs: readonly string[];
  readonly output: string;
  /** The nodes of this part of the model, each with the reason why Brezel does not run it. */
  readonly nodes: readonly BlackBoxNode[];
}

/**
 * Applies a black box to one or several flows. Importers call this function for nodes that Brezel
 * does not support.
 */
export function applyBlackBox(
  flows: readonly Flow[],
  model: Uint8Array,
  { size, dtype, inputs, output, nodes }: BlackBoxPart,
): Flow<'vector'> {
  const { attributes, ...use } = ofBytes(model);
  const input = inputs.length === 1 ? inputs[0]! : inputs;
  const told = nodes.map(({ name, operator, why }) => [name, operator, why]);
  return flows[0]!.context.apply<'vector'>(blackBox, flows.map(densified), {
    ...use,
    attributes: { ...attributes, dtype, size, input, output, nodes: told },
  });
}

const ofBytes = (model: Uint8Array) => ({
  attributes: { bytes: model.length },
  parameters: { model: modelParameter(model) },
});

const ofFile = ({ format, path = '', checksum }: BlackBoxFile) => ({ attributes: { format, path, checksum } });
