import type { BlackBox, DType } from '@brezel/core';
import { applyBlackBox, type Flow, onnxOperators } from '@brezel/flour';
import type { TensorResolver } from '@brezel/tensors';
import { type DeclaredRow, declaredRow } from '../black-box/declared-rows.js';
import { JOINS_SINCE } from '../black-box/joined-outputs.js';
import { type OnnxError, onnxError } from '../errors.js';
import type { ImportBudget } from '../import-budget.js';
import { elementOf } from '../proto/element-tensor.js';
import type { ValueInfoProto } from '../proto/schema.js';
import type { Spender } from './moves.js';
import { customOf } from './strategies/mapping.js';
import { type GraphValue, isPlain, product, type RowValue, reshapedFlow, rowValue } from './value.js';

// Converts unsupported nodes to a stage of a row program. Brezel cannot check whether these nodes
// mix rows, so the caller guarantees that they do not.

/**
 * A resolver that accepts all operators that row programs support, so that their nodes do not
 * become black boxes. If row programs support the operator but not this node, the conversion of the
 * node fails later.
 */
export const rowOperators: TensorResolver = (node) => {
  const isIt = ({ domain, operator, versions: [from, to] }: (typeof onnxOperators)[number]) =>
    domain === node.domain && operator === node.operator && node.opset >= from && node.opset <= to;
  return onnxOperators.some(isIt) || customOf(node) !== undefined ? () => [] : undefined;
};

/** The properties of the model that the conversion of a black box reads. */
export interface BoxSurroundings {
  /** The version of the operator set ai.onnx. */
  readonly opset: number;
  /** Whether the file declares that the first axis has the size 1. */
  readonly isFixed: boolean;
  value(name: string): GraphValue | undefined;
  readonly budget: ImportBudget;
  /** Returns the declaration of a value, or undefined if the file does not declare it. */
  declared(name: string): ValueInfoProto | undefined;
}

/**
 * Adds the stages of a black box to the program, and returns the outputs of the box by name. A
 * stage passes a block of rows to the other runtime, along the first axis of each input. If the
 * file declares one row, the stage passes single rows. One stage computes all outputs of the same
 * element type; before opset `JOINS_SINCE`, each output has a separate stage.
 *
 * @throws ERR_ONNX_SHAPE for an input that is not a row value, and for an output that the file does
 * not declare.
 */
export function convertBlackBox(box: BlackBox, around: BoxSurroundings): (readonly [string, RowValue])[] {
  const rows = box.inputs.map(({ name }) => rowGiven(box, name, around));
  if (rows.length === 0) throw unsupported(box, 'an input of rows', 'none');
  const outputs = box.outputs.map((name) => declaredOutput(box, name, around));
  return stagesOf(outputs, around.opset >= JOINS_SINCE).flatMap((some) =>
    partsOf(stageOf(box, rows, some, around), some, { budget: around.budget, at: box.name }),
  );
}

interface OutputRow extends DeclaredRow {
  readonly name: string;
}

/**
 * Groups the outputs of a box into stages. If `canJoin`, outputs of the same element type share a
 * stage.
 */
function stagesOf(outputs: readonly OutputRow[], canJoin: boolean): OutputRow[][] {
  const stages = new Map<string, OutputRow[]>();
  for (const output of outputs) {
    const key = canJoin ? output.element : output.name;
    stages.set(key, [...(stages.get(key) ?? []), output]);
  }
  return [...stages.values()];
}

/**
 * Adds a stage that computes several outputs of a box, and returns the vector in which they follow
 * each other.
 */
function stageOf(
  box: BlackBox,
  rows: readonly RowValue[],
  some: readonly OutputRow[],
  { isFixed, budget }: BoxSurroundings,
) {
  const elements = rows.map(({ element }) => element);
  const shapes = rows.map(({ dims }) => [isFixed ? 1 : 'N', ...dims!.slice(1)]);
  const { bytes, outputs } = box.model(elements, { shapes, outputs: some.map(({ name }) => name) });
  budget.list(bytes!.length, box.name, 1); // each box that reads a weight contains a copy of it
  const flows = rows.map(({ flow, dims }) => reshapedFlow(flow, dims!.slice(1)));
  return applyBlackBox(flows, bytes!, {
    size: some.reduce((sum, { dims }) => sum + product(dims), 0),
    dtype: dtypeOf(some[0]!.element),
    inputs: box.inputs.map(({ name }) => name),
    output: outputs![0]!,
    nodes: box.nodes,
  });
}

function partsOf(
  stage: Flow<'vector'>,
  some: readonly OutputRow[],
  { budget, at }: Spender,
): (readonly [string, RowValue])[] {
  let from = 0;
  return some.map(({ name, element, dims }) => {
    if (some.length > 1) budget.list(product(dims), at);
    const columns = Array.from({ length: some.length === 1 ? 0 : product(dims) }, (_, index) => from + index);
    from += columns.length;
    const flow = reshapedFlow(some.length === 1 ? stage : stage.selectColumns(columns), dims);
    return [name, { ...rowValue(flow), element, dims: [1, ...dims] }] as const;
  });
}

function rowGiven(box: BlackBox, name: string, { value }: BoxSurroundings): RowValue {
  const input = value(name);
  if (input?.kind === 'row' && input.dims !== undefined && isPlain(inFloat32(input))) return input;
  const received = input === undefined ? 'nothing' : input.kind === 'constant' ? 'a constant' : shownRow(input);
  throw unsupported(box, `rows along the first axis as "${name}"`, received);
}

/**
 * Returns the value with element type float32 instead of float16, because flows contain float16
 * numbers as float32.
 */
const inFloat32 = (value: RowValue): RowValue =>
  value.element === 'float16' ? { ...value, element: 'float32' } : value;

const dtypeOf = (element: DeclaredRow['element']): DType => (element === 'float16' ? 'float32' : element);

const shownRow = ({ dims, batch, element }: RowValue): string =>
  dims === undefined ? 'tokens or a map' : `${element} with rows along axis ${batch.axis} of [${dims}]`;

function declaredOutput(box: BlackBox, name: string, { declared }: BoxSurroundings): OutputRow {
  const value = declared(name);
  const row = declaredRow(value);
  if (row !== undefined) return { name, ...row };
  const tensor = value?.type?.tensorType;
  const received = shownType(tensor && elementOf(tensor.elemType), tensor?.shape?.dim);
  throw unsupported(box, `a declared type [N, sizes...] of "${name}", of an element type that rows have`, received);
}

type Axes = NonNullable<NonNullable<NonNullable<ValueInfoProto['type']>['tensorType']>['shape']>['dim'] | undefined;

const shownType = (element: string | undefined, axes: Axes): string =>
  `${element ?? 'no type'}${axes === undefined ? ', no shape' : `[${axes.map(({ dimValue, dimParam }) => dimValue ?? (dimParam || '?')).join(', ')}]`}`;

const WHOLE = "importModel(bytes, flour, { blackBox: 'allow' }) runs the model over whole tensors";

const unsupported = (box: BlackBox, expected: string, received: string): OnnxError =>
  onnxError('ERR_ONNX_SHAPE', { expected, received, at: box.name, hint: WHOLE });
