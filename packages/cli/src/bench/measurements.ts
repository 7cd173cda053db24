import { availableParallelism, cpus } from 'node:os';
import { basename } from 'node:path';
import { version } from '../version.js';
import type { Times } from './measure.js';
import { type Interval, median, pairedRatio } from './statistics.js';
import type { ModelTrial, TrialReport } from './trial-report.js';

// The measurements of all processes, as `--save` writes them. Samples of times are multiples of the
// time of the reference workload, with one list for each process.

export const FORMAT = 'brezel-bench-1';

export interface Measurements {
  readonly format: typeof FORMAT;
  readonly machine: { readonly cpu: string; readonly cores: number; readonly node: string; readonly brezel: string };
  /** Duration of the reference workload in µs. It shows the speed of the machine. */
  readonly referenceMicros: number;
  /** Version of onnxruntime-node. Undefined if it is not installed or not measured. */
  readonly rival: string | undefined;
  readonly models: readonly ModelMeasurements[];
}

/** Metrics that are compared with a baseline. Smaller is better. */
export const comparable = ['single', 'batch', 'load', 'parameters'] as const;
export type Metric = (typeof comparable)[number];
export type Samples = readonly (readonly number[])[];

export interface ModelMeasurements {
  /** File name without its folder, so that two checkouts have the same name. */
  readonly name: string;
  readonly engine: string;
  readonly rows: number;
  /** The median over all measuring processes of each percentile, in µs. */
  readonly singleMicros: { readonly p50: number; readonly p99: number };
  readonly rowsPerSecond: number;
  readonly loadMs: number;
  readonly residentBytes: number | undefined;
  readonly parameterBytes: number;
  readonly ownBytes: number;
  /**
   * The samples of each metric. `single`, `batch` and `load` are multiples of the duration of the
   * reference workload; `parameters` is in bytes.
   */
  readonly samples: Readonly<Record<Metric, Samples>>;
  readonly rival: RivalMeasurements | undefined;
}

export interface RivalMeasurements {
  readonly missing?: string;
  /**
   * The locale that replaces the model's locale in onnxruntime, because the model's locale is not
   * installed.
   */
  readonly locale?: string | undefined;
  /**
   * onnxruntime's time divided by Brezel's time. `batch` and `load` are ratios of times too, and
   * `memory` is onnxruntime's bytes divided by Brezel's bytes.
   */
  readonly single?: Interval;
  readonly batch?: Interval;
  readonly load?: Interval;
  readonly memory?: number | undefined;
  readonly compared?: number;
  readonly largestDifference?: number;
}

/** Confidence of each interval in the comparison with onnxruntime. */
export const CONFIDENCE = 0.99;

export function summarize(arguments_: readonly string[], trials: readonly TrialReport[]): Measurements {
  const names = namesOf(arguments_);
  return {
    format: FORMAT,
    machine: {
      cpu: cpus()[0]?.model.trim() ?? 'unknown',
      cores: availableParallelism(),
      node: process.version,
      brezel: version(),
    },
    referenceMicros: median(trials.map(({ reference }) => reference.p50)),
    rival: trials[0]!.rivalVersion,
    models: names.map((name, at) => summarizeModel(name, trials, at)),
  };
}

/**
 * Returns the file names of models without their folders. For models with equal file names, returns
 * the whole MODEL arguments instead.
 */
function namesOf(models: readonly string[]): string[] {
  const short = models.map((model) => basename(model));
  return short.map((name, at) => (short.filter((other) => other === name).length === 1 ? name : models[at]!));
}

function summarizeModel(name: string, trials: readonly TrialReport[], at: number): ModelMeasurements {
  const models = trials.map(({ models }) => models[at]!);
  const middle = (of: (model: ModelTrial) => number) => median(models.map(of));
  const first = models[0]!;
  const inReference = (times: (model: ModelTrial) => Times) =>
    trials.map(({ reference, models }) =>
      times(models[at]!).rounds.map((time, round) => time / reference.rounds[round]!),
    );
  const hasMemory = models.every(({ residentBytes }) => residentBytes !== undefined);
  return {
    name,
    engine: first.engine,
    rows: first.rows,
    singleMicros: { p50: middle(({ single }) => single.p50), p99: middle(({ single }) => single.p99) },
    rowsPerSecond: (first.rowsPerBatch * 1e6) / middle(({ batch }) => batch.p50),
    loadMs: middle(({ loadMicros }) => loadMicros) / 1000,
    residentBytes: hasMemory ? middle(({ residentBytes }) => residentBytes!) : undefined,
    parameterBytes: first.parameterBytes,
    ownBytes: first.ownBytes,
    samples: {
      single: inReference(({ single }) => single),
      batch: inReference(({ batch }) => batch),
      load: trials.map(({ reference, models }) => [models[at]!.loadMicros / reference.p50]),
      parameters: models.map(({ parameterBytes }) => [Math.max(1, parameterBytes)]),
    },
    rival: first.rival && summarizeRival(models),
  };
}

/**
 * The comparison divides onnxruntime's memory by at least this many bytes, even if Brezel needs
 * less. Allocators reserve memory in pages, so a ratio of smaller numbers would mean nothing.
 */
const MEMORY_FLOOR = 2 ** 20;

function summarizeRival(models: readonly ModelTrial[]): RivalMeasurements {
  const missing = models.find(({ rival }) => rival?.missing !== undefined)?.rival?.missing;
  if (missing !== undefined) return { missing };
  const rounds = (kind: 'single' | 'batch') =>
    models.map((model) => model.rival![kind]!.rounds.map((time, round) => time / model[kind].rounds[round]!));
  const theirs = models.map(({ rival }) => rival!.residentBytes);
  const hasMemory = theirs.every((bytes) => bytes !== undefined) && models[0]!.residentBytes !== undefined;
  const memory = () =>
    median(theirs as number[]) / Math.max(MEMORY_FLOOR, median(models.map(({ residentBytes }) => residentBytes!)));
  return {
    locale: models[0]!.rival!.locale,
    single: pairedRatio(rounds('single'), CONFIDENCE),
    batch: pairedRatio(rounds('batch'), CONFIDENCE),
    load: pairedRatio(
      models.map(({ rival, loadMicros }) => [rival!.loadMicros! / loadMicros]),
      CONFIDENCE,
    ),
    memory: hasMemory ? memory() : undefined,
    compared: models[0]!.rival!.compared!,
    largestDifference: models[0]!.rival!.largestDifference!,
  };
}
