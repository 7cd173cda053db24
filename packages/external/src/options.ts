import { type Clock, checkOptionNames, optionNames, systemClock, type ValueType } from 'brezel';
import { type Address, addressOf } from './address.js';
import type { BatchLimits, ControllerName } from './batch-size.js';
import { externalError } from './errors.js';

/** Options of adaptive batching. */
export interface AdaptiveBatching {
  /** The latency that a request should not exceed, in milliseconds above 0. */
  readonly sloMs: number;
  /**
   * How the number of rows of a request is chosen. `aimd` (default): one row more after a full
   * request within `sloMs`, 10 % fewer rows after a late request. `quantile`: as many rows as
   * possible, so that the estimated 99th percentile of the latency is at most `sloMs`. `greedy`:
   * rows wait for other rows until a longer wait would exceed 90 % of `sloMs`. `fixed`: `maxBatch`
   * rows.
   */
  readonly controller?: ControllerName;
  /**
   * The longest time in milliseconds that a row waits for other rows while a replica is free.
   * Default 0; with `greedy`, the default is `sloMs`.
   */
  readonly maxWaitMs?: number;
}

/** Options of `externalPredictor`: where the model runs, and the limits of requests to it. */
export interface ExternalOptions {
  /**
   * The base URLs of the servers, one for each replica of the model. The path `/v2` is appended.
   */
  readonly urls: readonly (string | URL)[];
  /** The name of the model on the servers. */
  readonly model: string;
  /** The version of the model. Default: the server chooses a version. */
  readonly version?: string;
  /** The protocol of the servers. Default and only value: `oip-v2`, over HTTP. */
  readonly protocol?: 'oip-v2';
  /**
   * The name of the predictor in plans, errors and statistics. A runtime rejects a second predictor
   * of the same name. Default: the name of the model.
   */
  readonly name?: string;
  /** The largest number of rows of one request, 1 to 65,536. Default 64. */
  readonly maxBatch?: number;
  /**
   * Gathers the rows of concurrent calls into one request, and learns for each replica how many
   * rows meet a latency objective. Default: each call sends its own requests.
   */
  readonly batching?: AdaptiveBatching;
  /**
   * Set it to true if the model returns equal answers for equal rows. Answers are then cached, and
   * concurrent calls with equal rows wait for one computation. Default false.
   */
  readonly deterministic?: boolean;
  /**
   * The largest estimated memory in bytes of the cached rows and answers, at least 1024. Used with
   * `deterministic` only. Default 16 MiB.
   */
  readonly cacheBytes?: number;
  /** The largest number of requests in flight for each replica, 1 to 1024. Default 4. */
  readonly concurrency?: number;
  /**
   * The largest number of requests that wait for a replica, 0 to 1,000,000. Default 10,000.
   */
  readonly maxWaiting?: number;
  /** The token of the header `Authorization: Bearer`. Default: no header. */
  readonly token?: string;
  /**
   * The milliseconds after which a request to a replica fails, counted from its start. Default
   * 30,000.
   */
  readonly timeoutMs?: number;
  /**
   * The milliseconds between the failure of a replica and the first probe. Each further failure
   * doubles the time. Default 1000.
   */
  readonly restMs?: number;
  /** The longest time between two probes, in milliseconds. Default 60,000. */
  readonly maxRestMs?: number;
  /** The largest size of one answer in bytes. Default 64 MiB. */
  readonly maxAnswerBytes?: number;
  /**
   * The types of the inputs in one row, by name, for servers whose metadata lacks them. Default:
   * the inputs in the metadata.
   */
  readonly inputs?: Readonly<Record<string, ValueType>>;
  /** The types of the outputs in one row, by name. Default: the outputs in the metadata. */
  readonly outputs?: Readonly<Record<string, ValueType>>;
  /** The clock of timeouts and probes. Default: the clock of this process. */
  readonly clock?: Clock;
}

/** The names of the options of `externalPredictor`. */
export const externalOptionNames = optionNames<ExternalOptions>({
  urls: true,
  model: true,
  version: true,
  protocol: true,
  name: true,
  maxBatch: true,
  batching: optionNames<AdaptiveBatching>({ sloMs: true, controller: true, maxWaitMs: true }),
  deterministic: true,
  cacheBytes: true,
  concurrency: true,
  maxWaiting: true,
  token: true,
  timeoutMs: true,
  restMs: true,
  maxRestMs: true,
  maxAnswerBytes: true,
  inputs: true,
  outputs: true,
  clock: true,
});

const AT = 'externalPredictor';
/** The longest delay of a timer in Node.js, in milliseconds. */
const GREATEST_MS = 2 ** 31 - 1;
const GREATEST_ANSWER = 2 ** 31 - 1;

