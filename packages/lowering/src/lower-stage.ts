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
import type { ForestStrategy } from './operators/lowering.js';
import { Writer } from './writer.js';

export interface LowerOptions {
  /** How forests are written. Default: products for shallow ones, steps for others. */
  readonly forest?: ForestStrategy | 'auto';
}

export interface LoweredStage {
  /** An ONNX model, opset 17, with a free first axis. */
  readonly bytes: Uint8Array;
  /** `in_0`, `in_1`, ... as the stage's inputs. */
  readonly inputs: readonly LoweredPort[];
  /** `out_0`, `out_1`, ... as the stage's outputs. */
  readonly outputs: readonly LoweredPort[];
  /** Multiplications, additions and comparisons a row. */
  readonly flopsPerRow: number;
  /** Those among them that the stage's native kernel does too: products with its matrices, but not what stands for the walks of a forest. */
  readonly productFlopsPerRow: number;
  /** Bytes a row that go to the device and come back. */
  readonly bytesPerRow: number;
  /**
   * How far answers may be from the reference, of an output whose inputs are of the order of 1: both count. 0 where they are the same. Sums run in
   * another order and functions are the backend's.
   */
  readonly tolerance: { readonly absolute: number; readonly relative: number };
  /** A decision (a branch of a tree, the greatest score) reads what is not exact: near a tie the answer may be another one. */
  readonly mayJump: boolean;
}

const TOLERANCE = { absolute: 1e-5, relative: 1e-4 };
const EXACT = { absolute: 0, relative: 0 };
const ELEMENTS = { float32: DataType.FLOAT, int64: DataType.INT64 } as const;

/**
 * Why a stage has no form as tensors; undefined where it has one. Dense float32 goes in; operators are those of `loweredOperators`.
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
  if (output !== undefined) return `gives ${printType(output)}`;
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

/** The same of one of its operators, whatever is around it. */
export function whyStepStays(
  { operator, version, attributes, parameters: ids }: Step,
  inputTypes: readonly ValueType[],
  parameters: (id: ParameterId) => ParameterValue,
): string | undefined {
  const lowering = version === 1 ? lowerings.get(operator) : undefined;
  if (lowering === undefined) return `operator ${operator}`;
  return lowering.refuse?.({ attributes, parameters: valuesOf({ parameters: ids }, parameters), inputTypes });
}

/**
 * Writes a stage as an ONNX model, for a backend that runs it on a GPU: dense layers, projections, k-means, support vector machines and forests
 * become products and gathers. Cost: the size of the parameters, which are copied into the model.
 *
 * @param parameters gives the value of a parameter: `(id) => store.get(id)`.
 * @throws ERR_LOWERING_OPERATOR when `whyNotLowered` has a reason; ERR_LOWERING_LIMIT when a forest would become too large.
 * @see Source: Hummingbird (OSDI'20) for forests; DESIGN decision 10.
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
  const slots: Slot[] = stage.inputs.map((type, at) => ({ name: `in_${at}`, type, exact: true }));
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
  const inputs = stage.inputs.map((type, at) => portOf(`in_${at}`, type));
  const outputs = results.map(({ type }, at) => portOf(`out_${at}`, type));
  const named = results.map(({ name }, at) => makeNode('Identity', [name], [`out_${at}`]));
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
