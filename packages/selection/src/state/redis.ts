import { randomUUID } from 'node:crypto';
import { type Clock, systemClock } from 'brezel';
import { selectionError } from '../errors.js';
import type { Json } from '../json.js';
import { within } from '../policies/numbers.js';
import type { Change, SelectionStore } from './store.js';

/** The part of a client of the package `redis` that a selection uses. */
export interface RedisClient {
  get(key: string): Promise<string | null>;
  eval(script: string, options: { keys: string[]; arguments: string[] }): Promise<unknown>;
}

/** Options of `redisState`. */
export interface RedisStateOptions {
  /** The prefix of all keys. Default `brezel:selection:`. */
  readonly prefix?: string;
  /** Predictions use a copy of a state that is at most this many milliseconds old. Default 1000. */
  readonly refreshMs?: number;
  /** Milliseconds after which Redis counts as unavailable for one command. Default 100. */
  readonly timeoutMs?: number;
  /** The largest number of changes that wait while Redis is unavailable. Default 10,000. */
  readonly maxPending?: number;
  /** The largest number of states that are copied in this process. Default 100,000. */
  readonly maxKeys?: number;
  readonly clock?: Clock;
}

/** What a store in Redis counted. */
export interface RedisStateStatistics {
  /** Changes that wait until Redis is available again. */
  readonly pending: number;
  /** Commands that failed or took longer than `timeoutMs`. */
  readonly failures: number;
  /** Changes that were dropped because more than `maxPending` were waiting. */
  readonly dropped: number;
}

/** A store in Redis. */
export interface RedisStore extends SelectionStore {
  stats(): RedisStateStatistics;
  /** Resolves when no change waits, or when Redis is unavailable. Returns the changes that wait. */
  flush(): Promise<number>;
}

/**
 * Replaces the states of KEYS[2..] if they still are the old ones, once per identifier. KEYS[1] is
 * the mark of the identifier. ARGV is the life of the mark in milliseconds, then the old and the
 * new text of each key ('' for no state).
 *
 * It returns 1 if the states are written now or were written before, and 0 if they had changed.
 */
const COMPARE_AND_SET = `
if redis.call('EXISTS', KEYS[1]) == 1 then return 1 end
for at = 2, #KEYS do
  local now = redis.call('GET', KEYS[at])
  if (now or '') ~= ARGV[at * 2 - 2] then return 0 end
end
for at = 2, #KEYS do redis.call('SET', KEYS[at], ARGV[at * 2 - 1]) end
redis.call('SET', KEYS[1], '1', 'PX', ARGV[1])
return 1
`;

/** A mark outlives the longest time in which a client still sends a command that it queued. */
const MARK_MS = 24 * 3_600_000;
/** After a failed command, Redis counts as unavailable for this many milliseconds. */
const REST_MS = 1000;
/** Each try loses only if another process changed the state meanwhile. */
const TRIES = 100;

interface Pending {
  readonly id: string;
  readonly keys: readonly string[];
  readonly change: Change;
}

/**
 * Holds states in Redis, where several processes share them. Each change is atomic.
 *
 * Predictions use a copy in this process, so they never wait for Redis after the first one. While
 * Redis is unavailable, predictions and feedback continue on the copy. The changes wait, and are
 * applied to the shared state once and in order when Redis is back: what other processes learned
 * meanwhile stays.
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
  readonly #clock: Clock;
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
    if (this.#pending.length >= this.#maxPending) {
      this.#pending.shift();
      this.#dropped++;
    }
    this.#pending.push({ id: randomUUID(), keys, change });
    await this.#drain();
  }

  stats(): RedisStateStatistics {
    return { pending: this.#pending.length, failures: this.#failures, dropped: this.#dropped };
  }

  async flush(): Promise<number> {
    await this.#drain();
    return this.#pending.length;
  }

  /** Applies the waiting changes in order. It stops at the first one that Redis does not accept. */
  #drain(): Promise<void> {
    this.#draining ??= this.#applyAll().finally(() => {
      this.#draining = undefined;
    });
    return this.#draining;
  }

  async #applyAll(): Promise<void> {
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      try {
        if (!(await this.#apply(first))) return;
      } catch (error) {
        // A change that fails on the shared state would block all changes behind it.
        this.#dropped++;
        if (this.#pending[0] === first) this.#pending.shift();
        throw error;
      }
      if (this.#pending[0] === first) this.#pending.shift();
    }
  }

  /** Applies one change to the shared state. Returns false if Redis is unavailable. */
  async #apply({ id, keys, change }: Pending): Promise<boolean> {
    const names = keys.map((key) => this.#prefix + key);
    for (let tries = 0; tries < TRIES; tries++) {
      const texts = await this.#within(() => Promise.all(names.map((name) => this.#client.get(name))));
      if (texts === undefined) return false;
      const next = change(texts.map(stateOf));
      const pairs = texts.flatMap((text, at) => [text ?? '', JSON.stringify(next[at])]);
      const command = { keys: [`${this.#prefix}applied/${id}`, ...names], arguments: [`${MARK_MS}`, ...pairs] };
      const done = await this.#within(() => this.#client.eval(COMPARE_AND_SET, command));
      if (done === undefined) return false;
      if (Number(done) !== 1) continue;
      // Waiting changes are in the copy already, but not in `next`.
      if (this.#pending.length === 1)
        keys.forEach((key, at) => {
          this.#copy(key, next[at]);
        });
      return true;
    }
    this.#failures++;
    return false;
  }

  /** Copies a shared state. If Redis is unavailable, the last copy stays. */
  #refresh(key: string): Promise<Json | undefined> {
    const known = this.#refreshing.get(key);
    if (known !== undefined) return known;
    const refreshing = this.#fetch(key).finally(() => this.#refreshing.delete(key));
    this.#refreshing.set(key, refreshing);
    return refreshing;
  }

  async #fetch(key: string): Promise<Json | undefined> {
    // A shared state without the waiting changes would take back what this process learned.
    await this.#drain();
    const text = await this.#within(() => this.#client.get(this.#prefix + key));
    if (text !== undefined && this.#pending.length === 0) this.#copy(key, stateOf(text));
    return this.#copies.get(key)?.state;
  }

  #copy(key: string, state: Json | undefined): void {
    this.#copies.delete(key);
    this.#copies.set(key, { state, at: this.#clock.now() });
    while (this.#copies.size > this.#maxKeys) this.#copies.delete(this.#copies.keys().next().value!);
  }

  /**
   * Sends a command. Returns undefined if the command fails or takes too long, or if one did so
   * recently.
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

/** @throws ERR_SELECTION_STATE if the text is not JSON. */
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
