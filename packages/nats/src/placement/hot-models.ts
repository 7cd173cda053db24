import type { ModelLoad } from './server-state.js';

/** The change of the number of servers of a model: 1, -1, or 0. */
export type ReplicaChange = -1 | 0 | 1;

/** The state of one model. */
interface Observed {
  /** The smallest mean duration of its requests, which grows slowly to follow a new version. */
  calmMs: number;
  hot: number;
  calm: number;
  /** The number of reports before the next change, so that the last change can have an effect. */
  pause: number;
}

/** The number of requests in flight on a server that makes a slow model hot. */
const QUEUE = 4;
/** The number of requests in flight on a server that makes any model hot. */
const LONG_QUEUE = 32;
/** A model is slow if its requests take this multiple of their usual time. */
const SLOW = 2;
const HOT_REPORTS = 3;
const CALM_REPORTS = 60;
const PAUSE_REPORTS = 10;
/** Each report multiplies the usual time by this factor. */
const FORGET = 1.01;

/**
 * Decides which models need more servers. A model is hot if its servers are overloaded in three
 * reports in a row: they have `QUEUE` requests in flight and need twice the usual time, or they
 * have `LONG_QUEUE` requests in flight. A model needs fewer servers after 60 reports in which its
 * servers were idle most of the time.
 */
export class HotModels {
  readonly #models = new Map<string, Observed>();

  /**
   * Adds the loads of a model in one interval, one for each of its servers that has reported.
   */
  observe(model: string, loads: readonly ModelLoad[]): ReplicaChange {
    const queue = mean(loads.map((load) => load.queue));
    const busy = loads.filter(({ meanMs }) => meanMs > 0);
    const meanMs = mean(busy.map((load) => load.meanMs));
    const state = this.#models.get(model) ?? { calmMs: Number.POSITIVE_INFINITY, hot: 0, calm: 0, pause: 0 };
    this.#models.set(model, state);
    const isSlow = meanMs > SLOW * state.calmMs;
    if (busy.length > 0) state.calmMs = Math.min(state.calmMs * FORGET, meanMs);
    const isHot = (queue >= QUEUE && isSlow) || queue >= LONG_QUEUE;
    state.hot = isHot ? state.hot + 1 : 0;
    state.calm = queue < 1 ? state.calm + 1 : 0;
    if (state.pause > 0) {
      state.pause--;
      return 0;
    }
    const change = state.hot >= HOT_REPORTS ? 1 : state.calm >= CALM_REPORTS ? -1 : 0;
    if (change !== 0) Object.assign(state, { hot: 0, calm: 0, pause: PAUSE_REPORTS });
    return change;
  }

  /** Forgets the models for which another server decides. */
  retain(models: ReadonlySet<string>): void {
    for (const model of this.#models.keys()) if (!models.has(model)) this.#models.delete(model);
  }
}

const mean = (values: readonly number[]): number =>
  values.length === 0 ? 0 : values.reduce((sum, value) => sum + value, 0) / values.length;
