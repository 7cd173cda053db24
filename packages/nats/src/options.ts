import { hostname } from 'node:os';
import { resolve } from 'node:path';
import {
  booleanOption,
  checkKnownOptions,
  checkOptionTypes,
  foreignOption,
  functionOption,
  integerOption,
  MAX_COUNT,
  type OptionTypes,
  objectOption,
  registryOption,
  textOption,
} from '@brezel/oip';
import {
  type AddOptions,
  type Clock,
  type ModelRegistry,
  type ObjectStore,
  type OpenOptions,
  systemClock,
} from 'brezel';
import { defaultCacheFolder } from './artifacts/cache-folder.js';
import { type ConnectionOptions, connectionTypes, optionError } from './connection/connection-options.js';
import { MAX_HEARTBEAT_MS, MAX_SERVER_NAME } from './placement/server-state.js';

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
   * Receives errors that clients see without details, and errors and losses of the connection.
   * Default: writes the error to standard error.
   */
  readonly logError?: (error: unknown) => void;
  /**
   * Milliseconds that `close` waits for the requests in flight. The server then cancels these
   * requests, and their clients send them to another server. Default 10,000.
   */
  readonly drainMs?: number;
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
  /**
   * Milliseconds that a call waits for a server if no server has the model. Default: 5000 for a
   * model that has answered before, and 0 for other models.
   */
  readonly waitForServerMs?: number;
  /**
   * A registry of this process. The client runs the models of this registry itself, without NATS,
   * and sends requests for all other models to servers. Default: no registry.
   */
  readonly registry?: ModelRegistry;
  /** The clock of all time limits. Default: the clock of the system. */
  readonly clock?: Clock;
}

/** Options of `openArtifacts`: the NATS servers, the bucket, and the cache folder. */
export interface ArtifactOptions extends ConnectionOptions {
  /** The name of this client in the list of connections of NATS. Default: host and process id. */
  readonly name?: string;
  /** The name of the bucket in the object store. Default `brezel-artifacts`. */
  readonly bucket?: string;
  /** The store of the registry that gets the plans: `registry.store`. `source` needs it. */
  readonly store?: ObjectStore;
  /**
   * The folder for fetched files, which processes of one user may share. It must have mode 0700.
   * Default: `$XDG_CACHE_HOME/brezel-nats`, or `~/.cache/brezel-nats`.
   */
  readonly cacheFolder?: string;
  /**
   * The largest number of bytes in the cache folder. The least recently used files are removed, but
   * no file whose plans this process has loaded. Default 10 GiB.
   */
  readonly cacheBytes?: number;
  /** Accepts only files that one of these keys signed, as in `openFleet`. */
  readonly trustedKeys?: OpenOptions['trustedKeys'];
  /**
   * Whether to check every byte and every plan when a file is opened, as in `openFleet`. Default
   * true.
   */
  readonly verify?: boolean;
  /**
   * Milliseconds without a byte or an answer of the object store until an attempt fails. A read is
   * tried three times. Default 10,000.
   */
  readonly stallMs?: number;
  /** The clock of `stallMs`. Default: the clock of the system. */
  readonly clock?: Clock;
}

/** Options of `openBatches`. */
export interface BatchOptions extends ConnectionOptions {
  /** The name of this client in the list of connections of NATS. Default: host and process id. */
  readonly name?: string;
  /** The largest duration of a question about a model, in milliseconds. Default 30,000. */
  readonly timeoutMs?: number;
  /** The clock of all time limits. Default: the clock of the system. */
  readonly clock?: Clock;
}

/** Options of `openCatalog`. */
export interface CatalogOptions extends Omit<ArtifactOptions, 'store'> {
  /** The name of the key-value bucket. Default `brezel-catalog`. */
  readonly catalog?: string;
}

/** Options of `followCatalog`. */
export interface FollowOptions extends CatalogOptions {
  /** The registry that gets the models. Closing the follower does not close the registry. */
  readonly registry: ModelRegistry;
  /**
   * The memory for parameters of models. With it, the server loads only the models that are placed
   * on it; set it on all servers of the catalog. Default: the server loads all models.
   */
  readonly memoryBytes?: number;
  /**
   * Milliseconds between two reports of this server to the others, from 50 to 60,000. A server that
   * does not report for three intervals has ended. Default 1000; use more for hundreds of servers.
   */
  readonly heartbeatMs?: number;
  /** How the runtime registers each version: the options of `registry.add`. */
  readonly register?: Omit<AddOptions, 'version' | 'aliases'>;
  /** Receives the errors of models that cannot be loaded. Default: standard error. */
  readonly logError?: (error: unknown) => void;
}

/** The longest delay of a timer. */
export const MAX_MS = 2 ** 31 - 1;

const clockOption = objectOption('a clock with now and setTimeout', 'now', 'setTimeout');

const clusterTypes: OptionTypes<ClusterOptions> = {
  ...connectionTypes,
  registry: registryOption,
  name: textOption,
  maxInFlight: integerOption(1, MAX_COUNT),
  logError: functionOption,
  drainMs: integerOption(0, MAX_MS),
};

const fleetTypes: OptionTypes<FleetOptions> = {
  ...connectionTypes,
  name: textOption,
  timeoutMs: integerOption(1, MAX_MS),
  retryMs: integerOption(1, MAX_MS),
  waitForServerMs: integerOption(0, MAX_MS),
  registry: objectOption('the registry that createRegistry returns', 'route', 'model', 'load', 'unload'),
  clock: clockOption,
};

