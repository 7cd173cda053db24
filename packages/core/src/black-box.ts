import type { BackendModel } from './backend.js';
import type { ElementType, TensorValue } from './tensor.js';

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
   * The model for inputs of these element types, in the order of `inputs`. Its inputs and outputs have the names above.
   *
   * Cost: O(bytes of its parameters).
   */
  model(elements: readonly ElementType[]): BackendModel;
}

/** Runs a black box: values in the order of its inputs → values in the order of its outputs. */
export type BlackBoxRunner = (
  box: BlackBox,
  inputs: readonly (TensorValue | undefined)[],
) => Promise<readonly TensorValue[]>;

/** Name of the operator that runs a whole model of another runtime on rows. */
export const BLACK_BOX = 'brezel/black-box';
