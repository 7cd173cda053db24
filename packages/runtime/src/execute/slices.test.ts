import { expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { inSlices } from './slices.js';

/** Returns the lengths of the pieces, in one list for each turn of the event loop. */
async function piecesOf(rows: number, nanosPerRow: number, clock: ManualClock, realMsPerRow: number) {
  const turns: number[][] = [[]];
  let isNextTurn = false;
  await inSlices(clock, rows, nanosPerRow, (from, to) => {
    if (isNextTurn) turns.push([]);
    isNextTurn = false;
    turns.at(-1)!.push(to - from);
    setImmediate(() => {
      isNextTurn = true;
    });
    clock.advance((to - from) * realMsPerRow);
  });
  return turns;
}

test('a clock that stands still: a row counts as its estimated time', async () => {
  expect(await piecesOf(16, 100_000, new ManualClock(), 0)).toEqual([[1, 4], [5], [5], [1]]);
});

test('rows that cost more than estimated: pieces shrink', async () => {
  expect(await piecesOf(8, 100_000, new ManualClock(), 0.25)).toEqual([[1, 1], [2], [2], [2]]);
});

test('rows that cost less than estimated: pieces have the estimated size, and turns become longer', async () => {
  expect(await piecesOf(16, 100_000, new ManualClock(), 0.05)).toEqual([
    [1, 4, 2, 1, 1],
    [5, 2],
  ]);
});
