import type { FastifyReply, FastifyRequest } from 'fastify';
import { RequestTimes, type TimeCounts } from './request-times.js';

/** HTTP statuses of at least this number are errors. */
const FIRST_ERROR = 400;
const NO_TIMES: TimeCounts = { count: 0, buckets: [] };

declare module 'fastify' {
  interface FastifyRequest {
    /** The version that answers the request, as `name@version`. */
    brezelVersion: string | undefined;
  }
}

/** Counts prediction requests and their times, for the whole server and for each version. */
export class RequestCounts {
  readonly #times = new RequestTimes();
  readonly #ofVersion = new Map<string, RequestTimes>();
  #inFlight = 0;
  #failed = 0;

  start(): void {
    this.#inFlight++;
  }

  /**
   * Records the status and the time of a response. Call this method once for each request that
   * `start` has counted.
   */
  end(request: FastifyRequest, { statusCode, elapsedTime }: FastifyReply): void {
    this.#inFlight--;
    if (statusCode >= FIRST_ERROR) this.#failed++;
    this.#times.record(elapsedTime);
    const version = request.brezelVersion;
    // A version that was removed meanwhile is not counted again.
    if (version !== undefined) this.#ofVersion.get(version)?.record(elapsedTime);
  }

  /**
   * Stores the version that answers a request, so that `end` can record the time for this version.
   */
  answeredBy(request: FastifyRequest, version: string): void {
    request.brezelVersion = version;
    if (!this.#ofVersion.has(version)) this.#ofVersion.set(version, new RequestTimes());
  }

  /** Deletes the times of a removed version. */
  forget(version: string): void {
    this.#ofVersion.delete(version);
  }

  all(): { readonly inFlight: number; readonly failed: number; readonly times: TimeCounts } {
    return { inFlight: this.#inFlight, failed: this.#failed, times: this.#times.counts() };
  }

  of(version: string): TimeCounts {
    return this.#ofVersion.get(version)?.counts() ?? NO_TIMES;
  }
}
