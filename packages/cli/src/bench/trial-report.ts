import type { ModelChoices } from '../models.js';
import type { Times } from './measure.js';

/** The request to a measuring process. */
export interface TrialRequest {
  /** Model files, or plans of fleet files (`fleet.brezel#plan`). */
  readonly models: readonly string[];
  /** A file with one row in JSON on each line. If undefined, rows are generated from the schema. */
  readonly rows: string | undefined;
  /** Options for reading the model files. */
  readonly choices: ModelChoices;
  readonly rounds: number;
  readonly periodMs: number;
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
  /** µs from opening the file to the registered plan. */
  readonly loadMicros: number;
  /**
   * The growth of the resident memory of the process in bytes, from the load of this model. Earlier
   * models are already loaded. Undefined without /proc.
   */
  readonly residentBytes: number | undefined;
  /**
   * Bytes of the plan's parameters. `ownBytes` counts only parameters that no earlier model uses.
   */
  readonly parameterBytes: number;
  readonly ownBytes: number;
  readonly rival: RivalTrial | undefined;
}

export interface RivalTrial {
  /** Why onnxruntime-node could not run the model. */
  readonly missing?: string;
  /** The locale that replaces a missing locale of the model. */
  readonly locale?: string | undefined;
  readonly single?: Times;
  readonly batch?: Times;
  readonly loadMicros?: number;
  readonly residentBytes?: number | undefined;
  /**
   * How many numbers of all answers were compared with onnxruntime. `largestDifference` is the
   * largest difference; for numbers above 1 it is relative to onnxruntime's number.
   */
  readonly compared?: number;
  readonly largestDifference?: number;
}
