import {
  type Attributes,
  type Block,
  BrezelError,
  type DType,
  dense,
  type NumericDType,
  numericArray,
  type ParameterValue,
  type ReferenceCall,
  RowError,
  shapeOf,
  sizeOf,
  strings,
  TENSOR_ROWS,
  type Tensor,
  type TensorLimits,
  type ValueType,
  vector,
} from '@brezel/core';
import { type Flow, flourError, type OperatorDefinition, type OperatorUse, registerCustom } from '@brezel/flour';
import type { TensorProgram } from '@brezel/tensors';
import { importTensors } from '../import-tensors.js';
import { checkedLimits, type ImportLimits } from '../limits.js';
import { storedRowLimits } from './row-limits.js';

// Runs a program over whole tensors as a row operator: each row is a request with one row. It is
// registered like a custom operator, because the file defines its answers.

/** Outputs of one element type. The operator joins their elements into one vector. */
export interface TensorRows {
  readonly dtype: DType;
  readonly outputs: readonly string[];
  /** The number of elements of each output for one row. */
  readonly sizes: readonly number[];
  /** Limits for importing the model again when a plan is loaded. */
  readonly limits: Partial<ImportLimits> | undefined;
  /** Limits of one row. */
  readonly rowLimits: TensorLimits;
}

const definition: OperatorDefinition = Object.freeze({
  name: TENSOR_ROWS,
  version: 1,
  annotations: { cardinality: 'n-to-1', bound: 'compute', state: 'model', discontinuous: true, javascript: true },
  infer: inferred,
  summary: ({ attributes: { bytes, outputs } }: Pick<OperatorUse, 'attributes'>) =>
    `${(outputs as readonly string[]).join(', ')} of an onnx model of ${bytes} bytes, one row at a time`,
  reference,
} as const);
registerCustom(definition, true);

/** Adds the operator that runs the model for each row. `flows` are the inputs of the model. */
export function applyTensorRows(
  flows: readonly Flow[],
  model: Uint8Array,
  { dtype, outputs, sizes, limits, rowLimits }: TensorRows,
): Flow<'vector'> {
  const data = new Int32Array(Math.ceil(model.length / WORD));
  new Uint8Array(data.buffer).set(model);
  return flows[0]!.context.apply<'vector'>(definition, flows, {
    attributes: { bytes: model.length, dtype, outputs, sizes, limits: JSON.stringify(limits ?? {}), ...rowLimits },
    parameters: { model: { dtype: 'int32', shape: [data.length], data } },
  });
}

const WORD = 4;
const dtypes: readonly unknown[] = ['float32', 'float64', 'int64', 'int32', 'bool', 'string'];

/**
 * Checks the attributes of a use, which may come from a file, and returns its output type.
 */
function inferred({ inputs, attributes, parameters: { model } }: OperatorUse): ValueType {
  const fail = (expected: string, received: unknown) =>
    flourError('ERR_FLOUR_PARAM', { expected, received: String(received), at: TENSOR_ROWS });
  const { bytes, dtype, outputs, sizes, limits } = attributes;
  if (inputs.length === 0) throw fail('an input', 'none');
  for (const { kind } of inputs)
    if (!['vector', 'tensor', 'scalar'].includes(kind))
      throw flourError('ERR_FLOUR_TYPE', { expected: 'texts, numbers or a tensor', received: kind, at: TENSOR_ROWS });
  if (!dtypes.includes(dtype)) throw fail(`dtype ${dtypes.join(', ')}`, dtype);
  const isList = Array.isArray(outputs) && Array.isArray(sizes) && outputs.length === sizes.length;
  if (!isList || outputs.length === 0 || !outputs.every((name) => typeof name === 'string'))
    throw fail('names of outputs', outputs);
  if (!(sizes as readonly unknown[]).every((size) => Number.isSafeInteger(size) && Number(size) > 0))
    throw fail('sizes of outputs, from 1', sizes);
  if (!areLimits(limits)) throw fail('limits as JSON', limits);
  if (storedRowLimits(attributes) === undefined)
    throw fail('maxSteps and maxElements, counts', [attributes.maxSteps, attributes.maxElements]);
  const words = Math.ceil(Number(bytes) / WORD);
  if (!Number.isSafeInteger(bytes) || model?.dtype !== 'int32' || model.shape[0] !== words)
    throw fail('a model whose length is the attribute bytes', bytes);
  return vector(
    dtype as DType,
    (sizes as readonly number[]).reduce((sum, size) => sum + size, 0),
  );
}

