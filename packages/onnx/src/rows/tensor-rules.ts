import type { ElementType, ParameterValue } from '@brezel/core';
import {
  applyRowTensor,
  type Flow,
  inferTensors,
  type OnnxConstant,
  type RowTensorSpec,
  type TensorOperand,
  type TensorShape,
} from '@brezel/flour';
import { type TensorAttributes, tensorOperator } from '@brezel/tensors';
import { onnxError } from '../errors.js';
import { parameterOf } from './constant.js';
import { convolvedRows } from './convolved.js';
import { summedRows } from './einsum.js';
import { gatheredRows } from './gathered.js';
import { joined } from './join.js';
import { moved, permuted } from './moves.js';
import { multipliedRows } from './products.js';
import { reducedRows } from './reduce.js';
import { type Retyped, retypes, transposed } from './retype.js';
import type { RowNode } from './row-node.js';
import { axisOf, type RuleUse, type Seen } from './rule.js';
import { scalesIndex } from './rules/images.js';
import { batchRule } from './rules/index.js';
import { scatteredRows } from './scattered.js';
import { type Batch, denseFlow, type RowValue, rowShape } from './value.js';

/**
 * Converts a node to an operator that runs a tensor operator on each row. First calls a batch rule
 * to check that the node does not mix rows. Returns undefined if the operator is unsupported or has
 * no batch rule.
 *
 * @throws ERR_ONNX_SHAPE if the node mixes rows.
 */
export function convertByRules(node: RowNode): readonly (RowValue | undefined)[] | undefined {
  const first = node.inputs[0];
  if (
    node.domain === '' &&
    node.operator === 'Flatten' &&
    first?.kind === 'row' &&
    first.dims === undefined &&
    node.attributes.int('axis', 1) === 1
  )
    return [first]; // the tokens of a row are flat
  const retype = node.domain === '' ? retypeOf(node) : undefined;
  if (retype !== undefined) return [retyped(node, retype(ruleUse(node)))];
  if (node.domain === '' && node.operator === 'Transpose') {
    const { isAlias, order, ...result } = transposed(ruleUse(node));
    return [isAlias ? retyped(node, result) : permuted(first as RowValue, order, result.batch, node)];
  }
  const rule = batchRule(node.domain, node.operator);
  if (rule === undefined) return undefined;
  const use = ruleUse(node);
  const batches = rule(use);
  const batchOf = (output: number) => (Array.isArray(batches) ? batches[output] : batches) as Batch;
  const direct =
    reducedRows(node, use, batchOf(0)) ??
    (node.operator === 'Concat' ? joinedRows(node, use, batchOf(0)) : moved(node, batchOf)) ??
    gatheredRows(node, use, batchOf(0)) ??
    scatteredRows(node, use, batchOf(0)) ??
    convolvedRows(node, batchOf(0)) ??
    multipliedRows(node, batchOf(0)) ??
    summedRows(node, batchOf(0));
  if (direct !== undefined) return direct;
  if (tensorOperator(node.domain, node.operator, node.opset) === undefined || !isPlainData(node.options()))
    return undefined;
  return run(withScales(node), batchOf);
}

/**
 * Moves the constant scales of Resize and Upsample from an input to an attribute. The input would
 * become a parameter, and the shape of a row must not depend on a parameter.
 */
function withScales(node: RowNode): RowNode {
  const index = scalesIndex(node);
  const scales = node.operator === 'Resize' || node.operator === 'Upsample' ? node.inputs[index] : undefined;
  if (scales?.kind !== 'constant' || scales.tensor.shape[0] === 0) return node;
  const values = Array.from(scales.tensor.data as ArrayLike<number>);
  const options = { ...node.options(), scales: values };
  return { ...node, options: () => options, inputs: node.inputs.toSpliced(index, 1, undefined) };
}

/**
 * Returns whether the attributes are plain data. Tensors are not plain data, so a program cannot
 * store them as attributes.
 */
const isPlainData = (options: TensorAttributes): boolean =>
  Object.values(options).every((value) => typeof value !== 'object' || value === null || Array.isArray(value));

/**
 * Returns the function that converts an operator that changes only the shape, or undefined. Ignores
 * inherited properties of the table, because a file may contain an operator named `toString`.
 */
function retypeOf({ isFixed, operator }: RowNode) {
  const known = retypes(isFixed);
  return Object.hasOwn(known, operator) ? known[operator] : undefined;
}

/** Operators with an input of sizes that may depend on the number of rows. */
const takeSizes: readonly string[] = ['Reshape', 'Expand', 'Resize'];

export function ruleUse({ operator, opset, attributes, inputs, at }: RowNode): RuleUse {
  const mixes = (why: string) => onnxError('ERR_ONNX_SHAPE', { received: `${operator}: ${why}`, at });
  const seen = inputs.map((value): Seen | undefined => {
    if (value === undefined) return undefined;
    if (value.kind === 'constant') {
      const { tensor: constant, batch, byRows } = value;
      if (byRows !== undefined && batch === undefined && !takeSizes.includes(operator))
        throw mixes('a constant that depends on the number of rows');
      return { dims: constant.shape, batch, constant, byRows };
    }
    if (value.dims === undefined) throw mixes('tokens or a map');
    return { dims: value.dims, batch: value.batch, constant: undefined, byRows: undefined };
  });
  const ints = (index: number): number[] | undefined => {
    const input = seen[index];
    if (input === undefined) return undefined;
    if (input.constant === undefined || input.byRows !== undefined) throw mixes(`input ${index} depends on the row`);
    return Array.from(input.constant.data as ArrayLike<number | bigint>, Number);
  };
  return { operator, opset, attributes, inputs: seen, ints, mixes };
}

