import { type BackendOptions, optionNames } from '@brezel/core';
import { DEFAULT_MAX_INPUT_BYTES, GREATEST_MAX_INPUT_BYTES, runtimeError } from '../errors.js';
import { BLOCK_ROWS } from '../execute/batch.js';
import { type EngineName, unknownEngine } from '../execute/engine-name.js';
import type { BatchingOptions } from '../features/batching/delayed-batching.js';
import type { CacheOptions } from '../features/cache/prediction-caching.js';
import type { QuarantineOptions } from '../features/circuit-breaker/plan-guard.js';
import { checkedLowering, type LoweringOptions } from '../features/devices/options.js';
import type { QualityOptions } from '../features/quality/counting.js';
import { checkRuntimeOptions } from '../option-names.js';
import {
  type CheckedReservation,
  PRIORITIES,
  type Priority,
  type Reservation,
  type Scheduling,
  type SchedulingOptions,
} from '../parallel/executors/scheduling-options.js';
import type { VectorOptions } from '../parallel/executors/vector-options.js';
import { checkedVectors, checkInteger, LEAST_CACHE_BYTES } from './option-ranges.js';
import type { AnswerOptions, RowOptions } from './plan-ports.js';

/**
 * Options of a plan. `device` and `providers` select where black boxes and dense stages run: `cpu`
 * (the default), `gpu`, or `auto`. With `auto`, each call selects the device by its number of rows.
 * Synchronous verbs such as `predictSync` always run dense stages on the CPU.
 */
export interface RegisterOptions extends SchedulingOptions, BackendOptions, RowOptions {
  readonly name?: string;
  /**
   * The maximal length of each text and each dictionary of a row, in UTF-8 bytes. Default 16 MiB.
   */
  readonly maxInputBytes?: number;
  /**
   * Caches the answers of the plan, so that a repeated row does not run again. Default: no cache.
   */
  readonly cache?: CacheOptions;
  /**
   * Gathers the rows of several `predict` calls and runs them as one block. Default: rows are not
   * gathered.
   */
  readonly batching?: BatchingOptions;
  /**
   * The engine of `predict` and `predictBatch` calls that do not select one. `auto` selects by
   * estimated cost, number of rows and load. By default, `predict` runs a row immediately if its
   * estimated time is at most 1 ms, and `predictBatch` runs blocks of rows.
   */
  readonly engine?: Exclude<EngineName, 'reference'>;
  /**
   * Rejects calls for some time after the plan has failed repeatedly. Default: the plan is never
   * quarantined.
   */
  readonly quarantine?: QuarantineOptions;
  /**
   * Counts missing, unknown and out-of-range values of the inputs, in one of `sampleEvery` rows.
   * True examines one of 64 rows. Default: no counters, without any cost.
   *
   * Cost: the first examined row reads the categories and vocabularies of the plan. With the addon,
   * this copies their bytes to JavaScript memory, and the copy stays in memory as long as the
   * parameters of the plan.
   */
  readonly quality?: boolean | QualityOptions;
  /** Options for running dense stages of the plan on a device. */
  readonly lowering?: LoweringOptions;
}

/** The names of the options of `register`. */
export const registerOptionNames = optionNames<RegisterOptions>({
  name: true,
  maxInputBytes: true,
  cache: optionNames<CacheOptions>({ maxBytes: true }),
  batching: optionNames<BatchingOptions>({ maxDelayMs: true, maxBatch: true }),
  engine: true,
  quarantine: optionNames<QuarantineOptions>({ failures: true, restMs: true }),
  quality: optionNames<QualityOptions>({ sampleEvery: true }),
  lowering: optionNames<LoweringOptions>({
    maxBatch: true,
    maxDelayMs: true,
    reserveCalls: true,
    mayJump: true,
    keepStages: true,
  }),
  priority: true,
  weight: true,
  reserve: optionNames<Reservation>({
    executors: true,
    vectors: optionNames<VectorOptions>({ perClass: true, maxBytes: true }),
    cpu: true,
    rows: true,
  }),
  device: true,
  providers: true,
  missing: true,
  extraFields: true,
  answers: optionNames<AnswerOptions>({ float32: true }),
});

