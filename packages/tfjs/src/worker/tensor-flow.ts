import type { Artifacts } from '../files/artifacts.js';

// The part of the TensorFlow.js API that this package uses. It is equal in all three packages, so
// this package does not depend on their types.

export type TfData = Float32Array | Int32Array | Uint8Array | readonly string[];

export interface TfTensor {
  readonly shape: readonly number[];
  readonly dtype: string;
  data(): Promise<TfData>;
  dispose(): void;
}

/**
 * An input or output in the form of TensorFlow.js. In its shape, null or -1 stands for a size that
 * requests may choose.
 */
export interface TfPort {
  readonly name: string;
  readonly shape?: readonly (number | null)[] | null;
  readonly dtype?: string;
}

export interface TfSymbol extends TfPort {
  readonly sourceLayer?: { readonly name: string };
}

export interface TfLayersModel {
  readonly inputs: readonly TfSymbol[];
  readonly outputs: readonly TfSymbol[];
  predictOnBatch(inputs: TfTensor | TfTensor[]): TfTensor | TfTensor[];
  dispose(): void;
}

export interface TfGraphModel {
  readonly weights: Readonly<Record<string, readonly TfTensor[]>>;
  readonly inputs: readonly TfPort[];
  readonly outputs: readonly TfPort[];
  execute(inputs: Record<string, TfTensor>, outputs: readonly string[]): TfTensor | TfTensor[];
  executeAsync(inputs: Record<string, TfTensor>, outputs: readonly string[]): Promise<TfTensor | TfTensor[]>;
  dispose(): void;
}

/** The API for SavedModels. Only tfjs-node and tfjs-node-gpu have it. */
export interface TfSavedModel {
  predict(inputs: Record<string, TfTensor>): Record<string, TfTensor>;
  dispose(): void;
}

export interface TfMetaGraph {
  readonly tags: readonly string[];
  readonly signatureDefs: Readonly<
    Record<
      string,
      { readonly inputs: Readonly<Record<string, TfPort>>; readonly outputs: Readonly<Record<string, TfPort>> }
    >
  >;
}

export interface TfLayer {
  addWeight(name: string, shape: readonly number[], ...rest: readonly unknown[]): unknown;
}

export interface TfEngine {
  readonly registeredVariables: Readonly<Record<string, TfTensor>>;
  startScope(name: string): void;
  /**
   * Frees all tensors created since `startScope`, except the tensors in `kept` and tensors marked
   * with `tf.keep`.
   */
  endScope(kept?: unknown): void;
}

interface Loader {
  load(): Promise<Artifacts>;
}

export interface TensorFlow {
  readonly version: Readonly<Record<string, string>>;
  readonly layers: {
    readonly Layer: { readonly prototype: TfLayer };
    dense(config: object): unknown;
  };
  readonly node?: {
    getMetaGraphsFromSavedModel(path: string): Promise<readonly TfMetaGraph[]>;
    loadSavedModel(path: string, tags: readonly string[], signature: string): Promise<TfSavedModel>;
  };
  enableProdMode(): void;
  ready(): Promise<void>;
  backend(): { readonly isUsingGpuDevice?: boolean };
  memory(): { readonly numTensors: number; readonly numBytes: number };
  engine(): TfEngine;
  tensor(data: TfData, shape: readonly number[], dtype: string): TfTensor;
  sequential(config: { layers: readonly unknown[] }): TfLayersModel;
  loadLayersModel(loader: Loader): Promise<TfLayersModel>;
  loadGraphModel(loader: Loader): Promise<TfGraphModel>;
}
