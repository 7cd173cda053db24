import { cliError } from '../errors.js';
import { comparable, FORMAT, type Measurements, type Metric, type Samples } from './measurements.js';
import { confidenceOfEach, type Interval, unpairedRatio, type Verdict, verdictOf } from './statistics.js';

/** The parts of a `--save` file that a comparison reads. */
export interface Baseline {
  readonly machine: Readonly<Record<string, unknown>>;
  readonly models: readonly { readonly name: string; readonly samples: Readonly<Record<Metric, Samples>> }[];
}

/** A metric of one model compared with the baseline. A `ratio` above 1 is worse. */
export interface BaselineComparison extends Interval {
  readonly model: string;
  readonly metric: Metric;
  readonly verdict: Verdict;
}

/** The probability that all comparisons of a run are correct. */
const CONFIDENCE = 0.99;
const MAX_SAMPLES = 100_000;

/**
 * Parses a baseline file.
 *
 * @throws ERR_CLI_BASELINE if `--save` did not write the bytes.
 */
export function parseBaseline(bytes: Uint8Array, file: string): Baseline {
  const refuse = (received: string): never => {
    throw cliError('ERR_CLI_BASELINE', { expected: 'a file that brezel bench --save wrote', received, at: file });
  };
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(bytes));
  } catch {
    return refuse('not JSON');
  }
  if (!isRecord(value) || value.format !== FORMAT)
    return refuse(isRecord(value) ? `format ${JSON.stringify(value.format ?? null).slice(0, 40)}` : 'another value');
  const { models, machine } = value;
  if (!Array.isArray(models) || !isRecord(machine)) return refuse('no models or no machine');
  const wrong = models.findIndex((model) => !isModel(model));
  if (wrong >= 0) return refuse(`model ${wrong} without samples of two processes or more`);
  return value as unknown as Baseline;
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isModel = (model: unknown) =>
  isRecord(model) &&
  typeof model.name === 'string' &&
  isRecord(model.samples) &&
  comparable.every((metric) => isSamples((model.samples as Record<string, unknown>)[metric]));

/**
 * Returns whether a value holds samples: at least two lists (one for each measuring process), each
 * with at least one positive number.
 */
function isSamples(value: unknown): boolean {
  if (!Array.isArray(value) || value.length < 2) return false;
  const isSample = (one: unknown) => typeof one === 'number' && one > 0 && Number.isFinite(one);
  return value.every(
    (trial) => Array.isArray(trial) && trial.length > 0 && trial.length <= MAX_SAMPLES && trial.every(isSample),
  );
}

/**
 * Returns a text for each difference between the machine of this run and the machine of the
 * baseline: processor, version of Node, version of Brezel.
 */
export const differentFrom = (now: Measurements, { machine }: Baseline): string[] =>
  (['cpu', 'node', 'brezel'] as const)
    .filter((fact) => machine[fact] !== now.machine[fact])
    .map((fact) => `${fact} ${now.machine[fact]}, in the baseline ${String(machine[fact]).slice(0, 80)}`);

/**
 * Compares every metric of the models that both runs measured.
 *
 * @param threshold allowed increase, such as 0.1.
 */
export function compareWithBaseline(now: Measurements, then: Baseline, threshold: number): BaselineComparison[] {
  const old = new Map(then.models.map((model) => [model.name, model.samples]));
  const pairs = now.models.flatMap(({ name, samples }) => {
    const before = old.get(name);
    if (before === undefined) return [];
    return comparable.map((metric) => ({ model: name, metric, samples: samples[metric], before: before[metric] }));
  });
  const confidence = confidenceOfEach(CONFIDENCE, pairs.length);
  return pairs.map(({ model, metric, samples, before }) => {
    const interval = unpairedRatio(samples, before, confidence);
    return { model, metric, ...interval, verdict: verdictOf(interval, threshold) };
  });
}
