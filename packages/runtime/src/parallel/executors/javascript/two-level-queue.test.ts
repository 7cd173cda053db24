import { queueOptionsSymbol } from 'piscina';
import { describe, expect, test } from 'vitest';
import { type QueuedRequest, type Share, type Ticket, TwoLevelQueue } from './two-level-queue.js';

type Task = Parameters<TwoLevelQueue['push']>[0];

const share = (weight = 1, priority = 1): Share => ({ priority, weight, time: 0 });

/** Returns a batch whose chunks are named by their index. */
function batch(name: string, of: Share, chunks: number, nanoseconds = 1000) {
  const request: QueuedRequest = { share: of, taken: 0, waiting: [] };
  return Array.from({ length: chunks }, (_, at) => taskOf(`${name}${at}`, { request, nanoseconds }));
}

const taskOf = (name: string, ticket: Ticket) => ({ name, [queueOptionsSymbol]: ticket }) as unknown as Task;
const ticketOf = (task: Task) => (task as never as Record<symbol, Ticket>)[queueOptionsSymbol]!;
const nameOf = (task: Task | null) => (task as { name: string } | null)?.name;

function queueOf(...batches: Task[][]): TwoLevelQueue {
  const queue = new TwoLevelQueue();
  for (const task of batches.flat()) queue.push(task);
  return queue;
}

const all = (queue: TwoLevelQueue) => Array.from({ length: queue.size }, () => nameOf(queue.shift()));

describe('two levels', () => {
  test('a started batch runs before new batches', () => {
    const plan = share();
    expect(all(queueOf(batch('a', plan, 3), batch('b', plan, 2)))).toEqual(['a0', 'a1', 'a2', 'b0', 'b1']);
  });

  test('a long batch waits after eight chunks for plans that had less time', () => {
    const queue = queueOf(batch('a', share(), 20), batch('b', share(), 2));
    expect(all(queue).slice(0, 11)).toEqual(['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b0', 'b1', 'a8']);
  });

  test('a higher priority runs first', () => {
    const queue = queueOf(batch('low', share(1, 2), 2), batch('high', share(1, 0), 2));
    expect(all(queue)).toEqual(['high0', 'high1', 'low0', 'low1']);
  });

  test('plans share time by their weights, for any cost of their chunks', () => {
    const [light, heavy] = [share(1), share(3)];
    // Batches of one chunk, so that no started batch has waiting chunks.
    const of = (name: string, plan: Share, cost: number) =>
      Array.from({ length: 40 }, (_, at) => batch(`${name}${at}.`, plan, 1, cost)).flat();
    const queue = queueOf(of('light', light, 2000), of('heavy', heavy, 1000));
    const first = all(queue).slice(0, 35);
    const heavies = first.filter((name) => name?.startsWith('heavy')).length;
    expect(heavies).toBe(30); // 30 x 1000 / 3 = 5 x 2000
  });

  test('an idle plan collects no credit', () => {
    const [busy, idle] = [share(), share()];
    const queue = queueOf(batch('a', busy, 100));
    for (let at = 0; at < 50; at++) queue.shift();
    for (const task of batch('b', idle, 30)) queue.push(task);
    const next = all(queue).slice(0, 32);
    expect(next.filter((name) => name?.startsWith('a')).length).toBeGreaterThan(10);
  });
});

test('a task that piscina returns is at its previous position', () => {
  const plan = share();
  const queue = queueOf(batch('a', plan, 2), batch('b', plan, 1));
  const task = queue.shift()!;
  expect(plan.time).toBe(1000);
  queue.push(task);
  expect(plan.time).toBe(0);
  expect(queue.high).toBe(0);
  expect(all(queue)).toEqual(['a0', 'a1', 'b0']);
});

test('a dropped chunk is removed once', () => {
  const [first, second] = batch('a', share(), 2);
  const queue = queueOf([first!, second!]);
  expect(queue.drop(ticketOf(first!))).toBe(true);
  expect(queue.drop(ticketOf(first!))).toBe(false);
  expect(queue.size).toBe(1);
  queue.remove(second!);
  expect([queue.size, queue.shift(), queue.next()]).toEqual([0, null, undefined]);
});
