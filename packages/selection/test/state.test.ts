import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { turns } from '../../../testing/turns.js';
import {
  createSelection,
  type Json,
  memoryState,
  redisState,
  type SelectionStore,
  sqliteState,
} from '../dist/index.js';

/** Adds 1 to each state. */
const increment = (states: readonly (Json | undefined)[]) => states.map((state) => ((state as number) ?? 0) + 1);
const refused = (code: string) => expect.objectContaining({ code });

/** The three statements of `sqliteState` over a Map, with a transaction that can be undone. */
class FakeDatabase {
  rows = new Map<string, string>();
  readonly log: string[] = [];
  isFull = false;
  #before = this.rows;

  exec(sql: string): void {
    this.log.push(sql.split(' ')[0]!);
    if (sql.startsWith('BEGIN')) this.#before = new Map(this.rows);
    if (sql === 'ROLLBACK') this.rows = this.#before;
  }

  prepare(sql: string) {
    return {
      get: (key: string) =>
        sql.startsWith('SELECT') && this.rows.has(key) ? { state: this.rows.get(key)! } : undefined,
      run: (key: string, state: string) => {
        if (this.isFull && this.rows.has(key)) throw new Error('database or disk is full');
        this.rows.set(key, state);
      },
    };
  }
}

interface RedisCommand {
  readonly keys: string[];
  readonly arguments: string[];
}

/**
 * A Redis server in this process. Its commands can hang and run later, as in the queue of a client.
 */
class FakeRedis {
  readonly values = new Map<string, string>();
  readonly #waiting: (() => void)[] = [];
  isGone = false;
  commands = 0;

  get(key: string): Promise<string | null> {
    return this.#command(() => this.values.get(key) ?? null);
  }

  eval(_script: string, { keys: [mark, ...keys], arguments: [first, last, , , ...texts] }: RedisCommand) {
    return this.#command(() => {
      const applied = Number(this.values.get(mark!) ?? 0);
      if (applied >= Number(first)) return applied;
      if (keys.some((key, at) => (this.values.get(key) ?? '') !== texts[at * 2])) return -1;
      keys.forEach((key, at) => {
        this.values.set(key, texts[at * 2 + 1]!);
      });
      this.values.set(mark!, last!);
      return Number(last);
    });
  }

  /** Runs the commands that wait. */
  comeBack(): void {
    this.isGone = false;
    for (const run of this.#waiting.splice(0)) run();
  }

  #command<Result>(run: () => Result): Promise<Result> {
    this.commands++;
    if (!this.isGone) return Promise.resolve().then(run);
    return new Promise((resolve) => this.#waiting.push(() => resolve(run())));
  }
}

const stores: readonly (readonly [string, () => SelectionStore])[] = [
  ['memoryState', () => memoryState()],
  ['sqliteState', () => sqliteState(new FakeDatabase())],
  ['redisState', () => redisState(new FakeRedis())],
];

describe.each(stores)('%s', (_name, create) => {
  it('reads the written state of each key', async () => {
    const store = create();
    expect(await store.read('a')).toBeUndefined();
    await store.update(['a', 'b'], () => [{ x: [1, null, 'é'] }, 2]);
    expect(await store.read('a')).toEqual({ x: [1, null, 'é'] });
    expect(await store.read('b')).toBe(2);
  });

  it('loses none of many concurrent changes', async () => {
    const store = create();
    await Promise.all(Array.from({ length: 100 }, (_, at) => store.update(['all', `k${at % 3}`], increment)));
    expect(await store.read('all')).toBe(100);
    expect(await store.read('k0')).toBe(34);
  });
});

describe('memoryState', () => {
  it('deletes the key that was used least recently', () => {
    const store = memoryState({ maxKeys: 2 });
    store.update(['a'], increment);
    store.update(['b'], increment);
    expect(store.read('a')).toBe(1);
    store.update(['c'], increment);
    expect([store.read('a'), store.read('b'), store.read('c')]).toEqual([1, undefined, 1]);
    expect(() => memoryState({ maxKeys: 0 })).toThrow('expected maxKeys from 2 to 16777216 at memoryState, received 0');
  });
});

