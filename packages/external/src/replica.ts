import type { Address } from './address.js';
import type { BatchState } from './batch-size.js';
import type { Child } from './child.js';
import { Connection, type ConnectionOptions } from './connection.js';

/** Statistics of one replica. */
export interface ReplicaStatistics {
  /** The URL of the replica, without credentials. */
  readonly replica: string;
  /** `up`: receives requests. `resting`: failed, and waits for a probe. `probing`: is probed. */
  readonly state: 'up' | 'resting' | 'probing';
  /** Requests in flight. */
  readonly outstanding: number;
  /** Requests that the predictor has sent or tried to send. */
  readonly requests: number;
  /** Rows in these requests. */
  readonly rows: number;
  /** Requests that failed because of the replica, and failed probes. */
  readonly failures: number;
  /** The number of rows of the next request, with the option `batching`. */
  readonly batchSize?: number;
  /** The message of the last failure. */
  readonly lastError?: string;
}

/** One server that runs the model, with its state and its counters. */
export class Replica {
  readonly label: string;
  readonly connection: Connection;
  /** The process of the replica, if the predictor starts it. */
  readonly child: Child | undefined;
  state: ReplicaStatistics['state'] = 'up';
  outstanding = 0;
  requests = 0;
  rows = 0;
  failures = 0;
  /** The number of failures since the last answer. It determines the delay until the next probe. */
  failuresInRow = 0;
  lastError: unknown;
  /** What the controller of adaptive batching has learned about the replica. */
  batch: BatchState | undefined;

  constructor(address: Address, options: ConnectionOptions) {
    this.label = address.label;
    this.child = address.child;
    this.connection = new Connection(address, options);
  }

  stats(): ReplicaStatistics {
    const { label: replica, state, outstanding, requests, rows, failures, lastError, batch } = this;
    const message = lastError instanceof Error ? lastError.message : undefined;
    return {
      replica,
      state,
      outstanding,
      requests,
      rows,
      failures,
      ...(batch !== undefined && { batchSize: batch.size }),
      ...(message !== undefined && { lastError: message }),
    };
  }
}
