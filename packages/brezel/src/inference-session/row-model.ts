import {
  type Dictionary,
  dtypeOf,
  elementCount,
  fromFloat16,
  type InputPort,
  type OutputPort,
  shapeOf,
  type TensorPort,
} from '@brezel/core';
import { carriers } from '@brezel/flour';
import type { OutputLayout } from '@brezel/onnx';
import { type Answer, type RegisteredPlan, type Row, type Runtime, runtimeError } from '@brezel/runtime';
import type { AnyFileModel } from '../model-file.js';
import { type FedTensor, fedTensor } from './feeds.js';
import { metadataOf, namesOf } from './metadata.js';
import type { SessionModel } from './model.js';
import { PlainTensor, type Tensor } from './tensor.js';
import { dataOfValues, isTensorType } from './tensor-types.js';
import type { Results, RunOptions, ValueMetadata } from './types.js';

/** Runs a row program for a session. The first axis of every input holds the rows. */
export class RowModel implements SessionModel {
  readonly inputs: readonly ValueMetadata[];
  readonly outputs: readonly ValueMetadata[];
  readonly optional: ReadonlySet<string>;
  readonly #runtime: Runtime;
  readonly #plan: RegisteredPlan;
  readonly #layouts: Readonly<Record<string, OutputLayout>>;

