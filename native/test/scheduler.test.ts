import { Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { turns } from '../../testing/turns.js';
import { until } from '../../testing/until.js';
import { addon, codeOf, isas, Program } from './harness.js';

/**
 * Tests the native scheduler with this thread as its executor: which chunks run, in which order,
 * and the errors of wrong calls.
 */

const TIME = 1000;
const [offset, factor] = [Float32Array.of(1), Float32Array.of(2)];

/** Returns a plan of two stages, each (x - 1) * 2, so that the scheduler can act between them. */
function twoStages() {
  const stages = [0, 1].map(() => {
    const one = new Program();
    one.output(one.call('scale', [one.input('dense', 2)], ['dense', 2], [offset, factor]));
    return { one, stage: addon.stageCreate(one.source(isas[0]!)) };
  });
  const plan = addon.planCreate({
    stages: stages.map(({ stage }) => stage),
    wiring: [1, 1, 0, 1, 1, 1, 1, 2],
    inputs: [0],
    outputs: [2],
    maxInputBytes: 100,
  });
  for (const { one, stage } of stages) {
    addon.stageRelease(stage);
    one.free();
  }
  return plan;
}

const expected = (x: number) => ((x - 1) * 2 - 1) * 2;
const columns = (rows: number, from = 0) => [Float64Array.from({ length: rows * 2 }, (_, at) => from + at)];

let plan = 0;
let scheduler = 0;
let signals = 0;
beforeEach(() => {
  plan = twoStages();
  signals = 0;
  scheduler = addon.schedulerCreate(() => signals++);
});
afterEach(() => {
  addon.planRelease(plan);
  if (codeOf(() => addon.schedulerStats(scheduler)) === undefined) addon.schedulerClose(scheduler);
});

const schedule = (priority = 1, weight = 1, nanosPerRow = 100) =>
  addon.planSchedule(scheduler, plan, 0, priority, weight, nanosPerRow);
const submit = (queue: number, ticket: number, rows = 1) =>
  addon.chunkSubmit(scheduler, ticket, queue, columns(rows, ticket), 0, rows, rows);
const run = () => addon.executorRun(scheduler, 0, TIME, 0);

/** Waits long enough to notice a wake-up that should not happen. */
const soon = () => turns(20);

/** Takes all completed chunks and returns their tickets in order of completion. */
function completed(): number[] {
  const tickets: number[] = [];
  for (let ticket = addon.chunkNext(scheduler); ticket >= 0; ticket = addon.chunkNext(scheduler)) {
    tickets.push(ticket);
    addon.chunkTake(scheduler, ticket, new Float64Array(512));
  }
  return tickets;
}

describe('chunks', () => {
  it('are answered with the bits of predictRows', () => {
    const queue = schedule();
    const [out, want] = [new Float64Array(6), new Float64Array(6)];
    expect(submit(queue, 0, 3)).toBe(3);
    expect(addon.groupWaiting(scheduler, 0)).toBe(1);
    expect(run()).toBe(0); // no chunks are left
    expect(addon.chunkNext(scheduler)).toBe(0);
    expect(addon.chunkTake(scheduler, 0, out)).toBeUndefined();
    addon.predictRows(plan, columns(3), 3, want);
    expect(out).toEqual(want);
    expect([...out]).toEqual([0, 1, 2, 3, 4, 5].map(expected));
    expect(addon.chunkNext(scheduler)).toBe(-1);
    expect(addon.groupStats(scheduler, 0)).toMatchObject({ events: 2, chunks: 1, rows: 3 });
    expect(addon.groupStats(scheduler, 0)).toMatchObject({ takenLow: 1, takenHigh: 0, waitingHigh: 0 });
  });

  it('take at most 256 rows', () => {
    const queue = schedule();
    expect(addon.chunkSubmit(scheduler, 7, queue, columns(1000), 100, 1000, 1000)).toBe(256);
    expect(addon.chunkSubmit(scheduler, 8, queue, columns(1000), 990, 1000, 1000)).toBe(10);
    run();
    const out = new Float64Array(512);
    expect(addon.chunkNext(scheduler)).toBe(7);
    addon.chunkTake(scheduler, 7, out);
    expect([out[0], out[511]]).toEqual([expected(200), expected(711)]);
    expect(completed()).toEqual([8]);
  });

  it('wake the submitting thread once', async () => {
    const queue = schedule();
    for (let ticket = 0; ticket < 50; ticket++) submit(queue, ticket);
    run();
    await until(() => signals > 0);
    await soon();
    expect(signals).toBe(1);
    submit(queue, 50);
    run();
    await soon();
    expect(signals).toBe(1); // the submitter has not taken the completed chunks yet
    expect(completed()).toHaveLength(51);
    submit(queue, 50);
    run();
    await until(() => signals > 1);
    await soon();
    expect(signals).toBe(2);
  });

  it('that are canceled are also returned', () => {
    const queue = schedule();
    for (const ticket of [0, 1, 2]) submit(queue, ticket);
    addon.chunkCancel(scheduler, 1);
    run();
    const ends = [0, 1, 2].map((ticket) => {
      expect(addon.chunkNext(scheduler)).toBe(ticket);
      return addon.chunkTake(scheduler, ticket, new Float64Array(2))?.end;
    });
    expect(ends).toEqual([undefined, 'cancelled', undefined]);
  });

  it('of a removed plan are canceled immediately', () => {
    const queue = schedule();
    submit(queue, 3);
    addon.planUnschedule(scheduler, queue);
    expect(addon.groupWaiting(scheduler, 0)).toBe(0);
    expect(addon.chunkNext(scheduler)).toBe(3);
    expect(addon.chunkTake(scheduler, 3, new Float64Array(2))).toEqual({ end: 'cancelled', row: 0 });
    expect(codeOf(() => submit(queue, 4))).toBe('ERR_NATIVE_HANDLE');
  });

  it('hold their plan until they end', () => {
    const queue = schedule();
    submit(queue, 0);
    addon.planRelease(plan);
    run();
    const out = new Float64Array(2);
    expect(addon.chunkNext(scheduler)).toBe(0);
    expect(addon.chunkTake(scheduler, 0, out)).toBeUndefined();
    expect([...out]).toEqual([expected(0), expected(1)]);
    plan = twoStages();
  });

  it('are timed stage by stage if the caller requests it', () => {
    const queue = schedule();
    const [out, clock] = [new Float64Array(6), new Float64Array(3).fill(-1)];
    addon.chunkSubmit(scheduler, 0, queue, columns(3), 0, 3, 3, true);
    addon.chunkSubmit(scheduler, 1, queue, columns(3), 0, 3, 3);
    run();
    expect(addon.chunkNext(scheduler)).toBe(0);
    expect(addon.chunkTake(scheduler, 0, out, clock)).toBeUndefined();
    expect(clock.subarray(0, 2).every((nanoseconds) => nanoseconds >= 0 && nanoseconds < 1e9)).toBe(true);
    expect(clock[2]).toBe(-1); // the plan has only two stages
    clock.fill(-1);
    expect(addon.chunkNext(scheduler)).toBe(1);
    expect(addon.chunkTake(scheduler, 1, out, clock)).toBeUndefined();
    expect([...clock]).toEqual([-1, -1, -1]); // the chunk was not timed
    expect([...out]).toEqual([0, 1, 2, 3, 4, 5].map(expected));
  });

  const heldBy = (group: number) => {
    const numbers = new Float64Array(36);
    addon.groupVectors(scheduler, group, numbers);
    return { classBytes: numbers[0], vectors: numbers[1]!, bytes: numbers[2]! };
  };

  it('have the same answers after several calls of this thread that each end inside the chunk', () => {
    const queue = schedule();
    const rows = 200;
    for (const ticket of [0, 1]) submit(queue, ticket, rows);
    const wanted = (ticket: number) => {
      const out = new Float64Array(2 * rows);
      addon.predictRows(plan, columns(rows, ticket), rows, out);
      return out;
    };
    const out = new Float64Array(2 * rows);
    for (const ticket of [0, 1]) {
      while (addon.chunkNext(scheduler) !== ticket) addon.executorRun(scheduler, 0, 1e-6, 0);
      expect(addon.chunkTake(scheduler, ticket, out)).toBeUndefined();
      expect(out).toEqual(wanted(ticket));
    }
    expect(addon.groupStats(scheduler, 0)).toMatchObject({ events: 4, chunks: 2, rows: 400, preempted: 0 });
    expect(addon.groupStats(scheduler, 0).takenHigh).toBeGreaterThan(0);
  });

  it('that this thread has started are finished by another executor', async () => {
    const queue = schedule();
    submit(queue, 0, 200);
    addon.executorRun(scheduler, 0, 1e-6, 0);
    expect(addon.chunkNext(scheduler)).toBe(-1);
    expect(addon.groupStats(scheduler, 0).waitingHigh).toBe(1);
    const source = `const { workerData } = require('node:worker_threads');
      const { addon } = require(workerData.addon);
      addon.executorRun(workerData.scheduler, 0, 1000, 0);`;
    const workerData = { addon: new URL('../index.cjs', import.meta.url).pathname, scheduler };
    const worker = new Worker(source, { eval: true, workerData });
    await new Promise((resolve) => worker.on('exit', resolve));
    const out = new Float64Array(400);
    expect(addon.chunkNext(scheduler)).toBe(0);
    expect(addon.chunkTake(scheduler, 0, out)).toBeUndefined();
    expect([...out]).toEqual(Array.from({ length: 400 }, (_, at) => expected(at)));
  });

  it('that this thread has started can be canceled', () => {
    submit(schedule(), 0, 200);
    addon.executorRun(scheduler, 0, 1e-6, 0);
    addon.chunkCancel(scheduler, 0);
    run();
    expect(addon.chunkNext(scheduler)).toBe(0);
    expect(addon.chunkTake(scheduler, 0, new Float64Array(400))).toEqual({ end: 'cancelled', row: 0 });
  });

  it('use the vectors that a group holds before they allocate new vectors', () => {
    const group = addon.groupCreate(scheduler);
    const queue = addon.planSchedule(scheduler, plan, group, 1, 1, 100);
    addon.vectorsHold(scheduler, queue, 2);
    const before = heldBy(group);
    expect(before.vectors).toBe(2);
    expect(before.bytes).toBeGreaterThan(0);
    const round = () => {
      for (const ticket of [0, 1]) submit(queue, ticket, 100);
      addon.executorRun(scheduler, group, TIME, 0);
      expect(completed()).toEqual([0, 1]);
      return heldBy(group);
    };
    // This thread runs chunks in pieces, and copies their inputs into the vectors.
    const after = round();
    expect(after).toMatchObject({ classBytes: before.classBytes, vectors: 2 });
    expect(round()).toEqual(after);
    expect(addon.groupStats(scheduler, group)).toMatchObject({ vectorsMade: 2, chunks: 4 });
    expect(heldBy(0).vectors).toBe(0);
  });

  it('return their vectors to the group when the thread of an executor ends', async () => {
    const group = addon.groupCreate(scheduler);
    const queue = addon.planSchedule(scheduler, plan, group, 1, 1, 100);
    addon.vectorsHold(scheduler, queue, 1);
    const before = heldBy(group);
    const source = `const { workerData } = require('node:worker_threads');
      const { addon } = require(workerData.addon);
      addon.executorRun(workerData.scheduler, workerData.group, 1000, 0);`;
    const workerData = { addon: new URL('../index.cjs', import.meta.url).pathname, scheduler, group };
    for (const ticket of [0, 1, 2]) {
      submit(queue, ticket, 100);
      const worker = new Worker(source, { eval: true, workerData });
      await new Promise((resolve) => worker.on('exit', resolve));
      expect(completed()).toEqual([ticket]);
      expect(addon.groupStats(scheduler, group).vectorsMade).toBe(1);
      expect(heldBy(group)).toEqual(before);
    }
  });

  it('of reserved executors are returned before chunks of other executors', () => {
    const group = addon.groupCreate(scheduler);
    const [shared, reserved] = [schedule(), addon.planSchedule(scheduler, plan, group, 1, 1, 100)];
    for (const ticket of [0, 1]) submit(shared, ticket);
    for (const ticket of [2, 3]) submit(reserved, ticket);
    run();
    addon.executorRun(scheduler, group, TIME, 0);
    expect(completed()).toEqual([2, 3, 0, 1]);
  });

  it('pass their vectors to the next chunk, within the limits of the executor', () => {
    const keepsNothing = addon.groupCreate(scheduler, 0);
    for (const group of [0, keepsNothing]) {
      const queue = addon.planSchedule(scheduler, plan, group, 1, 1, 100);
      for (const ticket of [0, 1]) submit(queue, ticket);
      addon.executorRun(scheduler, group, TIME, 0);
      completed();
    }
    expect(heldBy(0)).toMatchObject({ classBytes: 16384, vectors: 1 });
    expect(heldBy(0).bytes).toBeGreaterThan(0);
    expect(addon.groupStats(scheduler, 0)).toMatchObject({ vectorsMade: 1, released: 0 });
    expect(heldBy(keepsNothing)).toEqual({ classBytes: 16384, vectors: 0, bytes: 0 });
    expect(addon.groupStats(scheduler, keepsNothing)).toMatchObject({ vectorsMade: 2, released: 2 });
  });

  it('reuse their buffers and the buffers of the executor', () => {
    const queue = schedule();
    const round = () => {
      for (let ticket = 0; ticket < 10; ticket++) submit(queue, ticket, 200);
      run();
      completed();
      const { grows, scratchBytes } = addon.groupStats(scheduler, 0);
      return { grows, scratchBytes, inputGrows: addon.schedulerStats(scheduler).inputGrows };
    };
    round();
    const warm = round();
    expect(warm.grows * warm.inputGrows).toBeGreaterThan(0);
    for (let again = 0; again < 200; again++) expect(round()).toEqual(warm);
  });
});

describe('order', () => {
  it('is by priority, then alternates between plans', () => {
    const [high, low] = [schedule(0), schedule(2)];
    const normal = schedule(1);
    submit(low, 0);
    submit(normal, 1);
    submit(low, 2);
    submit(high, 3);
    submit(normal, 4);
    run();
    expect(completed()).toEqual([3, 1, 4, 0, 2]);
  });

  it('is fair among plans, by weight', () => {
    // All chunks cost the same. So three quarters of the first chunks belong to the plan with three
    // times the weight, apart from noise of a busy machine. If another process runs during a chunk,
    // its time counts for the chunk's plan. The median of several rounds removes this noise.
    const shareOfHeavy = () => {
      const [heavy, light] = [schedule(1, 3), schedule(1, 1)];
      for (let ticket = 0; ticket < 400; ticket++) submit(ticket % 2 === 0 ? heavy : light, ticket, 100);
      run();
      const first = completed().slice(0, 200);
      const ofLight = first.filter((ticket) => ticket % 2 === 1);
      expect(ofLight).toEqual(ofLight.toSorted((a, b) => a - b));
      return 1 - ofLight.length / first.length;
    };
    const shares = Array.from({ length: 9 }, shareOfHeavy).toSorted((a, b) => a - b);
    expect(shares[4]).toBeGreaterThan(0.55);
    expect(shares[4]).toBeLessThan(0.95);
  });

  it('runs the chunk of a late plan before most earlier chunks', () => {
    const [early, late] = [schedule(), schedule()];
    for (let ticket = 0; ticket < 100; ticket++) submit(early, ticket, 100);
    submit(late, 100, 100);
    run();
    expect(completed().indexOf(100)).toBeLessThan(10);
  });
});

describe('executors', () => {
  it('run chunks on another thread', async () => {
    const queue = schedule();
    const source = `const { workerData } = require('node:worker_threads');
      const { addon } = require(workerData.addon);
      while (addon.executorRun(workerData.scheduler, 0, 50, 1000) === 1);`;
    const workerData = { addon: new URL('../index.cjs', import.meta.url).pathname, scheduler };
    const worker = new Worker(source, { eval: true, workerData });
    const exit = new Promise((resolve) => worker.on('exit', resolve));
    for (let ticket = 0; ticket < 20; ticket++) submit(queue, ticket, 100);
    const tickets: number[] = [];
    while (tickets.length < 20) {
      await turns();
      tickets.push(...completed());
    }
    expect(tickets).toEqual(Array.from({ length: 20 }, (_, at) => at));
    addon.schedulerClose(scheduler);
    expect(await exit).toBe(0);
  });

  it('end when their group is closed', () => {
    const group = addon.groupCreate(scheduler);
    addon.groupClose(scheduler, group);
    expect(addon.executorRun(scheduler, group, 10, 10)).toBe(2);
    expect(codeOf(() => addon.groupClose(scheduler, group))).toBe('ERR_NATIVE_HANDLE');
    addon.schedulerClose(scheduler);
    expect(addon.executorRun(scheduler, 0, 10, 10)).toBe(2);
  });

  it('stop when their time is up', () => {
    const queue = schedule();
    for (let ticket = 0; ticket < 3; ticket++) submit(queue, ticket);
    expect(addon.executorRun(scheduler, 0, 0, 0)).toBe(1);
    expect(completed()).toEqual([]);
  });
});

describe('wrong calls', () => {
  it.each([
    ['no such scheduler', () => addon.groupStats(scheduler + 1000, 0), 'ERR_NATIVE_HANDLE'],
    ['no such group', () => addon.groupWaiting(scheduler, 9), 'ERR_NATIVE_HANDLE'],
    ['the first group is not closed', () => addon.groupClose(scheduler, 0), 'ERR_NATIVE_HANDLE'],
    ['stale plan', () => addon.planSchedule(scheduler, 12345, 0, 0, 1, 1), 'ERR_NATIVE_HANDLE'],
    ['priority', () => schedule(3), 'ERR_NATIVE_ARGUMENT'],
    ['weight', () => schedule(1, 0), 'ERR_NATIVE_ARGUMENT'],
    ['no weight', () => schedule(1, Number.NaN), 'ERR_NATIVE_ARGUMENT'],
    ['cost', () => schedule(1, 1, -1), 'ERR_NATIVE_ARGUMENT'],
    ['no such queue', () => submit(99, 0), 'ERR_NATIVE_HANDLE'],
    ['no rows', () => submit(schedule(), 0, 0), 'ERR_NATIVE_ARGUMENT'],
    ['ticket', () => submit(schedule(), 2 ** 20), 'ERR_NATIVE_ARGUMENT'],
    ['half a ticket', () => submit(schedule(), 0.5), 'ERR_NATIVE_ARGUMENT'],
    ['no such chunk', () => addon.chunkCancel(scheduler, 5), 'ERR_NATIVE_HANDLE'],
    ['vectors', () => addon.groupCreate(scheduler, 1025), 'ERR_NATIVE_ARGUMENT'],
    ['held vectors', () => addon.vectorsHold(scheduler, schedule(), 1025), 'ERR_NATIVE_ARGUMENT'],
    ['held vectors of no plan', () => addon.vectorsHold(scheduler, 99, 1), 'ERR_NATIVE_HANDLE'],
    ['no list of CPUs', () => addon.executorRun(scheduler, 0, 0, 0, 0, 1 as never), 'ERR_NATIVE_ARGUMENT'],
    ['a CPU', () => addon.executorRun(scheduler, 0, 0, 0, 0, [1e6]), 'ERR_NATIVE_ARGUMENT'],
    ['bytes of vectors', () => addon.groupCreate(scheduler, 1, -1), 'ERR_NATIVE_ARGUMENT'],
    ['half a vector', () => addon.schedulerCreate(() => {}, 0.5), 'ERR_NATIVE_ARGUMENT'],
    ['room for classes', () => addon.groupVectors(scheduler, 0, new Float64Array(35)), 'ERR_NATIVE_ARGUMENT'],
    ['time', () => addon.executorRun(scheduler, 0, 1e9, 0), 'ERR_NATIVE_ARGUMENT'],
    ['no function', () => addon.schedulerCreate(1 as never), 'ERR_NATIVE_ARGUMENT'],
  ])('%s', (_, call, code) => {
    expect(codeOf(call)).toBe(code);
  });

  it('a ticket in use, an unfinished chunk, and a short out-array are errors', () => {
    const queue = schedule();
    submit(queue, 0, 2);
    expect(codeOf(() => submit(queue, 0))).toBe('ERR_NATIVE_ARGUMENT');
    expect(codeOf(() => addon.chunkTake(scheduler, 0, new Float64Array(4)))).toBe('ERR_NATIVE_ARGUMENT');
    run();
    expect(addon.chunkNext(scheduler)).toBe(0);
    expect(codeOf(() => addon.chunkTake(scheduler, 0, new Float64Array(3)))).toBe('ERR_NATIVE_ARGUMENT');
    expect(addon.chunkTake(scheduler, 0, new Float64Array(4))).toBeUndefined();
    expect(codeOf(() => addon.chunkTake(scheduler, 0, new Float64Array(4)))).toBe('ERR_NATIVE_HANDLE');
  });

  it('an invalid row is not submitted, and its ticket stays unused', () => {
    const queue = schedule();
    expect(codeOf(() => addon.chunkSubmit(scheduler, 0, queue, [new Float64Array(3)], 0, 2, 2))).toBe(
      'ERR_NATIVE_ARGUMENT',
    );
    expect(submit(queue, 0)).toBe(1);
    run();
    expect(completed()).toEqual([0]);
  });
});
