import type { Cause, SlowCall } from './tail-report.js';

/** Counters of the operating system for this process. */
export interface Usage {
  readonly minorPageFault: number;
  readonly majorPageFault: number;
  readonly involuntaryContextSwitches: number;
}

/** A period in milliseconds, by the clock of `performance.now`. */
export interface Period {
  readonly start: number;
  readonly end: number;
}

/** A slow call, before its cause is known. */
interface Candidate extends Period {
  readonly call: number;
  readonly before: Usage;
  readonly after: Usage;
}

/**
 * Collects the slowest calls of a measurement. For each call, it stores how many page faults and
 * context switches the operating system counted for this process during the call.
 */
export class SlowCalls {
  readonly #most: number;
  /** The slowest calls so far, in ascending order of their times. */
  #calls: Candidate[] = [];

  /** @param most how many calls to collect */
  constructor(most: number) {
    this.#most = most;
  }

  /**
   * The time in milliseconds that a call must exceed to be collected. It is the time of the fastest
   * collected call, or -Infinity until enough calls are collected.
   */
  get threshold(): number {
    return this.#calls.length < this.#most ? Number.NEGATIVE_INFINITY : lengthOf(this.#calls[0]!);
  }

  add(call: Candidate): void {
    this.#calls = [...this.#calls, call].toSorted((a, b) => lengthOf(a) - lengthOf(b)).slice(-this.#most);
  }

  /**
   * Returns the calls, slowest first.
   *
   * @param collections the garbage collections of the process
   */
  withCauses(collections: readonly Period[]): SlowCall[] {
    return this.#calls.toReversed().map((call) => ({
      call: call.call,
      micros: lengthOf(call) * 1000,
      cause: causeOf(call, collections),
    }));
  }
}

const lengthOf = ({ start, end }: Period): number => end - start;

/**
 * Returns the cause of a slow call. If there are several causes, returns the cause that usually
 * takes longest.
 */
export function causeOf(call: Omit<Candidate, 'call'>, collections: readonly Period[]): Cause {
  const { before, after } = call;
  if (collections.some(({ start, end }) => start < call.end && end > call.start)) return 'garbage collection';
  if (after.majorPageFault > before.majorPageFault) return 'page read from disk';
  if (after.involuntaryContextSwitches > before.involuntaryContextSwitches) return 'core taken away';
  if (after.minorPageFault > before.minorPageFault) return 'page fault';
  return 'unknown';
}
