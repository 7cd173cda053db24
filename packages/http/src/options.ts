import {
  booleanOption,
  choiceOption,
  type ErrorDetails,
  foreignOption,
  functionOption,
  integerOption,
  listOption,
  MAX_COUNT,
  type OptionTypes,
  objectOption,
  registryOption,
  textOption,
  tokenOption,
} from '@brezel/oip';
import type { ModelRegistry, Runtime } from 'brezel';
import { httpError } from './errors.js';
import type { ServerProcesses } from './processes/server-processes.js';
import type { SelectionApp } from './selections/selection-app.js';

/** Groups of routes. The option `open` makes a group available without a token. */
export type OpenGroup = 'predict' | 'metrics' | 'page';

/** Options of the plugin `inferenceRoutes`. */
export interface InferenceOptions {
  /**
   * The registry with the models that the routes serve. Closing the server does not close the
   * registry.
   */
  readonly registry: ModelRegistry;
  /**
   * The runtime of the registry, for its metrics at `/metrics` and the times of stages on the page.
   * Default: the server shows neither.
   */
  readonly runtime?: Runtime;
  /** The largest number of rows in one request; streams are not limited. Default 100,000. */
  readonly maxRows?: number;
  /**
   * The largest number of rows in one request that asks for explanations; streams are not limited.
   * `maxRows` limits these requests, too. Default 1000.
   */
  readonly maxExplainedRows?: number;
  /**
   * The largest number of bytes in one body, and in one line of a stream. Default: the `bodyLimit`
   * of the fastify instance, or 16 MiB with `startServer`.
   */
  readonly maxBodyBytes?: number;
  /**
   * The largest number of predictions and feedback in flight; further requests get status 429.
   * Default 1024.
   */
  readonly concurrency?: number;
  /**
   * The token that clients send in the header `Authorization: Bearer TOKEN`. A server with a token
   * requires it on all routes except health, sign-in and the groups in `open`. Only a server with a
   * token allows control over HTTP: load, unload and changes of aliases. A token consists of
   * printable ASCII characters. Default: no token and no control.
   */
  readonly token?: string;
  /** Groups of routes that do not require the token. Default: none. */
  readonly open?: readonly OpenGroup[];
  /**
   * The host names that the server accepts in the header `Host`. Default: every host name. With
   * `startServer` on a loopback address, the default is the loopback names.
   */
  readonly hosts?: readonly string[];
  /** Whether `/metrics` exists. It needs `@brezel/prom-client` and `prom-client`. Default true. */
  readonly metrics?: boolean;
  /**
   * Whether the server has a page for browsers at `/page`, which shows the models. Default false.
   */
  readonly page?: boolean;
  /**
   * Selections of `@brezel/selection`, by name. `POST /select/NAME` answers rows with a selection,
   * and `POST /feedback/QUERY` returns feedback to it. Default: none.
   */
  readonly selections?: Readonly<Record<string, SelectionApp>>;
  /**
   * Returns whether the server is ready for requests; `/v2/health/ready` calls this function.
   * Default: always ready.
   */
  readonly isReady?: () => boolean;
  /**
   * The interface to all processes of the server, if it has several. `brezel serve --processes`
   * sets the option in each worker. Default: this process is the whole server.
   */
  readonly processes?: ServerProcesses;
}

export const DEFAULTS = { maxRows: 100_000, maxExplainedRows: 1000, concurrency: 1024 } as const;

/** The largest number of contributions that a request may ask for. */
export const MOST_CONTRIBUTIONS = 1000;

const GROUPS: readonly OpenGroup[] = ['predict', 'metrics', 'page'];

export const inferenceTypes: OptionTypes<InferenceOptions> = {
  registry: registryOption,
  runtime: objectOption('the runtime that createRuntime returns', 'stats'),
  maxRows: integerOption(1, MAX_COUNT),
  maxExplainedRows: integerOption(1, MAX_COUNT),
  maxBodyBytes: integerOption(1, MAX_COUNT),
  concurrency: integerOption(1, MAX_COUNT),
  token: tokenOption,
  open: listOption(choiceOption(...GROUPS)),
  hosts: listOption(textOption),
  metrics: booleanOption,
  page: booleanOption,
  selections: {
    expected: 'an object with a selection under each name',
    accepts: (value) => typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Map),
  },
  isReady: functionOption,
  processes: objectOption('the processes of brezel serve', 'join', 'change', 'statistics', 'metrics'),
};

/** The options that fastify itself reads from the options of every plugin. */
interface FastifyOptions {
  readonly prefix?: unknown;
  readonly logLevel?: unknown;
  readonly logSerializers?: unknown;
}

/** All options that `inferenceRoutes` accepts. */
export const pluginTypes: OptionTypes<InferenceOptions & FastifyOptions> = {
  ...inferenceTypes,
  prefix: foreignOption,
  logLevel: foreignOption,
  logSerializers: foreignOption,
};

/** Creates the error for an invalid option. */
export const optionError = (details: ErrorDetails) => httpError('ERR_HTTP_OPTION', details);