function areLimits(text: unknown): boolean {
  try {
    checkedLimits(JSON.parse(text as string));
    return typeof text === 'string';
  } catch {
    return false;
  }
}

/** The imported program for each parameter that contains the bytes of a model. */
const programs = new WeakMap<object, TensorProgram>();

function programOf(model: ParameterValue, { bytes, limits }: Attributes): TensorProgram {
  const { data } = model as { readonly data: Int32Array };
  const known = programs.get(data);
  if (known !== undefined) return known;
  const file = new Uint8Array(data.buffer, data.byteOffset, bytes as number);
  const { program } = importTensors(file.slice(), { limits: JSON.parse(limits as string) });
  programs.set(data, program);
  return program;
}

function reference({ rows, inputs, inputTypes, type, attributes, parameters }: ReferenceCall): Block {
  const program = programOf(parameters.model!, attributes);
  const readers = inputs.map((block, at) => readerOf(block, inputTypes[at]!));
  const limits = storedRowLimits(attributes)!;
  const size = sizeOf(type);
  const dtype = attributes.dtype as DType;
  const outputs = attributes.outputs as readonly string[];
  const places = outputs.map((name) => program.outputs.findIndex((output) => output.name === name));
  const sizes = attributes.sizes as readonly number[];
  const texts: string[] = [];
  const numbers = dtype === 'string' ? undefined : numericArray(dtype, rows * size);
  for (let row = 0; row < rows; row++) {
    const values = runRow(program, readers, row, limits);
    let start = row * size;
    for (const [at, place] of places.entries()) {
      const value = values[place];
      if (value === undefined || value.element !== dtype || value.data.length !== sizes[at])
        throw new RowError(row, {
          expected: `${sizes[at]} elements of ${dtype} as output "${outputs[at]}"`,
          received:
            value === undefined || value.element === 'sequence' ? 'another value' : `${value.element}[${value.shape}]`,
          hint: 'the size of the output depends on the row: use predictTensors',
        });
      if (numbers === undefined) for (const text of value.data as readonly string[]) texts.push(text);
      else numbers.set(value.data as never, start);
      start += sizes[at]!;
    }
  }
  if (numbers === undefined) return strings(rows, size, texts);
  return dense(dtype as NumericDType, rows, size, numbers as never);
}

type Reader = (row: number) => Tensor;

/** Runs the program on one row. If the program throws, throws an error about this row. */
function runRow(program: TensorProgram, readers: readonly Reader[], row: number, limits: TensorLimits) {
  try {
    return program.run(
      readers.map((read) => read(row)),
      limits,
    );
  } catch (error) {
    if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL') throw error;
    const hint = error.code === 'ERR_FLOUR_LIMIT' ? GREATER_LIMIT : error.hint;
    throw new RowError(row, { ...error.details, hint, cause: error });
  }
}

const GREATER_LIMIT =
  'shorten the row; or import the model with greater limits, for example { rowByRow: { maxSteps: 1000000 } }; or import it with importTensors and call predictTensors, which pauses';

/**
 * Returns a function that copies a row of a block into a tensor. The first axis of the tensor has
 * the size 1.
 */
function readerOf(block: Block, type: ValueType): Reader {
  const shape = [1, ...(type.kind === 'scalar' ? [] : shapeOf(type))];
  if (block.kind === 'strings')
    return (row) => ({ element: 'string', shape, data: block.values.slice(row * block.size, (row + 1) * block.size) });
  if (block.kind !== 'dense') throw new TypeError('the operator gets dense values');
  const { dtype, size, values } = block;
  return (row) => ({ element: dtype, shape, data: values.slice(row * size, (row + 1) * size) }) as Tensor;
}