  constructor(runtime: Runtime, model: AnyFileModel & { kind: 'row' }, name: string) {
    const compiled = model.program.plan();
    try {
      this.#plan = runtime.register(compiled, { name });
    } finally {
      compiled.release();
    }
    this.#runtime = runtime;
    this.#layouts = model.outputLayouts ?? {};
    const { inputs, outputs } = this.#plan;
    this.inputs = inputs.map((port) => rowMetadata(port, model.declaredInputs));
    this.outputs = outputs.map((port) => outputMetadata(port, model.declaredOutputs, this.#layouts[port.name]));
    this.optional = new Set(inputs.filter(({ unused }) => unused).map(namesOf));
  }

  async run(
    feeds: Readonly<Record<string, unknown>>,
    names: readonly string[] | undefined,
    options: RunOptions,
  ): Promise<Results> {
    const rows = this.#rows(feeds);
    const answers = await this.#runtime.predictBatch(this.#plan, rows, options);
    const wanted = names ?? this.outputs.filter(({ isTensor }) => isTensor).map(namesOf);
    return Object.fromEntries(wanted.map((name) => [name, this.#tensor(name, answers)]));
  }

  release(): void {
    this.#runtime.unregister(this.#plan);
  }

  #rows(feeds: Readonly<Record<string, unknown>>): Row[] {
    const columns = this.#plan.inputs.flatMap((port, at) =>
      port.unused ? [] : [columnOf(port, this.inputs[at]!, feeds[port.name])],
    );
    const rows = columns[0]?.rows ?? 0;
    for (const { port, rows: others } of columns)
      if (others !== rows) throw inputError(port, `${rows} rows, as in "${columns[0]!.port.name}"`, `${others}`);
    return Array.from({ length: rows }, (_, row) =>
      Object.fromEntries(columns.map(({ port, value }) => [port.name, value(row)])),
    );
  }

  #tensor(name: string, answers: readonly Answer[]): Tensor {
    const at = this.outputs.findIndex((port) => port.name === name);
    const metadata = this.outputs[at]!;
    if (!metadata.isTensor) throw notATensor(name);
    return tensorOf(this.#plan.outputs[at]!, answers, metadata, this.#layouts[name]);
  }
}

/** Returns the metadata of an input or output of a plan. */
function rowMetadata({ name, type }: InputPort | OutputPort, declared: readonly TensorPort[] = []): ValueMetadata {
  if (type.kind === 'dictionary') return { name, isTensor: false };
  const port = declared.find((one) => one.name === name && one.kind === 'tensor' && one.element !== undefined);
  const dtype = dtypeOf(type);
  if (type.kind === 'map')
    return { name, isTensor: true, type: 'float32', shape: ['', type.keys.length], labels: type.keys };
  const axes = type.kind === 'tokens' ? [''] : shapeOf(type);
  return port === undefined ? { name, isTensor: true, type: dtype, shape: ['', ...axes] } : metadataOf(port);
}

/**
 * Returns the metadata of an output of a plan. Files may declare another element type than their
 * graph computes, so the type is the computed type, as in onnxruntime.
 */
function outputMetadata(
  port: OutputPort,
  declared: readonly TensorPort[] = [],
  layout: OutputLayout | undefined,
): ValueMetadata {
  const found = rowMetadata(port, declared);
  if (!found.isTensor || port.type.kind === 'map') return found;
  const dtype = dtypeOf(port.type);
  const isKnown = layout !== undefined && (layout.axis === undefined || layout.element !== dtype);
  // Operators of rows compute narrow integers in a wider type, so the declared type may be
  // narrower.
  const type = isKnown ? layout.element : carriers[found.type] === dtype ? found.type : dtype;
  return isTensorType(type) ? { ...found, type } : { name: port.name, isTensor: false };
}

/** The values of one input for all rows. */
interface InputColumn {
  readonly port: InputPort;
  readonly rows: number;
  value(row: number): unknown;
}

function columnOf(port: InputPort, metadata: ValueMetadata, value: unknown): InputColumn {
  if (port.type.kind === 'dictionary') return dictionaries(port, value);
  const tensor = fedTensor(value, metadata, 0);
  const [rows = 0, ...axes] = tensor.dims;
  if (tensor.dims.length === 0) throw inputError(port, 'an axis of rows', 'dims []');
  const size = axes.reduce((product, axis) => product * axis, 1);
  // rows hold half floats as numbers
  const data = tensor.type === 'float16' ? fromFloat16(tensor.data as Uint16Array) : tensor.data;
  return { port, rows, value: port.type.kind === 'scalar' ? (row) => data[row] : lists(data, size) };
}

/**
 * Returns a function that returns the elements of a row: a view of a typed array, or a copy of a
 * part of a list.
 */
function lists(data: FedTensor['data'], size: number): (row: number) => unknown {
  if (Array.isArray(data)) return (row) => data.slice(row * size, (row + 1) * size);
  return (row) => (data as Float32Array).subarray(row * size, (row + 1) * size);
}

function dictionaries(port: InputPort, value: unknown): InputColumn {
  if (!Array.isArray(value)) throw inputError(port, 'a list with one object for each row', typeof value);
  const rows = value as (Dictionary | Readonly<Record<string, unknown>>)[];
  return { port, rows: rows.length, value: (row) => rows[row] };
}

type TensorMetadata = ValueMetadata & { readonly isTensor: true };

/** Joins the answers of all rows into one tensor, in the shape that the file declares. */
function tensorOf(
  port: OutputPort,
  answers: readonly Answer[],
  { type, shape }: TensorMetadata,
  layout?: OutputLayout,
): Tensor {
  const values: unknown[] = [];
  const { kind } = port.type;
  const isSame = layout !== undefined && layout.axis === undefined;
  const shown = (isSame ? answers.slice(0, 1) : answers).map((answer) => answer[port.name]);
  let most = 0;
  if (kind === 'tokens') for (const value of shown) most = Math.max(most, (value as string[]).length);
  for (const value of shown) {
    if (port.type.kind === 'map')
      for (const key of port.type.keys) values.push((value as Readonly<Record<string, number>>)[key]);
    else addElements(value, values);
    if (kind === 'tokens') for (let { length } = value as string[]; length < most; length++) values.push('');
  }
  // In ONNX, a tokenizer appends an axis of tokens to [N, 1], so the axes between the rows and the
  // tokens have size 1.
  const tokenAxes = [...shape.slice(1, -1).map(() => 1), most];
  const axes = kind === 'tokens' ? tokenAxes : port.type.kind === 'map' ? [port.type.keys.length] : shapeOf(port.type);
  const declared = layout?.shape.map((size, axis) => (axis === layout.axis ? size * answers.length : size));
  // Some files declare sizes that differ from the sizes that their graphs compute.
  const fits = declared !== undefined && elementCount(declared) === values.length;
  const dims = fits ? declared : [answers.length, ...axes];
  const labels = port.type.kind === 'map' ? port.type.keys : undefined;
  return new PlainTensor(type, dataOfValues(type, values), dims, labels) as unknown as Tensor;
}

function addElements(value: unknown, to: unknown[]): void {
  if (Array.isArray(value)) for (const one of value) addElements(one, to);
  else to.push(value);
}

const inputError = ({ name }: InputPort, expected: string, received: string) =>
  runtimeError('ERR_RUNTIME_INPUT', { expected, received, at: `input "${name}"`, input: name });

export const notATensor = (name: string) =>
  runtimeError('ERR_RUNTIME_OUTPUT', {
    expected: 'an output that is a tensor',
    received: 'another value',
    at: `output "${name}"`,
    hint: 'list the other outputs in fetches, or use runtime.predictBatch or predictTensors, which return every value',
  });