function joinedRows(node: RowNode, use: RuleUse, batch: Batch): (RowValue | undefined)[] | undefined {
  const rows = node.inputs.filter((input): input is RowValue => input?.kind === 'row');
  if (rows.length < node.inputs.length) return undefined;
  const axis = axisOf(use, use.attributes.int('axis', 1), rows[0]!.dims!.length);
  const flow = joined(rows, axis);
  if (flow === undefined) return moved(node, () => batch);
  const size = rows.reduce((sum, { dims }) => sum + dims![axis]!, 0);
  return [{ ...rows[0]!, flow, dims: rows[0]!.dims!.with(axis, size), batch }];
}

function retyped({ inputs }: RowNode, { dims, batch }: Retyped): RowValue | undefined {
  const value = inputs[0]!;
  if (value.kind === 'constant') return undefined;
  return { ...value, dims, batch };
}

/**
 * The steps that the import budget counts for each element when the importer infers shapes. For
 * this, the importer runs operators on zeros, which takes about 20 ns for each element.
 */
const INFERRED_STEPS = 4;

/** The same steps for casts and for numbers of 16 bits, which take about 100 ns each. */
export const ROUNDED_STEPS = 24;

function run(node: RowNode, batchOf: (output: number) => Batch | undefined): (RowValue | undefined)[] {
  const { spec, flows, parameters } = operands(node);
  const { budget, at } = node;
  const isRounded =
    /^Cast/.test(spec.operator) || spec.operands.some((operand) => operand?.element.endsWith('float16'));
  const perElement = isRounded ? ROUNDED_STEPS : INFERRED_STEPS;
  const shapes = inferTensors(spec, parameters, (elements) => budget.computed(elements, perElement, at));
  return node.outputs.map((name, output): RowValue | undefined => {
    if (name === '' || (output === 1 && pointsIntoAllRows(node))) return undefined;
    const batch = batchOf(output);
    const { element, shape: dims } = shapeOf(node, shapes[output], batch);
    const shape = rowShape(dims, batch!);
    const flow = applyRowTensor(node.flour, { ...spec, output, element, shape }, flows, parameters);
    return { kind: 'row', flow, element, dims, batch: batch! };
  });
}

/**
 * Returns whether a node outputs the indices of MaxPool and the file allows several rows. These
 * indices count from the start of the whole input, so the indices for a row depend on the position
 * of the row.
 */
const pointsIntoAllRows = ({ domain, operator, isFixed }: RowNode): boolean =>
  domain === '' && operator === 'MaxPool' && !isFixed;

/**
 * Returns the shape of the result. Throws if it does not have the layout of rows that the batch
 * rule returned.
 */
function shapeOf({ at, operator }: RowNode, found: TensorShape | undefined, batch: Batch | undefined): TensorShape {
  if (found !== undefined && batch !== undefined && found.shape[batch.axis] === batch.before * batch.after)
    return found;
  const received = `${operator}: an output of shape [${found?.shape ?? 'none'}]`;
  throw onnxError('ERR_ONNX_SHAPE', { received, at });
}

interface Operands {
  readonly spec: RowTensorSpec;
  readonly flows: readonly Flow[];
  readonly parameters: Readonly<Record<string, ParameterValue>>;
}

function operands(node: RowNode): Operands {
  const flows: Flow[] = [];
  const parameters: Record<string, ParameterValue> = {};
  const list = node.inputs.map((value, index): TensorOperand | undefined => {
    if (value === undefined) return undefined;
    const { element } = value;
    if (value.kind === 'row') {
      flows.push(denseFlow(value.flow));
      return { from: 'row', element, shape: value.dims! };
    }
    const data = integersOf(value.tensor, element);
    if (data !== undefined) return { from: 'value', element, shape: value.tensor.shape, data };
    parameters[`input${index}`] = parameterOf(value.tensor);
    return { from: 'parameter', element };
  });
  const { domain, operator, opset } = node;
  const outputs = node.outputs.length;
  const result = { output: 0, element: 'float32' as const, shape: [] };
  return {
    spec: { domain, operator, opset, options: node.options(), operands: list, outputs, ...result },
    flows,
    parameters,
  };
}

/**
 * The largest number of integers that a program stores as an attribute. Lists of axes and sizes
 * have far fewer.
 */
const MAX_VALUES = 1024;

/**
 * Returns the integers of a constant if a shape may depend on them: at most `MAX_VALUES` integers.
 * Otherwise returns undefined.
 */
function integersOf({ dtype, data }: OnnxConstant, element: ElementType): number[] | undefined {
  if (dtype !== 'int64' && dtype !== 'int32' && dtype !== 'bool') return undefined;
  if (data.length > MAX_VALUES) return undefined;
  const numbers = Array.from(data as ArrayLike<number | bigint>, Number);
  return element !== 'uint64' && numbers.every(Number.isSafeInteger) ? numbers : undefined;
}