const GREATEST_DELAY_MS = 1000;
const DEFAULT_MAX_BATCH = 64;
const ENGINES: ReadonlySet<unknown> = new Set(['request-response', 'batch', 'auto']);
const DEVICES: ReadonlySet<unknown> = new Set(['cpu', 'gpu', 'auto']);
const DEFAULT_FAILURES = 5;
const DEFAULT_REST_MS = 30_000;
/** The longest delay that Node's timers support, in milliseconds. */
const GREATEST_REST_MS = 2 ** 31 - 1;
const LEAST_WEIGHT = 0.001;
const GREATEST_WEIGHT = 1000;

/**
 * The options of a plan that is registered without options. Because it is a single object, it is
 * checked only once when many plans are registered.
 */
export const NO_OPTIONS: RegisterOptions = Object.freeze({});
let unchanged: CheckedOptions | undefined;

/**
 * Checks the options and adds their defaults.
 * @throws ERR_RUNTIME_OPTION for an option out of range.
 */
export function checkedOptions(planName: string, options: RegisterOptions): CheckedOptions {
  if (options !== NO_OPTIONS) return checked(planName, options);
  unchanged ??= checked('', options);
  return { ...unchanged, name: planName };
}

function checked(planName: string, options: RegisterOptions) {
  refuseAdaptiveBatching(planName, options?.batching);
  checkRuntimeOptions(options, registerOptionNames, 'register');
  const { name = planName, maxInputBytes = DEFAULT_MAX_INPUT_BYTES, cache, engine } = options;
  const batching = options.batching && { maxBatch: DEFAULT_MAX_BATCH, ...options.batching };
  const quarantine = options.quarantine && {
    failures: DEFAULT_FAILURES,
    restMs: DEFAULT_REST_MS,
    ...options.quarantine,
  };
  checkInteger(name, 'maxInputBytes', maxInputBytes, 0, GREATEST_MAX_INPUT_BYTES);
  if (cache !== undefined) checkInteger(name, 'cache.maxBytes', cache.maxBytes, LEAST_CACHE_BYTES);
  if (batching !== undefined) {
    checkInteger(name, 'batching.maxDelayMs', batching.maxDelayMs, 0, GREATEST_DELAY_MS);
    checkInteger(name, 'batching.maxBatch', batching.maxBatch, 1, BLOCK_ROWS);
  }
  if (engine !== undefined && !ENGINES.has(engine)) throw unknownEngine('request-response, batch or auto', engine);
  if (quarantine !== undefined) {
    checkInteger(name, 'quarantine.failures', quarantine.failures, 1);
    checkInteger(name, 'quarantine.restMs', quarantine.restMs, 0, GREATEST_REST_MS);
  }
  const { device, providers } = options;
  if (device !== undefined && !DEVICES.has(device))
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'device cpu, gpu or auto',
      received: String(device),
      at: name,
    });
  if (providers !== undefined && !areNames(providers))
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'providers, a list of one name or more',
      received: JSON.stringify(providers) ?? typeof providers,
      at: name,
    });
  const places = { ...(device !== undefined && { device }), ...(providers !== undefined && { providers }) };
  const quality = checkedQuality(name, options.quality);
  const rows = checkedRows(name, options);
  const scheduling = checkedScheduling(name, options);
  const lowering = checkedLowering(name, options.lowering);
  return { name, maxInputBytes, cache, batching, quarantine, engine, quality, places, lowering, rows, scheduling };
}

/** The options of adaptive batching, which only predictors of @brezel/external have. */
const ADAPTIVE = ['sloMs', 'controller', 'maxWaitMs'];

/**
 * Rejects adaptive batching for plans that Brezel runs itself: their rows take microseconds, and a
 * controller would wait longer for other rows than a row takes.
 * @throws ERR_RUNTIME_OPTION
 */
function refuseAdaptiveBatching(at: string, batching: object | undefined): void {
  const wrong = typeof batching === 'object' && batching !== null && ADAPTIVE.find((name) => name in batching);
  if (!wrong) return;
  const expected = 'batching.maxDelayMs, because the rows of a plan take microseconds';
  const hint = 'adaptive batching is for models that take milliseconds: it is an option of externalPredictor';
  throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: `batching.${wrong}`, at, hint });
}

const DEFAULT_QUALITY_SAMPLE = 64;
const GREATEST_QUALITY_SAMPLE = 1_000_000;

