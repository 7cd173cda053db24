// Chooses how many rows a request should have, from the latencies of earlier requests. All
// functions are pure: they take a state and return a new state.

/** The controllers of adaptive batching. */
export type ControllerName = 'aimd' | 'quantile' | 'greedy' | 'fixed';

/** The latency of one request. */
export interface Observation {
  readonly rows: number;
  readonly latencyMs: number;
}

/** The limits of a controller. */
export interface BatchLimits {
  readonly controller: ControllerName;
  /** The latency in milliseconds that a request should not exceed. */
  readonly sloMs: number;
  readonly maxBatch: number;
  /** The longest time in milliseconds that a row waits for other rows. */
  readonly maxWaitMs: number;
}

/** What a controller has learned about one replica. */
export interface BatchState {
  /** The number of rows of the next request. */
  readonly size: number;
  /** The last observations. Only `quantile` and `greedy` use them. */
  readonly recent: readonly Observation[];
  /** The estimated 99th percentile of the latency in milliseconds: `base + perRow * rows`. */
  readonly line: Line | undefined;
  /** The number of observations so far. */
  readonly seen: number;
}

/** A latency that grows with the number of rows: `base + perRow * rows` milliseconds. */
export interface Line {
  readonly base: number;
  readonly perRow: number;
}

/**
 * AIMD (additive increase, multiplicative decrease) multiplies the size by this factor after a late
 * request. Source: Clipper (NSDI '17), section 4.3.1.
 */
const DECREASE = 0.9;
const WINDOW = 64;
/** The line is fitted again after every eighth observation, because a fit takes about 1 ms. */
const FIT_EVERY = 8;
const QUANTILE = 0.99;
/**
 * The fraction of the latency objective that `greedy` leaves unused, as a reserve for requests that
 * take longer than estimated. Source: Rafiki, Algorithm 3.
 */
const RESERVE = 0.1;

/** Returns the state before the first observation. */
export function initialState({ controller, maxBatch }: BatchLimits): BatchState {
  const isKnown = controller === 'fixed' || controller === 'greedy';
  return { size: isKnown ? maxBatch : 1, recent: [], line: undefined, seen: 0 };
}

/** Returns the state after an observation. */
export function observed(state: BatchState, limits: BatchLimits, observation: Observation): BatchState {
  switch (limits.controller) {
    case 'fixed':
      return state;
    case 'aimd':
      return { ...state, size: additive(state.size, limits, observation) };
    case 'quantile':
    case 'greedy':
      return withLine(state, limits, observation);
  }
}

/**
 * Returns how many milliseconds the oldest row may wait for other rows. The greedy rule waits while
 * the wait and the estimated latency of the next request together meet the objective.
 *
 * @param queued the number of rows that wait.
 */
export function waitMs({ line, size }: BatchState, limits: BatchLimits, queued: number): number {
  const { controller, sloMs, maxWaitMs } = limits;
  if (queued >= size) return 0;
  if (controller !== 'greedy') return maxWaitMs;
  if (line === undefined) return 0;
  // The fitted line may decrease with the number of rows, because latencies also vary for other
  // reasons. A larger request is never expected to be faster than an empty request.
  const latencyMs = Math.max(line.base, line.base + line.perRow * queued);
  return Math.max(0, Math.min(maxWaitMs, sloMs * (1 - RESERVE) - latencyMs));
}

/**
 * Adds one row after a full request that met the objective. Removes 10 % of the rows after a late
 * request.
 */
function additive(size: number, { sloMs, maxBatch }: BatchLimits, { rows, latencyMs }: Observation): number {
  if (latencyMs > sloMs) return Math.max(1, Math.floor(size * DECREASE));
  return rows >= size ? Math.min(maxBatch, size + 1) : size;
}

function withLine(state: BatchState, limits: BatchLimits, observation: Observation): BatchState {
  const recent = [...state.recent, observation].slice(-WINDOW);
  const seen = state.seen + 1;
  const isOld = state.line === undefined || seen % FIT_EVERY === 0;
  const line = isOld ? quantileLine(recent, QUANTILE) : state.line;
  if (limits.controller === 'greedy') return { ...state, recent, line, seen };
  // Without a line, no requests of different sizes were observed, so the latency of larger requests
  // is unknown.
  const size = line === undefined ? additive(state.size, limits, observation) : fitting(line, recent, limits);
  return { size, recent, line, seen };
}

/**
 * Returns the largest size whose estimated latency meets the objective, but at most twice the
 * largest observed size.
 */
function fitting({ base, perRow }: Line, recent: readonly Observation[], { sloMs, maxBatch }: BatchLimits): number {
  const known = recent.reduce((most, { rows }) => Math.max(most, rows), 1);
  const size = perRow <= 0 ? (base <= sloMs ? maxBatch : 1) : Math.floor((sloMs - base) / perRow);
  return Math.max(1, Math.min(maxBatch, 2 * known, size));
}

/**
 * Fits a quantile line: the share `quantile` of the observations is below the line. Such a line has
 * the least pinball loss, and at least one such line goes through two observations. The function
 * therefore tries the lines through all pairs. Returns undefined if all sizes are equal.
 *
 * Source: Koenker and Bassett, "Regression quantiles" (1978).
 */
export function quantileLine(observations: readonly Observation[], quantile: number): Line | undefined {
  let best: Line | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const [index, one] of observations.entries())
    for (const other of observations.slice(index + 1)) {
      if (one.rows === other.rows) continue;
      const perRow = (other.latencyMs - one.latencyMs) / (other.rows - one.rows);
      const line = { perRow, base: one.latencyMs - perRow * one.rows };
      const loss = pinball(line, observations, quantile);
      if (loss >= least) continue;
      [best, least] = [line, loss];
    }
  return best;
}

/** Returns the pinball loss of a line. The line with the least loss is the quantile line. */
function pinball({ base, perRow }: Line, observations: readonly Observation[], quantile: number): number {
  let sum = 0;
  for (const { rows, latencyMs } of observations) {
    const above = latencyMs - base - perRow * rows;
    sum += above > 0 ? quantile * above : (quantile - 1) * above;
  }
  return sum;
}
