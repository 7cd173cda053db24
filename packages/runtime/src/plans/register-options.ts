import { type BackendOptions, optionNames } from '@brezel/core';
import { DEFAULT_MAX_INPUT_BYTES, GREATEST_MAX_INPUT_BYTES, runtimeError } from '../errors.js';
import { type EngineName, unknownEngine } from '../execute/engine-name.js';
import { type BatchingOptions, batchingOptionNames, checkedBatching } from '../features/batching/options.js';
import { type CacheOptions, cacheOptionNames, checkedCache } from '../features/cache/options.js';
import {
  checkedQuarantine,
  type QuarantineOptions,
  quarantineOptionNames,
} from '../features/circuit-breaker/options.js';
import { checkedLowering, type LoweringOptions, loweringOptionNames } from '../features/devices/options.js';
import { checkedQuality, type QualityOptions, qualityOptionNames } from '../features/quality/options.js';
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
import { checkedVectors, checkInteger } from './option-ranges.js';
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
  cache: cacheOptionNames,
  batching: batchingOptionNames,
  engine: true,
  quarantine: quarantineOptionNames,
  quality: qualityOptionNames,
  lowering: loweringOptionNames,
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

const ENGINES: ReadonlySet<unknown> = new Set(['request-response', 'batch', 'auto']);
const DEVICES: ReadonlySet<unknown> = new Set(['cpu', 'gpu', 'auto']);
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
  const { name = planName, maxInputBytes = DEFAULT_MAX_INPUT_BYTES, engine } = options;
  checkInteger(name, 'maxInputBytes', maxInputBytes, 0, GREATEST_MAX_INPUT_BYTES);
  const cache = checkedCache(name, options.cache);
  const batching = checkedBatching(name, options.batching);
  if (engine !== undefined && !ENGINES.has(engine)) throw unknownEngine('request-response, batch or auto', engine);
  const quarantine = checkedQuarantine(name, options.quarantine);
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
