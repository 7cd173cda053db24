import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { turns } from '../../../../testing/turns.js';
import { countUrgent, inFirstSlice, inLaterSlice, isTurnOver, startTurn, withdraw } from './event-loop-slicing.js';

/** The time of the process in ms. Only the work of a test advances it. */
let now = 0;
beforeEach(() => {
  now = 1000;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => {
  vi.restoreAllMocks();
});

/** Adds work of 0.2 ms that writes its name. */
const work =
  (done: string[], name: string, ms = 0.2) =>
  () => {
    done.push(name);
    now += ms;
  };

/** Calls `add`, and returns the work of each turn of the event loop. */
async function turnsOf(done: string[], add: () => void, count: number): Promise<string[]> {
  add();
  const list = [];
  for (let turn = 0; turn < count; turn++) {
    await turns(1);
    list.push(done.splice(0).join(' '));
  }
  return list;
}

test('work runs in later turns, for 0.3 ms in each turn', async () => {
  const done: string[] = [];
  const add = () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) inLaterSlice(work(done, name));
  };
  expect((await turnsOf(done, add, 4)).filter((names) => names !== '')).toEqual(['a b', 'c d', 'e']);
});

test('work outside slices uses time of the same turn, and one slice runs nevertheless', async () => {
  const done: string[] = [];
  const add = () => {
    startTurn();
    expect(isTurnOver()).toBe(false);
    now += 0.3;
    expect(isTurnOver()).toBe(true);
    for (const name of ['a', 'b', 'c']) inLaterSlice(work(done, name));
  };
  expect((await turnsOf(done, add, 4)).filter((names) => names !== '')).toEqual(['a', 'b c']);
  expect(isTurnOver()).toBe(false);
});

test('while urgent chunks are in flight, a turn has 0.1 ms', async () => {
  const done: string[] = [];
  countUrgent(1);
  const add = () => {
    for (const name of ['a', 'b', 'c']) inLaterSlice(work(done, name));
  };
  expect((await turnsOf(done, add, 5)).filter((names) => names !== '')).toEqual(['a', 'b', 'c']);
  countUrgent(-1);
});

test('the first slice runs before slices that wait, and withdrawn work does not run', async () => {
  const done: string[] = [];
  const [last, never] = [work(done, 'last'), work(done, 'never')];
  const add = () => {
    inLaterSlice(never);
    inLaterSlice(last);
    inFirstSlice(work(done, 'first'));
    withdraw(never);
  };
  expect((await turnsOf(done, add, 3)).filter((names) => names !== '')).toEqual(['first last']);
});

test('a turn without further work plans no other turn, so that the process can end', async () => {
  const immediate = vi.spyOn(globalThis, 'setImmediate');
  const count = 50;
  startTurn();
  await turns(count);
  expect(immediate.mock.calls.length).toBeLessThan(count);
});
