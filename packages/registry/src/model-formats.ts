import type { ModelLimits, NonFiniteChoice, OwnedPlan, Precision } from '@brezel/core';

/** An open fleet file, as the registry uses it. */
export interface OpenFleet {
  readonly path: string;
  /** Names of the plans in the file. */
  readonly names: readonly string[];
  /** Returns a plan. The caller must release it. */
  plan(name: string): OwnedPlan;
  /** Resolves when the pages of the file are in memory. Never rejects. */
  readonly prefaulted?: Promise<void>;
  close(): void;
}

/**
 * Reads fleet files and model files. The package that creates the registry implements this
 * interface.
 */
export interface ModelFormats {
  /** Returns whether a file that starts with these bytes is a fleet file. */
  isFleet(firstBytes: Uint8Array): boolean;
  /**
   * Opens and checks a fleet file. If the registry has the option `warm`, the fleet reads its pages
   * into memory.
   */
  openFleet(path: string): Promise<OpenFleet>;
  /**
   * Imports and compiles the content of a model file. The buffer of the bytes may be transferred to
   * another thread, so the caller cannot use it afterwards.
   */
  compile(bytes: Uint8Array<ArrayBuffer>, options: CompileOptions): Promise<OwnedPlan>;
  /** The number of models that `compile` imports at the same time. */
  readonly importsAtOnce: number;
  /** Ends the threads that compile. Calls in flight fail. */
  close(): Promise<void>;
}

/** How to import a model file. */
export interface FileImport {
  /**
   * Whether to load models whose learned numbers contain NaN, or an infinity that has no meaning
   * for the operator.
   */
  readonly nonFinite: NonFiniteChoice;
  readonly limits: Partial<ModelLimits>;
  /** Whether to split each n-gram that skl2onnx wrote as one string into its words. */
  readonly repairNgrams: boolean;
  /** The type in which the program of a scikit-learn file computes. */
  readonly precision: Precision;
}

export interface CompileOptions extends FileImport {
  /** A signal that aborts when the registry no longer needs the plan. */
  readonly signal: AbortSignal | undefined;
  /**
   * Pauses the timeout of the load and returns a function that ends the pause, as
   * `LoadOptions.pauseTimeout` does.
   */
  readonly pauseTimeout: (() => () => void) | undefined;
}
