// A machine that is half as fast makes everything take twice as long, this too: times are kept as multiples of it, and a baseline that was taken
// on another machine, or in a worse hour, still means something. Never change it: every baseline file would be worth nothing.

/** 32 KiB, which stay in the nearest cache: with 4 MiB this took a third longer when a neighbour used the memory, and the models did not. */
const WORDS = 1 << 13;
const LOADS = 5000;

export interface ReferenceWork {
  /** Some 15 µs of integer arithmetic, dependent and independent loads. @returns a number that needs all of it. */
  readonly run: () => number;
}

/** Work that is the same everywhere: plain JavaScript over integers. */
export function referenceWork(): ReferenceWork {
  const words = new Int32Array(WORDS);
  let state = 1;
  for (let at = 0; at < WORDS; at++) {
    state = (Math.imul(state, 1664525) + 1013904223) | 0;
    words[at] = state;
  }
  return {
    run() {
      let [sum, next] = [0, state];
      for (let load = 0; load < LOADS; load++) {
        next = (Math.imul(next, 1664525) + 1013904223) | 0;
        sum = (sum + words[(next >>> 16) & (WORDS - 1)]!) | 0;
        if ((load & 15) === 0) next ^= sum; // one load in 16 waits for the one before
      }
      state = next;
      return sum;
    },
  };
}
