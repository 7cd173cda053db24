import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from 'brezel';
import { selectionError } from '../errors.js';
import type { Json } from '../json.js';
import { within } from '../policies/numbers.js';
import type { Change, SelectionStore } from './store.js';

/** The methods of a client of the package `redis` that a store uses. */
export interface RedisClient {
  get(key: string): Promise<string | null>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Options of `redisState`. */
export interface RedisStateOptions {
  /** The prefix of all keys in Redis. Default `brezel:selection:`. */
  readonly prefix?: string;
  /**
   * Predictions use a copy of the state in this process. The copy is refreshed when it is this many
   * milliseconds old. Default 1000.
   */
  readonly refreshMs?: number;
  /**
   * The longest wait for the answer to a command, in milliseconds. If a command takes longer, the
   * store treats Redis as unavailable. Default 100.
   */
  readonly timeoutMs?: number;
  /**
   * The largest number of changes that wait while Redis is unavailable. The oldest changes are
   * dropped first. Default 10,000.
   */
  readonly maxPending?: number;
  /** The largest number of states that this process copies. Default 100,000. */
  readonly maxKeys?: number;
  /**
   * Redis deletes a state that has received no feedback for this many milliseconds. Default: never.
   */
  readonly keepMs?: number;
  readonly clock?: Clock;
}

/** Counts of a Redis store in this process. */
export interface RedisStateStatistics {
  /** Changes that wait until Redis is available again. */
  readonly pending: number;
  /** Commands that failed or took longer than `timeoutMs`. */
  readonly failures: number;
  /** Changes that were dropped because more than `maxPending` were waiting. */
  readonly dropped: number;
}

/** A store that holds states in Redis. `redisState` creates it. */
export interface RedisStore extends SelectionStore {
  stats(): RedisStateStatistics;
  /**
   * Resolves when no change waits, or when Redis is unavailable. Returns the number of changes that
   * still wait.
   */
  flush(): Promise<number>;
}

/**
 * A Lua script that replaces the states in KEYS[2..] if they still equal the old states. KEYS[1]
 * contains the number of the last change of this store that Redis has applied. With this number,
 * the script never applies a change twice, even if the store sends the change again after a
 * timeout.
 *
 * ARGV[1] and ARGV[2] are the numbers of the first and the last change. ARGV[3] and ARGV[4] are the
 * lifetimes of KEYS[1] and of the states in milliseconds (0: no limit). Then the old and the new
 * text of each key follow. The text of a key without a state is empty. The script returns the
 * number of the last applied change, or -1 if another process has changed a state.
 */
const COMPARE_AND_SET = `
local last = tonumber(redis.call('GET', KEYS[1]) or '0')
if last >= tonumber(ARGV[1]) then return last end
for at = 2, #KEYS do
  local now = redis.call('GET', KEYS[at])
  if (now or '') ~= ARGV[at * 2 + 1] then return -1 end
end
for at = 2, #KEYS do
  if ARGV[4] == '0' then redis.call('SET', KEYS[at], ARGV[at * 2 + 2])
  else redis.call('SET', KEYS[at], ARGV[at * 2 + 2], 'PX', ARGV[4]) end
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return tonumber(ARGV[2])
`;

/**
 * How long Redis stores the number of the last applied change of a store (`KEYS[1]` of
 * `COMPARE_AND_SET`), in milliseconds. If Redis deleted the number while a repeated command waits
 * in the queue of the client, the script would apply the change twice.
 */
const NUMBER_MS = 24 * 3_600_000;
/** After a failed command, the store sends no command for this many milliseconds. */
const REST_MS = 1000;
/**
 * The largest number of attempts to apply a change. An attempt is repeated if another process has
 * changed a state in the meantime. After the last attempt, the change waits, as if Redis were
 * unavailable.
 */
const TRIES = 100;
/** The largest number of changes that one command applies. */
const MOST_AT_ONCE = 200;

interface Pending {
  /** The number of the change. Each store (`RedisStates`) counts its changes from 1. */
  readonly number: number;
  readonly keys: readonly string[];
  readonly change: Change;
  /** Ends the wait of the caller, because the change was applied or Redis is unavailable. */
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/**
 * Creates a store that holds the states in Redis, where several processes share them. Each change
 * is atomic.
 *
 * Predictions use a copy in this process: only the first prediction of a context waits for Redis,
 * at most until its deadline or `timeoutMs`. While Redis is unavailable, predictions and feedback
 * use the copy. When Redis is available again, the store applies the waiting changes to the shared
 * state, once and in order. No change of another process is lost.
 *
 * The caller connects and closes the client, and listens to its `error` events.
 *
 * @throws ERR_SELECTION_OPTION
 * @example
 * // const client = await createClient().on('error', console.error).connect(); // of redis
 * createSelection({ candidates, loss, state: redisState(client) });
 */
export function redisState(client: RedisClient, options: RedisStateOptions = {}): RedisStore {
  return new RedisStates(client, options);
}

class RedisStates implements RedisStore {
  readonly #client: RedisClient;
  readonly #prefix: string;
  readonly #refreshMs: number;
  readonly #timeoutMs: number;
  readonly #maxPending: number;
  readonly #maxKeys: number;
  readonly #keepMs: number;
  readonly #clock: Clock;
  /** Identifies this store in the keys of Redis. */
  readonly #id = randomUUID();
  #number = 0;
  readonly #copies = new Map<string, { readonly state: Json | undefined; readonly at: number }>();
  readonly #refreshing = new Map<string, Promise<Json | undefined>>();
  readonly #pending: Pending[] = [];
  #draining: Promise<void> | undefined;
  #failures = 0;
  #dropped = 0;
  #unavailableUntil = -Infinity;

