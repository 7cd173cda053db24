import { defineOperator } from 'brezel';
import { afterAll, expect, test } from 'vitest';
import { busyFor } from '../../../../testing/busy.mjs';
import { dear, flour, oneByOne, runtimeWith, textPlan } from './fleets.js';

/** Batches on the same thread take turns on its event loop. */

afterAll(() => flour.dispose());

const BATCHES = 8;
/** Longer than one slice of a batch, so that each row is a separate slice. */
const ROW_MS = 0.6;

const seen: { readonly turn: number; readonly batch: string }[] = [];
let turn = 0;
const slow = defineOperator({
  name: 'test-turns/slow',
  inputs: ['text'],
  output: 'float32',
  run: (text) => {
    busyFor(ROW_MS);
    seen.push({ turn, batch: text });
    return text.length;
  },
});

/** Counts turns of the event loop while `work` is in flight. */
async function countingTurns<T>(work: () => Promise<T>): Promise<T> {
  let isOn = true;
  const tick = () => {
    turn++;
    if (isOn) setImmediate(tick);
  };
  setImmediate(tick);
  try {
    return await work();
  } finally {
    isOn = false;
  }
}

/** Number of batches that ran rows, by turn. Rows that ran in the call itself do not count. */
function batchesByTurn(): number[] {
  const byTurn = new Map<number, Set<string>>();
  for (const { turn: at, batch } of seen) if (at > 0) byTurn.set(at, (byTurn.get(at) ?? new Set()).add(batch));
  return [...byTurn.values()].map((batches) => batches.size);
}

test('the event loop runs after one slice of any of several batches', async () => {
  const text = flour.columns({ text: 'string' }).select('text');
  const compiled = dear(text.custom(slow).plan(), 1000);
  const runtime = runtimeWith(0);
  const plan = runtime.register(compiled);
  const rows = (batch: number) => Array.from({ length: 6 }, () => `batch ${batch}`);
  const got = await countingTurns(() =>
    Promise.all(Array.from({ length: BATCHES }, (_, batch) => runtime.predictBatch(plan, rows(batch)))),
  );
  for (const answers of got) expect(answers).toEqual(Array.from({ length: 6 }, () => ({ output: 7 })));
  expect(seen).toHaveLength(6 * BATCHES);
  expect(Math.max(...batchesByTurn())).toBeLessThanOrEqual(2);
  await runtime.close();
  compiled.release();
});

test('the event loop runs after one slice, also with expensive rows', async () => {
  seen.length = 0;
  turn = 0;
  const text = flour.columns({ text: 'string' }).select('text');
  const baked = text.custom(slow).plan();
  const runtime = runtimeWith(0);
  const plan = runtime.register({ ...baked, nanosPerRow: 2e6 });
  await countingTurns(() =>
    Promise.all(Array.from({ length: BATCHES }, (_, row) => runtime.predict(plan, `row ${row}`))),
  );
  expect(seen).toHaveLength(BATCHES);
  expect(Math.max(...batchesByTurn())).toBeLessThanOrEqual(2);
  await runtime.close();
  baked.release();
});

test('a batch pauses soon, although its rows take much longer than estimated', async () => {
  const runtime = runtimeWith(0);
  const compiled = textPlan();
  // The declared cost of fifty rows is half a millisecond.
  const plan = runtime.register({ ...compiled, nanosPerRow: 10_000 });
  const rows = Array.from({ length: 40 }, () => 'good film '.repeat(20_000));
  await runtime.predictBatch(plan, rows.slice(0, 2));
  const before = turn;
  expect(await countingTurns(() => runtime.predictBatch(plan, rows))).toEqual(oneByOne(compiled, rows));
  expect(turn - before).toBeGreaterThan(2);
  await runtime.close();
});
