import type { Times } from './measure.js';

/** The request to a measuring process. */
export interface TrialRequest {
  /** ONNX files, or plans of fleet files (`fleet.brezel#plan`). */
  readonly models: readonly string[];
  /** A file with one JSON object per line; undefined: rows generated from the schema. */
  readonly rows: string | undefined;
  readonly rounds: number;
  readonly blockMs: number;
  readonly hasRival: boolean;
}

/** The answer of a measuring process. */
export interface TrialReport {
  readonly reference: Times;
  readonly rivalVersion: string | undefined;
  readonly models: readonly ModelTrial[];
}

export interface ModelTrial {
  readonly model: string;
  readonly engine: string;
  readonly rows: number;
  readonly rowsPerBatch: number;
  readonly single: Times;
  readonly batch: Times;
  /** From the file to a registered plan, in µs. */
  readonly loadMicros: number;
  /** Growth of resident memory, with the earlier models loaded; undefined without /proc. */
  readonly residentBytes: number | undefined;
  /** Bytes of the plan's parameters; `ownBytes`: of the parameters that no earlier model has. */
  readonly parameterBytes: number;
  readonly ownBytes: number;
  readonly rival: RivalTrial | undefined;
}

export interface RivalTrial {
  /** Why onnxruntime-node did not run the model. */
  readonly missing?: string;
  readonly single?: Times;
  readonly batch?: Times;
  readonly loadMicros?: number;
  readonly residentBytes?: number | undefined;
  /**
   * Compared numbers of all rows, and the largest difference relative to the larger of 1 and the
   * number.
   */
  readonly compared?: number;
  readonly largestDifference?: number;
}

/** A failed trial: the error of the process. */
export interface TrialFault {
  readonly fault: { readonly code: string; readonly message: string; readonly hint: string };
}
