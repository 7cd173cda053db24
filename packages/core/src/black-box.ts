import type { Attributes, AttributeValue } from './attributes.js';
import type { BackendModel } from './backend.js';
import type { PhysicalStage } from './plan.js';
import type { ElementType, TensorValue } from './tensor.js';
import { type DType, dtypeOf, sizeOf } from './types.js';

/** A node that another runtime runs. */
export interface BlackBoxNode {
  /** Its name in the file, or that of its first output. */
  readonly name: string;
  /** `domain:Operator`. */
  readonly operator: string;
  /** Why Brezel does not run it. */
  readonly why: string;
}

/** A part of a tensor program that another runtime runs: nodes that no path leaves to come back. */
export interface BlackBox {
  /** For errors and reports. */
  readonly name: string;
  readonly nodes: readonly BlackBoxNode[];
  /** Values that go in; the element type where the file tells it. */
  readonly inputs: readonly { readonly name: string; readonly element: ElementType | undefined }[];
  /** Names of the values that come out. */
  readonly outputs: readonly string[];
  /**
   * The model for inputs of these element types, in the order of `inputs`. Its inputs and outputs have the names above; of outputs that are joined
   * `outputs` of the model tells the name.
   *
   * Cost: O(bytes of its parameters).
   */
  model(elements: readonly ElementType[], rows?: BlackBoxRows): BackendModel;
}

/** How rows go through a black box. */
export interface BlackBoxRows {
  /** Of the inputs, in their order. The first axis is the row; a name is a free size. */
  readonly shapes: readonly (readonly (number | string)[])[];
  /** The outputs wanted: one of them as it is, several, of one element type, joined to one of a vector a row. */
  readonly outputs: readonly string[];
}

/** Runs a black box: values in the order of its inputs → values in the order of its outputs. */
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

/** Bytes of numbers that go into a stage and come out of it, a row, where the stage is a black box; undefined of others. Texts are not counted. */
export function blackBoxBytes({ inputs, outputs, steps }: PhysicalStage): number | undefined {
  if (!steps.some(({ operator }) => operator === BLACK_BOX)) return undefined;
  const types = [...inputs, ...steps.map(({ type }) => type)];
  const crossing = [...inputs, ...outputs.map((slot) => types[slot]!)];
  return crossing.reduce((sum, type) => sum + sizeOf(type) * ELEMENT_BYTES[dtypeOf(type)], 0);
}

/** Name of the operator that runs a model of another runtime on rows. */
export const BLACK_BOX = 'brezel/black-box';

/** The nodes that such an operator stands for, out of its attributes; none where a whole model was given. */
export function blackBoxNodes({ nodes }: Attributes): BlackBoxNode[] {
  if (!Array.isArray(nodes)) return [];
  return (nodes as readonly AttributeValue[]).flatMap((node) => {
    if (!Array.isArray(node) || !node.every((part) => typeof part === 'string')) return [];
    const [name = '', operator = '', why = ''] = node as readonly string[];
    return [{ name, operator, why }];
  });
}

/** Nodes that stand in black boxes for one reason: a long list of nodes has few of them. */
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
