import type { Times } from './measure.js';

/** What a fresh process is asked to measure. */
export interface TrialRequest {
  /** ONNX files, or plans of fleet files (`fleet.brezel#plan`). */
  readonly models: readonly string[];
  /** A file of rows, one JSON object a line; without: rows made up from the schema. */
  readonly rows: string | undefined;
  readonly rounds: number;
  readonly blockMs: number;
  readonly hasRival: boolean;
}

/** What it measured. */
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
  /** From the file to a plan that can be called, in µs. */
  readonly loadMicros: number;
  /** Growth of resident memory, with the models before it loaded; undefined where the system does not tell. */
  readonly residentBytes: number | undefined;
  /** Parameters of the plan, and those of them that no model before it has. */
  readonly parameterBytes: number;
  readonly ownBytes: number;
  readonly rival: RivalTrial | undefined;
}

export interface RivalTrial {
  /** Why there is nothing else here. */
  readonly missing?: string;
  readonly single?: Times;
  readonly batch?: Times;
  readonly loadMicros?: number;
  readonly residentBytes?: number | undefined;
  /** Numbers of all rows that were compared, and the largest difference, relative to 1 or the number itself. */
  readonly compared?: number;
  readonly largestDifference?: number;
}

/** A trial that failed: the fault as told in the child. */
export interface TrialFault {
  readonly fault: { readonly code: string; readonly message: string; readonly hint: string };
}