/** For each option that is a number: the default, the smallest value and the largest value. */
const numbers = {
  maxBatch: [64, 1, 65_536],
  concurrency: [4, 1, 1024],
  maxWaiting: [10_000, 0, 1_000_000],
  timeoutMs: [30_000, 1, GREATEST_MS],
  restMs: [1000, 1, GREATEST_MS],
  maxRestMs: [60_000, 1, GREATEST_MS],
  cacheBytes: [16 * 2 ** 20, 1024, Number.MAX_SAFE_INTEGER],
  maxAnswerBytes: [64 * 2 ** 20, 1024, GREATEST_ANSWER],
} as const satisfies Partial<Record<keyof ExternalOptions, readonly [number, number, number]>>;

/** Options of a predictor with their defaults. */
export type CheckedOptions = Readonly<Record<keyof typeof numbers, number>> &
  Pick<ExternalOptions, 'model' | 'version' | 'token' | 'inputs' | 'outputs'> & {
    readonly name: string;
    readonly addresses: readonly Address[];
    readonly clock: Clock;
    readonly batching: BatchLimits | undefined;
    readonly deterministic: boolean;
  };

/**
 * Checks the options of a predictor and adds their defaults.
 * @throws ERR_EXTERNAL_OPTION
 */
export function checkedOptions(options: ExternalOptions): CheckedOptions {
  checkOptionNames(options, externalOptionNames, (details) => externalError('ERR_EXTERNAL_OPTION', details), AT);
  const { urls, model, version, protocol = 'oip-v2', token, inputs, outputs, clock = systemClock } = options;
  const { name = model } = options;
  if (protocol !== 'oip-v2') throw wrong('protocol oip-v2', protocol);
  for (const [option, value] of Object.entries({ model, name, ...(version !== undefined && { version }) }))
    if (typeof value !== 'string' || value === '' || value.length > GREATEST_NAME || !value.isWellFormed())
      throw wrong(`${option}, a text of 1 to ${GREATEST_NAME} characters`, shown(value));
  if (token !== undefined && !(typeof token === 'string' && /^[\x21-\x7e]+$/.test(token)))
    throw wrong('token, a text of visible ASCII characters', 'another value');
  if (!Array.isArray(urls) || urls.length === 0) throw wrong('urls, a list of one URL or more', shown(urls));
  const addresses = urls.map((url, index) => addressOf(url, `urls[${index}]`));
  const repeated = addresses.find(({ label }, index) => addresses.findIndex((one) => one.label === label) !== index);
  if (repeated !== undefined) throw wrong('different urls', `${repeated.label} twice`);
  const limits = Object.entries(numbers).map(([option, [usual, least, greatest]]) => {
    const value = options[option as keyof typeof numbers] ?? usual;
    if (Number.isSafeInteger(value) && value >= least && value <= greatest) return [option, value];
    throw wrong(`${option}, an integer from ${least} to ${greatest}`, shown(value));
  });
  const checked = { ...(Object.fromEntries(limits) as Record<keyof typeof numbers, number>) };
  checked.maxRestMs = Math.max(checked.maxRestMs, checked.restMs);
  const batching = checkedBatching(options.batching, checked.maxBatch);
  const { deterministic = false } = options;
  if (typeof deterministic !== 'boolean') throw wrong('deterministic, true or false', shown(deterministic));
  if (options.cacheBytes !== undefined && !deterministic)
    throw wrong('deterministic: true with cacheBytes', 'cacheBytes alone');
  const rest = { model, version, token, inputs, outputs, name, addresses, clock };
  return { ...checked, ...rest, batching, deterministic };
}

const CONTROLLERS: readonly string[] = ['aimd', 'quantile', 'greedy', 'fixed'];

function checkedBatching(batching: AdaptiveBatching | undefined, maxBatch: number): BatchLimits | undefined {
  if (batching === undefined) return undefined;
  if (typeof batching !== 'object' || batching === null) throw wrong('batching, an object', String(batching));
  const { sloMs, controller = 'aimd', maxWaitMs = controller === 'greedy' ? sloMs : 0 } = batching;
  if (!(Number.isFinite(sloMs) && sloMs > 0 && sloMs <= GREATEST_MS))
    throw wrong('batching.sloMs, milliseconds above 0', shown(sloMs));
  if (!CONTROLLERS.includes(controller))
    throw wrong(`batching.controller ${CONTROLLERS.join(', ')}`, shown(controller));
  if (!(Number.isFinite(maxWaitMs) && maxWaitMs >= 0 && maxWaitMs <= sloMs))
    throw wrong('batching.maxWaitMs, from 0 to batching.sloMs', shown(maxWaitMs));
  return { sloMs, controller, maxWaitMs, maxBatch };
}

const GREATEST_NAME = 200;

const wrong = (expected: string, received: string) =>
  externalError('ERR_EXTERNAL_OPTION', { expected, received, at: AT });

const SHOWN = 60;
const shown = (value: unknown): string =>
  typeof value === 'string'
    ? JSON.stringify(value.slice(0, SHOWN))
    : Array.isArray(value)
      ? 'an empty list'
      : String(value);
