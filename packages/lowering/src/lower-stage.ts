import {
  dtypeOf,
  type LoweredPort,
  type ParameterId,
  type ParameterValue,
  type PhysicalStage,
  printType,
  type Step,
  sizeOf,
  type ValueType,
} from '@brezel/core';
import { DataType, makeGraph, makeModel, makeNode, tensorInput, writeModel } from '@brezel/onnx';
import { loweringError } from './errors.js';
import { lowerings } from './operators/index.js';
import type { ForestStrategy, Lowering } from './operators/lowering.js';
import { Writer } from './writer.js';

/** Options of `lowerStage`. */
export interface LowerOptions {
  /**
   * The form of forests in the model. `auto` (default) writes `gemm` for shallow forests and
   * `traversal` for all others.
   */
  readonly forest?: ForestStrategy | 'auto';
}

/** A stage as an ONNX model for a backend, with the costs and the tolerance of its answers. */
export interface LoweredStage {
  /** An ONNX model, opset 17, whose first axis has a dynamic size. */
  readonly bytes: Uint8Array;
  /** The inputs of the stage, named `in_0`, `in_1`, ... */
  readonly inputs: readonly LoweredPort[];
  /** The outputs of the stage, named `out_0`, `out_1`, ... */
  readonly outputs: readonly LoweredPort[];
  /** Multiplications, additions and comparisons for each row. */
  readonly flopsPerRow: number;
  /**
   * The part of `flopsPerRow` that the native kernel also needs: products with matrices, but not
   * the operations that replace tree walks.
   */
  readonly productFlopsPerRow: number;
  /** Bytes of each row that are copied to the device and back. */
  readonly bytesPerRow: number;
  /**
   * The largest difference of an answer `y` from the reference, for inputs with magnitudes around
   * 1: `absolute + relative * |y|`. Both are 0 if the bits are equal. Differences occur because a
   * backend adds in another order and has other functions such as exp.
   */
  readonly tolerance: { readonly absolute: number; readonly relative: number };
  /**
   * Whether a discrete result (a branch of a tree, the largest score) depends on an inexact value.
   * Such a result may differ from the reference if a value is very near a threshold or another
   * score.
   */
  readonly mayJump: boolean;
}

const TOLERANCE = { absolute: 1e-5, relative: 1e-4 };
const EXACT = { absolute: 0, relative: 0 };
const ELEMENTS = { float32: DataType.FLOAT, int64: DataType.INT64 } as const;

/**
 * Returns why a stage cannot be lowered to a tensor program, or undefined if it can. Its inputs
 * must be dense float32, its outputs must be dense float32 or int64, and its operators must be in
 * `loweredOperators`. Some of these operators are unsupported with certain attributes or
 * parameters.
 *
 * Cost: O(operators).
 *
 * @example whyNotLowered(stage, (id) => store.get(id)) ?? lowerStage(stage, (id) => store.get(id));
 */
export function whyNotLowered(
  stage: PhysicalStage,
  parameters: (id: ParameterId) => ParameterValue,
): string | undefined {
  const types = [...stage.inputs, ...stage.steps.map(({ type }) => type)];
  const input = stage.inputs.find((type) => !isDense(type, 'float32'));
  if (input !== undefined) return `reads ${printType(input)}`;
  const output = stage.outputs.map((slot) => types[slot]!).find((type) => !isDense(type, 'float32', 'int64'));
  if (output !== undefined) return `returns ${printType(output)}`;
  for (const step of stage.steps) {
    const why = whyStepStays(
      step,
      step.inputs.map((slot) => types[slot]!),
      parameters,
    );
    if (why !== undefined) return why;
  }
  return undefined;
}

/**
 * Returns why one operator cannot be lowered, independent of its neighbors, or undefined if it can.
 */
export function whyStepStays(
  { operator, version, attributes, parameters: ids }: Step,
  inputTypes: readonly ValueType[],
  parameters: (id: ParameterId) => ParameterValue,
): string | undefined {
  const lowering = version === 1 ? lowerings.get(operator) : undefined;
  if (lowering === undefined) return `operator ${operator}`;
  const ignored = Object.entries(attributes).find(([name, value]) => isUnknown(name, value, lowering));
  if (ignored !== undefined) return `${operator} with ${ignored[0]}`;
  return lowering.whyUnsupported?.({ attributes, parameters: valuesOf({ parameters: ids }, parameters), inputTypes });
}

