import type { Attributes, AttributeValue } from './attributes.js';
import type { BackendModel } from './backend.js';
import type { PhysicalStage } from './plan.js';
import type { ElementType, TensorValue } from './tensor.js';
import { type DType, dtypeOf, sizeOf } from './types.js';

/** A node that another runtime runs, as a part of a black box. */
export interface BlackBoxNode {
  /** The node's name in the file, or the name of its first output. */
  readonly name: string;
  /** The operator type, as `domain:Operator`. */
  readonly operator: string;
  /** The reason why Brezel does not run the node itself. */
  readonly why: string;
}

/**
 * A part of a tensor program that another runtime runs in one call. Therefore no input of the part
 * may depend on an output of the part.
 */
export interface BlackBox {
  /** Name of the black box in errors and reports. */
  readonly name: string;
  readonly nodes: readonly BlackBoxNode[];
  /**
   * The values that the black box reads. The element type is undefined when the file does not
   * declare it.
   */
  readonly inputs: readonly { readonly name: string; readonly element: ElementType | undefined }[];
  /** Names of the values that the black box writes. */
  readonly outputs: readonly string[];
  /**
   * Returns a model file that contains only this black box, for the given element types of its
   * inputs.
   *
   * The inputs and outputs of the model have the names in `inputs` and `outputs`. If `rows`
   * requests several outputs, the model joins them into one output, and the field `outputs` of the
   * result has the name of this output.
   *
   * Cost: O(bytes of the parameters).
   *
   * @param elements element types, in the order of `inputs`.
   */
  model(elements: readonly ElementType[], rows?: BlackBoxRows): BackendModel;
}

/** Shapes and outputs of a black box that runs on rows instead of whole tensors. */
export interface BlackBoxRows {
  /**
   * The shape of each input, in the order of `BlackBox.inputs`. The first axis counts the rows. A
   * name stands for a size that may differ between calls.
   */
  readonly shapes: readonly (readonly (number | string)[])[];
  /**
   * Names of the requested outputs. A single output is returned unchanged. Several outputs must
   * have the same element type; the black box joins them into one vector for each row.
   */
  readonly outputs: readonly string[];
}

/**
 * Runs a black box in another runtime. The caller passes a value for each input, in the order of
 * `box.inputs`. The function returns a value for each output, in the order of `box.outputs`.
 */
export type BlackBoxRunner = (
  box: BlackBox,
  inputs: readonly (TensorValue | undefined)[],
) => Promise<readonly TensorValue[]>;

const ELEMENT_BYTES: Readonly<Record<DType, number>> = {
  float32: 4,
  float64: 8,
  int64: 8,
  int32: 4,
  bool: 1,
  string: 0,
};

/**
 * Returns the number of bytes that a black-box stage reads and writes for each row. Counts only
 * numbers, not texts. Returns undefined if the stage is not a black box.
 */
export function blackBoxBytes({ inputs, outputs, steps }: PhysicalStage): number | undefined {
  if (!steps.some(({ operator }) => operator === BLACK_BOX)) return undefined;
  const types = [...inputs, ...steps.map(({ type }) => type)];
  const crossing = [...inputs, ...outputs.map((slot) => types[slot]!)];
  return crossing.reduce((sum, type) => sum + sizeOf(type) * ELEMENT_BYTES[dtypeOf(type)], 0);
}

/** Name of the operator that runs rows through a model of another runtime. */
export const BLACK_BOX = 'brezel/black-box';

/** Name of the operator that runs a tensor program once for each row. */
export const TENSOR_ROWS = 'brezel/tensor-rows';

/**
 * Returns the nodes that a black-box operator runs, which its attribute `nodes` lists. Returns an
 * empty list if the black box is a whole model.
 */
export function blackBoxNodes({ nodes }: Attributes): BlackBoxNode[] {
  if (!Array.isArray(nodes)) return [];
  return (nodes as readonly AttributeValue[]).flatMap((node) => {
    if (!Array.isArray(node) || !node.every((part) => typeof part === 'string')) return [];
    const [name = '', operator = '', why = ''] = node as readonly string[];
    return [{ name, operator, why }];
  });
}

/**
 * Groups black-box nodes by the reason why Brezel does not run them. Reports list the groups,
 * because many nodes usually have few different reasons.
 */
export function blackBoxReasons(
  nodes: readonly BlackBoxNode[],
): { readonly reason: string; readonly names: readonly string[] }[] {
  const reasons = new Map<string, string[]>();
  for (const { name, operator, why } of nodes) {
    const reason = `${operator}: ${why}`;
    reasons.set(reason, [...(reasons.get(reason) ?? []), name]);
  }
  return Array.from(reasons, ([reason, names]) => ({ reason, names }));
}
