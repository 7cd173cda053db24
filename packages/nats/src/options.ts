import { hostname } from 'node:os';
import {
  checkKnownOptions,
  checkOptionTypes,
  functionOption,
  integerOption,
  MAX_COUNT,
  type OptionTypes,
  objectOption,
  registryOption,
  textOption,
} from '@brezel/oip';
import { type Clock, type ModelRegistry, systemClock } from 'brezel';
import { type ConnectionOptions, connectionTypes, optionError } from './connection-options.js';

/** Options of `joinCluster`: the models, the NATS servers, and limits. */
export interface ClusterOptions extends ConnectionOptions {
  /** The registry with the models. Closing the server does not close the registry. */
  readonly registry: ModelRegistry;
  /** The name of this server in the list of connections of NATS. Default: host and process id. */
  readonly name?: string;
  /**
   * The largest number of requests in flight. Further requests get ERR_RUNTIME_OVERLOADED. Default
   * 1024.
   */
  readonly maxInFlight?: number;
  /**
   * Receives errors that clients see without details, and errors of the connection. Default: writes
   * the error to standard error.
   */
  readonly logError?: (error: unknown) => void;
}

/** Options of `connectFleet`: the NATS servers and the limits of calls. */
export interface FleetOptions extends ConnectionOptions {
  /** The name of this client in the list of connections of NATS. Default: host and process id. */
  readonly name?: string;
  /** The largest duration of a call without `deadlineMs`, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /**
   * Milliseconds without an answer after which the client asks whether a server works on the
   * request. If no server reports so in the same time, the client sends the request again. Default
   * 250.
   */
  readonly retryMs?: number;
  /** The clock of all time limits. Default: the clock of the system. */
  readonly clock?: Clock;
}

const MAX_MS = 2 ** 31 - 1;

const clusterTypes: OptionTypes<ClusterOptions> = {
  ...connectionTypes,
  registry: registryOption,
  name: textOption,
  maxInFlight: integerOption(1, MAX_COUNT),
  logError: functionOption,
};

const fleetTypes: OptionTypes<FleetOptions> = {
  ...connectionTypes,
  name: textOption,
  timeoutMs: integerOption(1, MAX_MS),
  retryMs: integerOption(1, MAX_MS),
  clock: objectOption('a clock with now and setTimeout', 'now', 'setTimeout'),
};

/** @throws ERR_NATS_OPTION */
export function checkedCluster(options: ClusterOptions) {
  checkKnownOptions(options, clusterTypes, optionError, 'joinCluster');
  checkOptionTypes(options, clusterTypes, optionError);
  return {
    registry: options.registry,
    name: options.name ?? defaultName(),
    maxInFlight: options.maxInFlight ?? 1024,
    logError: options.logError ?? console.error,
  };
}

/** @throws ERR_NATS_OPTION */
export function checkedFleet(options: FleetOptions) {
  checkKnownOptions(options, fleetTypes, optionError, 'connectFleet');
  checkOptionTypes(options, fleetTypes, optionError);
  return {
    name: options.name ?? defaultName(),
    timeoutMs: options.timeoutMs ?? 30_000,
    retryMs: options.retryMs ?? 250,
    clock: options.clock ?? systemClock,
  };
}

const defaultName = () => `${hostname()}-${process.pid}`;