const bucketOption = {
  expected: 'a name of letters, digits, - and _',
  accepts: (value: unknown) => typeof value === 'string' && /^[-\w]{1,64}$/.test(value),
};

const artifactTypes: OptionTypes<ArtifactOptions> = {
  ...connectionTypes,
  name: textOption,
  bucket: bucketOption,
  store: objectOption('a store, such as registry.store', 'checksumOf', 'handle'),
  cacheFolder: textOption,
  cacheBytes: integerOption(1, Number.MAX_SAFE_INTEGER),
  trustedKeys: foreignOption,
  verify: booleanOption,
  stallMs: integerOption(1, MAX_MS),
  clock: clockOption,
};

const { store: _, ...commonTypes } = artifactTypes;
const catalogTypes: OptionTypes<CatalogOptions> = { ...commonTypes, catalog: bucketOption };
const followTypes: OptionTypes<FollowOptions> = {
  ...catalogTypes,
  registry: registryOption,
  memoryBytes: integerOption(1, Number.MAX_SAFE_INTEGER),
  heartbeatMs: integerOption(50, MAX_HEARTBEAT_MS),
  register: objectOption('options of registry.add'),
  logError: functionOption,
};

const batchTypes: OptionTypes<BatchOptions> = {
  ...connectionTypes,
  name: textOption,
  timeoutMs: integerOption(1, MAX_MS),
  clock: clockOption,
};

/** @throws ERR_NATS_OPTION */
export function checkedBatches(options: BatchOptions) {
  checkKnownOptions(options, batchTypes, optionError, 'openBatches');
  checkOptionTypes(options, batchTypes, optionError);
  const { name = defaultName(), timeoutMs = 30_000, clock = systemClock } = options;
  return { name, timeoutMs, clock };
}

/** @throws ERR_NATS_OPTION */
export function checkedCatalog(options: CatalogOptions, at: string) {
  checkKnownOptions(options, catalogTypes, optionError, at);
  checkOptionTypes(options, catalogTypes, optionError);
  return { ...artifactDefaults(options), catalog: options.catalog ?? 'brezel-catalog' };
}

/** @throws ERR_NATS_OPTION */
export function checkedFollow(options: FollowOptions) {
  checkKnownOptions(options, followTypes, optionError, 'followCatalog');
  checkOptionTypes(options, followTypes, optionError);
  const { registry, register = {}, logError = console.error, memoryBytes, heartbeatMs = 1000 } = options;
  if (memoryBytes !== undefined && (options.name ?? '').length > MAX_SERVER_NAME)
    throw optionError({ expected: `a name of at most ${MAX_SERVER_NAME} characters`, received: 'a longer name' });
  return {
    ...artifactDefaults(options),
    catalog: options.catalog ?? 'brezel-catalog',
    registry,
    register,
    logError,
    memoryBytes,
    heartbeatMs,
  };
}

/** @throws ERR_NATS_OPTION */
export function checkedArtifacts(options: ArtifactOptions) {
  checkKnownOptions(options, artifactTypes, optionError, 'openArtifacts');
  checkOptionTypes(options, artifactTypes, optionError);
  return artifactDefaults(options);
}

function artifactDefaults(options: ArtifactOptions) {
  const { store, trustedKeys } = options;
  return {
    name: options.name ?? defaultName(),
    bucket: options.bucket ?? 'brezel-artifacts',
    cacheFolder: resolve(options.cacheFolder ?? defaultCacheFolder()),
    cacheBytes: options.cacheBytes ?? 10 * 2 ** 30,
    verify: options.verify ?? true,
    stallMs: options.stallMs ?? 10_000,
    clock: options.clock ?? systemClock,
    ...(store !== undefined && { store }),
    ...(trustedKeys !== undefined && { trustedKeys }),
  };
}

/** The options of a server, with their defaults. */
export type CheckedCluster = ReturnType<typeof checkedCluster>;

/** @throws ERR_NATS_OPTION */
export function checkedCluster(options: ClusterOptions) {
  checkKnownOptions(options, clusterTypes, optionError, 'joinCluster');
  checkOptionTypes(options, clusterTypes, optionError);
  return {
    registry: options.registry,
    name: options.name ?? defaultName(),
    maxInFlight: options.maxInFlight ?? 1024,
    logError: withoutErrors(options.logError ?? console.error),
    drainMs: options.drainMs ?? 10_000,
  };
}

/**
 * Returns a function that calls `log` and throws no error. An exception in a callback would end the
 * connection.
 */
const withoutErrors = (log: (error: unknown) => unknown) => (error: unknown) => {
  const call = async () => log(error);
  call().catch((cause: unknown) => console.error('logError has failed:', cause));
};

/** @throws ERR_NATS_OPTION */
export function checkedFleet(options: FleetOptions) {
  checkKnownOptions(options, fleetTypes, optionError, 'connectFleet');
  checkOptionTypes(options, fleetTypes, optionError);
  return {
    name: options.name ?? defaultName(),
    timeoutMs: options.timeoutMs ?? 30_000,
    retryMs: options.retryMs ?? 250,
    waitForServerMs: options.waitForServerMs,
    registry: options.registry,
    clock: options.clock ?? systemClock,
  };
}

const defaultName = () => `${hostname()}-${process.pid}`;