describe('sqliteState', () => {
  it('reverses a failed change', async () => {
    const database = new FakeDatabase();
    const store = sqliteState(database);
    await store.update(['b'], increment);
    database.isFull = true;
    expect(() => store.update(['a', 'b'], increment)).toThrow(refused('ERR_SELECTION_STATE'));
    expect(() => store.update(['a', 'b'], increment)).toThrow('database or disk is full');
    expect(await store.read('a')).toBeUndefined();
    expect(database.log.slice(-2)).toEqual(['BEGIN', 'ROLLBACK']);
  });

  it('rejects a state that is not JSON, and an invalid table name', () => {
    const database = new FakeDatabase();
    const store = sqliteState(database);
    database.rows.set('a', '{');
    expect(() => store.read('a')).toThrow(refused('ERR_SELECTION_STATE'));
    expect(() => sqliteState(database, { table: 'x; DROP TABLE y' })).toThrow(refused('ERR_SELECTION_OPTION'));
  });
});

describe('redisState', () => {
  it('shares a state between processes', async () => {
    const redis = new FakeRedis();
    const clock = new ManualClock();
    const [one, two] = [redisState(redis, { clock }), redisState(redis, { clock })];
    await Promise.all(Array.from({ length: 20 }, (_, at) => (at % 2 === 0 ? one : two).update(['a'], increment)));
    expect(redis.values.get('brezel:selection:a')).toBe('20');
    // A copy is used for one second. After that, a read returns the old copy and refreshes it for
    // the next read.
    clock.advance(1000);
    await one.read('a');
    await turns(2);
    expect(await one.read('a')).toBe(20);
  });

  it('uses its copy while Redis is unavailable, and applies each waiting change once later', async () => {
    const redis = new FakeRedis();
    const clock = new ManualClock();
    const store = redisState(redis, { clock, timeoutMs: 50 });
    const other = redisState(redis, { clock });
    await store.update(['a'], increment);
    redis.isGone = true;
    await clock.run(Promise.resolve(store.update(['a'], increment)), 50);
    const { commands } = redis;
    // For one second, no command is sent, so that no caller waits.
    await store.update(['a'], increment);
    expect(redis.commands).toBe(commands);
    expect(await store.read('a')).toBe(3);
    expect(await store.read('unknown')).toBeUndefined();
    expect(store.stats()).toMatchObject({ pending: 2, dropped: 0 });

    redis.comeBack();
    await other.update(['a'], (states) => [((states[0] as number) ?? 0) + 10]);
    clock.advance(1000);
    expect(await store.flush()).toBe(0);
    expect(redis.values.get('brezel:selection:a')).toBe('13');
    expect(await store.read('a')).toBe(13);
  });

  it('does not repeat a change that the server ran after the timeout', async () => {
    const redis = new FakeRedis();
    const clock = new ManualClock();
    const store = redisState(redis, { clock, timeoutMs: 50 });
    await store.update(['a'], increment);
    const { get } = redis;
    // The read succeeds, but the write waits in the client's queue.
    redis.get = async (key) => {
      const text = await get.call(redis, key);
      redis.isGone = true;
      return text;
    };
    await clock.run(Promise.resolve(store.update(['a'], increment)), 50);
    redis.get = get;
    redis.comeBack();
    expect(redis.values.get('brezel:selection:a')).toBe('2');
    clock.advance(1000);
    expect(await store.flush()).toBe(0);
    expect(redis.values.get('brezel:selection:a')).toBe('2');
  });

  it('applies the rest if the server ran only a part of the waiting changes after the timeout', async () => {
    const redis = new FakeRedis();
    const clock = new ManualClock();
    const store = redisState(redis, { clock, timeoutMs: 50 });
    await store.update(['a'], increment);
    const { get } = redis;
    redis.get = async (key) => {
      const text = await get.call(redis, key);
      redis.isGone = true;
      return text;
    };
    await clock.run(Promise.resolve(store.update(['a'], increment)), 50);
    redis.get = get;
    await store.update(['a', 'b'], increment);
    redis.comeBack();
    clock.advance(1000);
    expect(await store.flush()).toBe(0);
    expect([redis.values.get('brezel:selection:a'), redis.values.get('brezel:selection:b')]).toEqual(['3', '1']);
    expect([await store.read('a'), await store.read('b')]).toEqual([3, 1]);
  });

  it('rejects only changes of an invalid state', async () => {
    const redis = new FakeRedis();
    const store = redisState(redis);
    await store.update(['a', 'b'], increment);
    redis.values.set('brezel:selection:a', 'not JSON');
    const both = await Promise.allSettled([store.update(['a'], increment), store.update(['b'], increment)]);
    expect(both.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
    expect(redis.values.get('brezel:selection:b')).toBe('2');
    expect(store.stats()).toMatchObject({ pending: 0, dropped: 1 });
  });

  it('answers each caller when its change is applied', async () => {
    const redis = new FakeRedis();
    const store = redisState(redis);
    await Promise.all(Array.from({ length: 1000 }, () => store.update(['a'], increment)));
    expect(redis.values.get('brezel:selection:a')).toBe('1000');
    // Several changes are applied by one command, so there are fewer commands than changes.
    expect(redis.commands).toBeLessThan(200);
  });

  it('drops the oldest change beyond its limit, and counts it', async () => {
    const redis = new FakeRedis();
    const clock = new ManualClock();
    const store = redisState(redis, { clock, maxPending: 2, timeoutMs: 50 });
    redis.isGone = true;
    for (let change = 0; change < 4; change++) await clock.run(Promise.resolve(store.update(['a'], increment)), 50);
    expect(store.stats()).toMatchObject({ pending: 2, dropped: 2 });
  });

  it('reports a state that is not JSON, and continues', async () => {
    const redis = new FakeRedis();
    const store = redisState(redis);
    redis.values.set('brezel:selection:a', '{');
    await expect(store.read('a')).rejects.toThrow(refused('ERR_SELECTION_STATE'));
    await expect(store.update(['a'], increment)).rejects.toThrow(refused('ERR_SELECTION_STATE'));
    await store.update(['b'], increment);
    expect(await store.read('b')).toBe(1);
  });

  it('stores the state of a selection', async () => {
    const redis = new FakeRedis();
    const create = () =>
      createSelection({
        candidates: { good: () => 1, bad: () => 0 },
        loss: (truth: number, answer: number) => Math.abs(truth - answer),
        state: redisState(redis),
      });
    const first = create();
    for (let round = 0; round < 30; round++) await first.feedback((await first.predict(null)).query, 1);
    const weights = await first.weights();
    expect(weights?.good).toBeGreaterThan(0.9);
    expect(await create().weights()).toEqual(weights);
  });
});

describe('a store that does not answer', () => {
  const hanging = {
    read: () => new Promise<never>(() => undefined),
    update: () => new Promise<never>(() => undefined),
  };
  const create = (clock = new ManualClock()) =>
    createSelection<string, number>({ candidates: { one: () => 1 }, loss: () => 0, state: hanging, clock });

  it('predict ends when its signal aborts', async () => {
    const clock = new ManualClock();
    const controller = new AbortController();
    const answers = [{}, { deadlineMs: 50 }].map((limits) =>
      create(clock).predict('a', { ...limits, signal: controller.signal }),
    );
    const reason = new Error('enough');
    controller.abort(reason);
    for (const answer of answers) await expect(answer).rejects.toBe(reason);
    expect(clock.timers).toBe(0);
    await expect(create().predict('a', { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  });

  it('weights end at the deadline, with undefined', async () => {
    const clock = new ManualClock();
    const weights = create(clock).weights({ deadlineMs: 20 });
    clock.advance(20);
    expect(await weights).toBeUndefined();
  });

  it.each([
    ['weights', (app: ReturnType<typeof create>) => app.weights({ deadline: 1 } as never)],
    ['weights', (app: ReturnType<typeof create>) => app.weights({ deadlineMs: -1 })],
    ['feedback', (app: ReturnType<typeof create>) => app.feedback('a', 1, { deadlineMs: Number.NaN })],
    ['feedback', (app: ReturnType<typeof create>) => app.feedback('a', 1, null as never)],
  ])('%s rejects invalid options', async (_, call) => {
    await expect(call(create())).rejects.toMatchObject({ code: 'ERR_SELECTION_OPTION' });
  });
});