  constructor(client: RedisClient, options: RedisStateOptions) {
    const at = 'redisState';
    this.#client = client;
    this.#prefix = options.prefix ?? 'brezel:selection:';
    this.#refreshMs = within(at, 'refreshMs', options.refreshMs ?? 1000, 0, Infinity);
    this.#timeoutMs = within(at, 'timeoutMs', options.timeoutMs ?? 100, 1, 60_000);
    this.#maxPending = within(at, 'maxPending', options.maxPending ?? 10_000, 1, 1e6);
    this.#maxKeys = within(at, 'maxKeys', options.maxKeys ?? 100_000, 2, 2 ** 24);
    this.#keepMs = within(at, 'keepMs', options.keepMs ?? 0, 0, Number.MAX_SAFE_INTEGER);
    this.#clock = options.clock ?? systemClock;
  }

  read(key: string): Json | undefined | Promise<Json | undefined> {
    const copy = this.#copies.get(key);
    if (copy === undefined) return this.#refresh(key);
    if (this.#clock.now() - copy.at >= this.#refreshMs) this.#refresh(key).catch(() => this.#failures++);
    return copy.state;
  }

  async update(keys: readonly string[], change: Change): Promise<void> {
    // The copy has the change at once, so that the next prediction uses it also without Redis.
    const missing = keys.filter((key) => !this.#copies.has(key));
    await Promise.all(missing.map((key) => this.#refresh(key)));
    const next = change(keys.map((key) => this.#copies.get(key)?.state));
    keys.forEach((key, at) => {
      this.#copy(key, next[at]);
    });
    if (this.#pending.length >= this.#maxPending) this.#drop();
    const applied = new Promise<void>((resolve, reject) => {
      this.#pending.push({ number: ++this.#number, keys, change, resolve, reject });
    });
    void this.#drain();
    await applied;
  }

  stats(): RedisStateStatistics {
    return { pending: this.#pending.length, failures: this.#failures, dropped: this.#dropped };
  }

  async flush(): Promise<number> {
    await this.#drain();
    return this.#pending.length;
  }

  /**
   * Applies the waiting changes in order, and stops when Redis is unavailable. The promise never
   * rejects.
   */
  #drain(): Promise<void> {
    this.#draining ??= this.#applyAll().finally(() => {
      this.#draining = undefined;
      // While Redis is unavailable, callers do not wait for it.
      for (const { resolve } of this.#pending) resolve();
    });
    return this.#draining;
  }

  async #applyAll(): Promise<void> {
    while (this.#pending.length > 0) if (!(await this.#applySome())) return;
  }

  /** Applies the oldest waiting changes in one command. Returns false if Redis is unavailable. */
  async #applySome(): Promise<boolean> {
    for (let tries = 0; tries < TRIES; tries++) {
      const changes = this.#pending.slice(0, MOST_AT_ONCE);
      const keys = [...new Set(changes.flatMap((one) => one.keys))];
      const names = keys.map((key) => this.#prefix + key);
      const texts = await this.#within(() => Promise.all(names.map((name) => this.#client.get(name))));
      if (texts === undefined) return false;
      const states = this.#changed(changes, keys, texts);
      // A change that fails on the shared state was dropped. The next command applies the other
      // changes.
      if (states === undefined) return true;
      const pairs = texts.flatMap((text, at) => [text ?? '', JSON.stringify(states.get(keys[at]!))]);
      const numbers = [changes[0]!.number, changes.at(-1)!.number, NUMBER_MS, this.#keepMs].map(String);
      const command = { keys: [`${this.#prefix}applied/${this.#id}`, ...names], arguments: [...numbers, ...pairs] };
      const answer = await this.#within(() => this.#client.eval(COMPARE_AND_SET, command));
      if (answer === undefined) return false;
      const last = Number(answer);
      if (last < 0) continue;
      // If an earlier command has already applied a part of these changes, `states` differs from
      // the states in Redis.
      const isAll = last === changes.at(-1)!.number;
      while (this.#pending.length > 0 && this.#pending[0]!.number <= last) this.#pending.shift()!.resolve();
      if (isAll) for (const key of keys) if (!this.#isWaiting(key)) this.#copy(key, states.get(key));
      return true;
    }
    this.#failures++;
    return false;
  }

  /**
   * Returns the states after some changes. If a change throws, drops this change and returns
   * undefined.
   *
   * @param texts the shared states of `keys`, as texts.
   */
  #changed(
    changes: readonly Pending[],
    keys: readonly string[],
    texts: readonly (string | null)[],
  ): Map<string, Json | undefined> | undefined {
    const states = new Map<string, Json | undefined>();
    for (const one of changes) {
      try {
        for (const key of one.keys) if (!states.has(key)) states.set(key, stateOf(texts[keys.indexOf(key)]!));
        const next = one.change(one.keys.map((key) => states.get(key)));
        one.keys.forEach((key, at) => {
          states.set(key, next[at]);
        });
      } catch (error) {
        this.#pending.splice(this.#pending.indexOf(one), 1);
        this.#dropped++;
        // The copies contain the dropped change, so they are deleted.
        for (const key of one.keys) this.#copies.delete(key);
        one.reject(error);
        return undefined;
      }
    }
    return states;
  }

  /** Drops the oldest waiting change, because too many changes wait. */
  #drop(): void {
    this.#pending.shift()?.resolve();
    this.#dropped++;
  }

  #isWaiting(key: string): boolean {
    return this.#pending.some(({ keys }) => keys.includes(key));
  }

  /** Refreshes the copy of a shared state. If Redis is unavailable, the old copy stays. */
  #refresh(key: string): Promise<Json | undefined> {
    const known = this.#refreshing.get(key);
    if (known !== undefined) return known;
    const refreshing = this.#fetch(key).finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, refreshing);
    return refreshing;
  }

  async #fetch(key: string): Promise<Json | undefined> {
    if (this.#pending.length > 0) void this.#drain();
    const text = await this.#within(() => this.#client.get(this.#prefix + key));
    // The copy contains changes that wait for Redis. The shared state does not contain them yet, so
    // it must not replace the copy.
    if (text !== undefined && !this.#isWaiting(key)) this.#copy(key, stateOf(text));
    return this.#copies.get(key)?.state;
  }

  #copy(key: string, state: Json | undefined): void {
    this.#copies.delete(key);
    this.#copies.set(key, { state, at: this.#clock.now() });
    while (this.#copies.size > this.#maxKeys) this.#copies.delete(this.#copies.keys().next().value!);
  }

  /**
   * Sends a command and returns its result. Returns undefined if the command fails or takes too
   * long, or if an earlier command failed less than `REST_MS` ago.
   */
  async #within<Result>(send: () => Promise<Result>): Promise<Result | undefined> {
    if (this.#clock.now() < this.#unavailableUntil) return undefined;
    let timer: ReturnType<Clock['setTimeout']> | undefined;
    const late = new Promise<undefined>((resolve) => {
      timer = this.#clock.setTimeout(() => resolve(undefined), this.#timeoutMs).unref();
    });
    const result = await Promise.race([send().catch(() => undefined), late]);
    timer?.cancel();
    if (result === undefined) {
      this.#failures++;
      this.#unavailableUntil = this.#clock.now() + REST_MS;
    }
    return result;
  }
}

/**
 * Parses the text of a state. Returns undefined for a missing state.
 * @throws ERR_SELECTION_STATE if the text is not JSON.
 */
function stateOf(text: string | null): Json | undefined {
  if (text === null) return undefined;
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw selectionError('ERR_SELECTION_STATE', {
      expected: 'JSON',
      received: JSON.stringify(text.slice(0, 100)),
      cause,
    });
  }
}
