import type { ModelChange, ProcessNumbers, ServerStatistics } from '@brezel/http';
import type { ServerSecrets } from '../secrets.js';
import type { ServerAddresses, ServerPorts } from '../servers.js';
import type { SentError } from './peer.js';

/** One version of a model. Its plan is in a fleet file in the cache folder. */
export interface VersionState {
  /** The version as `name@version`. */
  readonly reference: string;
  readonly version: string;
  /** The path of the fleet file. */
  readonly path: string;
  /** The name of the plan in the fleet file. */
  readonly plan: string;
  readonly isLoaded: boolean;
}

/** One alias of a model. */
export interface AliasState {
  /** The alias as `name:alias`. */
  readonly alias: string;
  readonly version: string;
  readonly canary?: { readonly to: string; readonly percent: number };
  readonly shadow?: { readonly to: string; readonly sample: number };
}

/** The versions and aliases of one model. A model without versions does not exist. */
export interface ModelState {
  readonly name: string;
  readonly versions: readonly VersionState[];
  readonly aliases: readonly AliasState[];
}

/** The functions of a worker that the primary calls. */
export interface WorkerMethods {
  /** Makes the models equal to the given state, and listens. Returns the addresses. */
  listen(argument: {
    readonly models: readonly ModelState[];
    readonly ports: ServerPorts;
    readonly secrets: ServerSecrets;
  }): Promise<ServerAddresses>;
  /** Loads versions for a change. Requests do not see new versions yet. */
  prepare(versions: readonly VersionState[]): Promise<void>;
  /** Checks that no request uses a version of the model. */
  checkUnused(name: string): void;
  /** Releases what `prepare` has loaded. */
  abort(): Promise<void>;
  /** Makes one model equal to the given state. */
  commit(model: ModelState): Promise<void>;
  statistics(): Promise<ServerStatistics>;
  metrics(): ReturnType<ProcessNumbers['metrics']>;
  /** Answers the requests in flight, and ends the process. */
  close(): void;
}

/** The functions of the primary that a worker calls. */
export interface PrimaryMethods {
  /** Reports that the worker waits for the models and for `listen`. */
  ready(): void;
  /** Reports an error before `ready`. The primary then ends the worker. */
  failed(error: SentError): void;
  change(change: ModelChange): Promise<void>;
  statistics(): Promise<ServerStatistics>;
  metrics(): Promise<string>;
}