/** Returns whether an attribute has an effect that a lowering does not support. */
const isUnknown = (name: string, value: unknown, { attributes = [], defaults = {} }: Lowering): boolean =>
  value !== undefined && value !== false && value !== defaults[name] && !attributes.includes(name);

/**
 * Writes a stage as an ONNX model that a backend runs on a GPU. Dense layers, projections, k-means,
 * support vector machines and forests become matrix products and gathers.
 *
 * Cost: O(bytes of the parameters), because the model contains copies of them.
 *
 * @param parameters returns the value of a parameter: `(id) => store.get(id)`.
 * @throws ERR_LOWERING_OPERATOR when `whyNotLowered` returns a reason; ERR_LOWERING_LIMIT when a
 * forest would become too large.
 * @see Source: Hummingbird (OSDI'20) for forests.
 * @example const { bytes } = lowerStage(stage, (id) => store.get(id));
 */
export function lowerStage(
  stage: PhysicalStage,
  parameters: (id: ParameterId) => ParameterValue,
  { forest = 'auto' }: LowerOptions = {},
): LoweredStage {
  const why = whyNotLowered(stage, parameters);
  if (why !== undefined) throw loweringError('ERR_LOWERING_OPERATOR', { received: why, at: `stage ${stage.key}` });
  const writer = new Writer();
  const slots: Slot[] = stage.inputs.map((type, index) => ({ name: `in_${index}`, type, exact: true }));
  let mayJump = false;
  for (const step of stage.steps) {
    const sources = step.inputs.map((slot) => slots[slot]!);
    const lowering = lowerings.get(step.operator)!;
    const isExact = sources.every(({ exact }) => exact);
    mayJump ||= lowering.jumps === true && !isExact;
    const name = lowering.write({
      writer,
      inputs: sources.map((source) => source.name),
      inputTypes: sources.map(({ type }) => type),
      type: step.type,
      attributes: step.attributes,
      parameters: valuesOf(step, parameters),
      forest,
    });
    slots.push({ name, type: step.type, exact: isExact && lowering.exact });
  }
  return finished(stage, writer, slots, mayJump);
}

interface Slot {
  readonly name: string;
  readonly type: ValueType;
  readonly exact: boolean;
}

function finished(stage: PhysicalStage, writer: Writer, slots: readonly Slot[], mayJump: boolean): LoweredStage {
  const results = stage.outputs.map((slot) => slots[slot]!);
  const inputs = stage.inputs.map((type, index) => portOf(`in_${index}`, type));
  const outputs = results.map(({ type }, index) => portOf(`out_${index}`, type));
  const named = results.map(({ name }, index) => makeNode('Identity', [name], [`out_${index}`]));
  const graph = makeGraph({
    node: [...writer.nodes, ...named],
    initializer: writer.constants,
    input: inputs.map(valueInfo),
    output: outputs.map(valueInfo),
  });
  return {
    bytes: writeModel(makeModel(graph, { '': 17 })),
    inputs,
    outputs,
    flopsPerRow: writer.flopsPerRow,
    productFlopsPerRow: writer.productFlopsPerRow,
    bytesPerRow: [...inputs, ...outputs].reduce((sum, port) => sum + port.size * (port.element === 'int64' ? 8 : 4), 0),
    tolerance: results.every(({ exact }) => exact) ? EXACT : TOLERANCE,
    mayJump,
  };
}

const valueInfo = ({ name, element, size }: LoweredPort) => tensorInput(name, ELEMENTS[element], ['rows', size]);

const portOf = (name: string, type: ValueType): LoweredPort => ({
  name,
  element: dtypeOf(type) as LoweredPort['element'],
  size: sizeOf(type),
});

export const isDense = (type: ValueType, ...dtypes: readonly string[]) =>
  (type.kind === 'scalar' || type.kind === 'vector') && dtypes.includes(dtypeOf(type));

const valuesOf = (step: Pick<Step, 'parameters'>, parameters: (id: ParameterId) => ParameterValue) =>
  Object.fromEntries(Object.entries(step.parameters).map(([name, id]) => [name, parameters(id)]));
