import type { ModelRegistry, Runtime } from 'brezel';
import { httpError } from './errors.js';

/** Groups of routes. `--open` lifts the token for a group. */
export type OpenGroup = 'predict' | 'metrics';

/** Options of the plugin `inferenceRoutes`. */
export interface InferenceOptions {
  /** The models that the routes serve. Its owner closes it. */
  readonly registry: ModelRegistry;
  /** The runtime of the registry, for `/metrics`. Default: no metrics of the runtime. */
  readonly runtime?: Runtime;
  /** Most rows of one request; streams are not limited. Default 100,000. */
  readonly maxRows?: number;
  /**
   * Most bytes of one body, and of one line of a stream. Default: the `bodyLimit` of the fastify
   * instance.
   */
  readonly maxBodyBytes?: number;
  /** Most predictions in flight; further requests get status 429. Default 1024. */
  readonly concurrency?: number;
  /**
   * Turns on control of models over HTTP (load and unload). All routes except health then require
   * the header `Authorization: Bearer TOKEN`.
   */
  readonly token?: string;
  /** Groups of routes that do not require the token. Default: none. */
  readonly open?: readonly OpenGroup[];
  /** Host names that requests may use. Default: every host name. */
  readonly hosts?: readonly string[];
  /** Whether `/metrics` exists. It needs `@brezel/prom-client` and `prom-client`. Default true. */
  readonly metrics?: boolean;
  /** Returns whether the server accepts requests, for `/v2/health/ready`. Default: always. */
  readonly isReady?: () => boolean;
}

export const DEFAULTS = { maxRows: 100_000, concurrency: 1024 } as const;

/**
 * Checks that an option is an integer in a range.
 * @throws ERR_HTTP_OPTION
 */
export function integerWithin(option: string, value: number, least: number, most: number): number {
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  throw httpError('ERR_HTTP_OPTION', {
    expected: `${option}: an integer from ${least} to ${most}`,
    received: `${value}`,
  });
}
