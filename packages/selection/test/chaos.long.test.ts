import { expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { turns } from '../../../testing/turns.js';
import { type Candidate, createSelection, exp3, type SelectionPolicy } from '../dist/index.js';
import { drawing } from './drawing.js';

const WAVES = 1000;
const REQUESTS = 100;
const SEED = 20261123;

interface Chance {
  readonly answers: number;
  readonly throws: number;
  readonly rejects: number;
  readonly hangs: number;
}

/** A candidate that answers immediately or later, fails, or never answers. */
function unreliable(random: () => number, { answers, throws, rejects, hangs }: Chance): Candidate<number, number> {
  return (row, { signal }) => {
    const draw = random();
    if (draw < answers) return row;
    if (draw < answers + throws) throw new Error('broken');
    if (draw < answers + throws + rejects) return Promise.reject(new Error('down'));
    if (draw < answers + throws + rejects + hangs)
      return new Promise((_resolve, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason), { once: true });
      });
    return turns().then(() => row);
  };
}

it(`${WAVES * REQUESTS} requests and feedbacks: none is lost, and none counts twice`, async () => {
  const random = drawing(SEED);
  const clock = new ManualClock();
  let observed = 0;
  const inner = exp3();
  const policy: SelectionPolicy = {
    ...(inner as SelectionPolicy),
    observe: (state, observation) => {
      observed++;
      return inner.observe(state as never, observation);
    },
  };
  const steady = unreliable(random, { answers: 0.9, throws: 0, rejects: 0, hangs: 0 });
  const app = createSelection<number, number, number>({
    candidates: {
      steady,
      flaky: unreliable(random, { answers: 0.2, throws: 0.2, rejects: 0.2, hangs: 0.2 }),
      broken: unreliable(random, { answers: 0, throws: 0.5, rejects: 0.5, hangs: 0 }),
    },
    policy,
    loss: (truth, answer) => (truth === answer ? 0 : 1),
    fallback: -1,
    deadlineMs: 20,
    clock,
    random,
  });
  let [applied, twice, unknown, cancelled, wrong] = [0, 0, 0, 0, 0];
  /** Predicts, then sends feedback once, twice, or for a query that does not exist. */
  const request = async (row: number): Promise<void> => {
    const controller = new AbortController();
    if (random() < 0.01) queueMicrotask(() => controller.abort(new Error('gone')));
    const chosen = await app.predict(row, { signal: controller.signal, context: row % 7 }).catch((error) => {
      expect(error.message).toBe('gone');
      cancelled++;
    });
    if (chosen === undefined) return;
    if (chosen.answer !== (chosen.isFallback ? -1 : row)) wrong++;
    await app.feedback(chosen.query, row);
    applied++;
    if (random() < 0.1)
      await app.feedback(chosen.query, row).catch(({ code }) => (twice += code === 'ERR_SELECTION_REPEATED' ? 1 : 0));
    if (random() < 0.1)
      await app.feedback(`x${row}`, row).catch(({ code }) => (unknown += code === 'ERR_SELECTION_QUERY' ? 1 : 0));
  };
  for (let wave = 0; wave < WAVES; wave++) {
    if (wave % 10 === 3) app.add('guest', steady);
    if (wave % 10 === 8) app.remove('guest');
    const requests = Promise.all(Array.from({ length: REQUESTS }, (_, at) => request(wave * REQUESTS + at)));
    await clock.run(requests, 20);
  }
  const stats = app.stats();
  expect(wrong).toBe(0);
  expect(cancelled).toBeGreaterThan(0);
  expect(applied + cancelled).toBe(WAVES * REQUESTS);
  expect(stats).toMatchObject({ requests: WAVES * REQUESTS, feedback: applied, waiting: 0, unanswered: 0 });
  expect(stats.refused).toBe(twice + unknown);
  // Each feedback changes the global state and the state of its context.
  expect(observed).toBe(applied * 2);
  for (const { asked, answered, late, failed } of Object.values(stats.candidates))
    expect(answered + late + failed).toBe(asked);
  const weights = await app.weights();
  expect(weights!.steady).toBeGreaterThan(0.5);
  expect(clock.timers).toBe(0);
  console.log(
    `selection chaos: ${applied} feedbacks, ${stats.fallbacks} fallbacks, ${cancelled} cancelled, ${twice + unknown} refused, seed ${SEED}`,
  );
});