/** Returns the checked options of data quality, or undefined if rows are not examined. */
function checkedQuality(at: string, quality: boolean | QualityOptions = false): Required<QualityOptions> | undefined {
  if (quality === false) return undefined;
  if (quality !== true && (typeof quality !== 'object' || quality === null))
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: 'quality, true, false or { sampleEvery }',
      received: String(quality),
      at,
    });
  const { sampleEvery = DEFAULT_QUALITY_SAMPLE }: QualityOptions = quality === true ? {} : quality;
  checkInteger(at, 'quality.sampleEvery', sampleEvery, 1, GREATEST_QUALITY_SAMPLE);
  return { sampleEvery };
}

const areNames = (names: unknown): boolean =>
  Array.isArray(names) && names.length > 0 && names.every((name) => typeof name === 'string');

/**
 * Checks the options of a plan with black boxes. Such a plan runs only asynchronously, on a
 * backend.
 * @throws ERR_RUNTIME_OPTION for a cache, batching or operator deadlines.
 */
export function checkBoxed({ name, cache, batching }: CheckedOptions, isIsolated: boolean): void {
  const wrong = Object.entries({ cache, batching, 'an operator with a deadline': isIsolated || undefined }).find(
    ([, value]) => value !== undefined,
  );
  if (wrong === undefined) return;
  const expected = 'neither cache nor batching nor operators with deadlines for a plan with black boxes';
  const hint = 'a predictor of @brezel/external has its own options batching and deterministic';
  throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: wrong[0], at: name, hint });
}

/** The allowed values of each option about rows and answers. */
const ROW_CHOICES = {
  missing: ['accept', 'refuse'],
  extraFields: ['refuse', 'ignore'],
  'answers.float32': ['exact', 'short'],
} as const;

function checkedRows(at: string, { missing, extraFields, answers }: RowOptions): RowOptions {
  const given: Record<keyof typeof ROW_CHOICES, unknown> = {
    missing,
    extraFields,
    'answers.float32': answers?.float32,
  };
  for (const [option, choices] of Object.entries(ROW_CHOICES)) {
    const value = given[option as keyof typeof ROW_CHOICES];
    if (value === undefined || (choices as readonly unknown[]).includes(value)) continue;
    throw runtimeError('ERR_RUNTIME_OPTION', {
      expected: `${option} ${choices.join(' or ')}`,
      received: String(value),
      at,
    });
  }
  return { missing, extraFields, answers };
}

function checkedScheduling(name: string, options: SchedulingOptions): Scheduling {
  const { priority = 'normal', weight = 1, reserve } = options;
  const received = (value: unknown) => ({ received: String(value), at: name });
  if (!PRIORITIES.includes(priority as Priority)) {
    throw runtimeError('ERR_RUNTIME_OPTION', { expected: `priority ${PRIORITIES.join(', ')}`, ...received(priority) });
  }
  if (!(typeof weight === 'number' && weight >= LEAST_WEIGHT && weight <= GREATEST_WEIGHT)) {
    const expected = `weight from ${LEAST_WEIGHT} to ${GREATEST_WEIGHT}`;
    throw runtimeError('ERR_RUNTIME_OPTION', { expected, ...received(weight) });
  }
  return { priority, weight, reserve: reserve && checkedReservation(name, reserve) };
}

function checkedReservation(name: string, reservation: Reservation): CheckedReservation {
  const { executors, vectors, cpu, rows = 'batches' } = reservation;
  checkInteger(name, 'reserve.executors', executors, 1);
  const rejection = (expected: string, received: unknown) =>
    runtimeError('ERR_RUNTIME_OPTION', { expected, received: JSON.stringify(received) ?? typeof received, at: name });
  if (cpu !== undefined && !areCpus(cpu)) throw rejection('reserve.cpu, a list of one CPU number or more', cpu);
  if (rows !== 'batches' && rows !== 'all') throw rejection('reserve.rows, batches or all', rows);
  return {
    executors,
    vectors: vectors && checkedVectors(vectors, name, 'reserve.vectors'),
    cpu: cpu && [...cpu],
    rows,
  };
}

const areCpus = (cpu: unknown): boolean =>
  Array.isArray(cpu) && cpu.length > 0 && cpu.every((number) => Number.isSafeInteger(number) && number >= 0);

export type CheckedOptions = ReturnType<typeof checked>;
