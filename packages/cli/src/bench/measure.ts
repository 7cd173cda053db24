import { median, quantile } from './statistics.js';

/** A function whose calls are measured. Several contestants run alternately, in short periods. */
export interface Contestant {
  readonly name: string;
  /**
   * Makes the call with the index `at`. If it returns a promise, the measured time includes the
   * wait for the promise.
   */
  readonly run: (at: number) => unknown;
}

/** The times of one contestant in one process. */
export interface Times {
  /** For each round, the median time of a call in µs. */
  readonly rounds: readonly number[];
  /** The median time of a call over all rounds, in µs. */
  readonly p50: number;
  readonly p99: number;
  readonly calls: number;
}

const MIN_CALLS = 3;
const MAX_CALLS = 5000;
/**
 * The number of calls before the clock starts. They fill the caches of the processor, which still
 * contain data of the previous contestant.
 */
const FIRST_CALLS = 2;

/**
 * Measures contestants that alternate in short periods, so that a slower machine slows all of them.
 * Returns their times by name.
 *
 * @param periodMs approximate duration of a period; a period has at least three calls.
 */
export async function takeTurns(
  contestants: readonly Contestant[],
  { rounds, periodMs }: { readonly rounds: number; readonly periodMs: number },
): Promise<Map<string, Times>> {
  const periods: Period[] = [];
  for (const contestant of contestants) periods.push(await calibrated(contestant, periodMs));
  for (let round = 0; round < rounds; round++) {
    for (const period of round % 2 === 0 ? periods : periods.toReversed()) {
      const samples = await timeCalls(period.contestant, period.calls, round * period.calls);
      period.rounds.push(median(samples));
      period.all.push(samples);
    }
  }
  return new Map(periods.map(({ contestant, rounds, all }) => [contestant.name, timesOf(rounds, all)]));
}

interface Period {
  readonly contestant: Contestant;
  readonly calls: number;
  readonly rounds: number[];
  readonly all: Float64Array[];
}

/** Runs the contestant for one period as a warm-up, and counts how many calls fit into a period. */
async function calibrated(contestant: Contestant, periodMs: number): Promise<Period> {
  const start = performance.now();
  let calls = 0;
  let spent = 0;
  do {
    await timeCalls(contestant, MIN_CALLS, calls);
    calls += MIN_CALLS + FIRST_CALLS;
    spent = performance.now() - start;
  } while (spent < periodMs);
  // The JIT has compiled the calls by now.
  const last = median(await timeCalls(contestant, MIN_CALLS, calls)) / 1000;
  const fitting = Math.round(periodMs / Math.max(last, 1e-4));
  return { contestant, calls: Math.min(MAX_CALLS, Math.max(MIN_CALLS, fitting)), rounds: [], all: [] };
}

/**
 * Measures each call separately in µs. A measured time includes about 40 ns for reading the clock.
 */
async function timeCalls({ run }: Contestant, calls: number, first: number): Promise<Float64Array> {
  const samples = new Float64Array(calls);
  for (let at = 0; at < FIRST_CALLS; at++) await run(first + at);
  for (let at = 0; at < calls; at++) {
    const start = performance.now();
    const result = run(first + at);
    if (result instanceof Promise) await result;
    samples[at] = (performance.now() - start) * 1000;
  }
  return samples;
}

function timesOf(rounds: readonly number[], all: readonly Float64Array[]): Times {
  const sorted = new Float64Array(all.reduce((sum, { length }) => sum + length, 0));
  let filled = 0;
  for (const samples of all) {
    sorted.set(samples, filled);
    filled += samples.length;
  }
  sorted.sort();
  return { rounds, p50: quantile(sorted, 0.5), p99: quantile(sorted, 0.99), calls: sorted.length };
}
