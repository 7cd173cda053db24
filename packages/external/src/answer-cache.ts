import type { Elements } from '@brezel/oip';
import { type BackendTensor, type BackendTensors, elementArray, elementCount } from 'brezel';
import { joinedTensors } from './messages.js';
import type { ExternalPort } from './schema.js';

/** Statistics of the answers that a predictor of a deterministic model has cached. */
export interface AnswerCacheStatistics {
  /** Rows that were answered from the cache. */
  readonly hits: number;
  /** Rows that waited for the answer to an equal row in flight. */
  readonly joined: number;
  /** Rows that were sent to the model. */
  readonly misses: number;
  /** Rows whose answers are in the cache now. */
  readonly entries: number;
  /** The estimated memory of the cached rows and answers, in bytes. */
  readonly bytes: number;
}

/** Runs the model on rows. */
export type Infer = (
  tensors: BackendTensors,
  outputs: readonly ExternalPort[],
  rows: number,
  signal: AbortSignal,
) => Promise<BackendTensors>;

/** The rows of one call. */
export interface RowsCall {
  readonly tensors: BackendTensors;
  readonly outputs: readonly ExternalPort[];
  readonly rows: number;
  readonly signal: AbortSignal | undefined;
}

/** The answer to one row: the elements of each output. */
type Answer = readonly Elements[];

/** A cached answer. */
interface Entry {
  readonly answer: Answer;
  readonly bytes: number;
  /** Whether the answer was read since the hand passed it. */
  isRead: boolean;
}

/** Rows of one call that the model computes. Other calls may wait for them. */
interface Computation {
  readonly answers: Promise<ReadonlyMap<string, Answer>>;
  /** The number of calls that wait for the rows. At 0, the requests are canceled. */
  waiters: number;
  isOver: boolean;
  readonly stop: AbortController;
}

/** The results of looking up the rows of one call. Each row is identified by its key. */
interface LookUp {
  readonly found: Map<string, Answer>;
  readonly joined: Set<Computation>;
  /** The rows that the model must compute: the key and the index of each row. */
  readonly missing: Map<string, number>;
  /** Whether rows may wait for the computations of other calls. */
  readonly joins: boolean;
}

/** The estimated memory of a cached row in bytes, without its key and its elements. */
const ENTRY_BYTES = 200;
/**
 * A row waits for at most this many failed computations of other calls; then its own call sends the
 * row. After a failure, the first waiting call sends the rows again, and the other waiting calls
 * wait for this new computation.
 */
const JOINING_PASSES = 3;
const NOTHING: ReadonlyMap<string, Answer> = new Map();
const ELEMENT_BYTES = 16;

/**
 * Caches the answers of a deterministic model. Concurrent calls with equal rows wait for one
 * computation. SIEVE (Zhang et al., NSDI '24), a variant of CLOCK, selects the answers to evict: a
 * hand moves from old to new answers and evicts the first answer that was not read since the hand
 * passed it. An answer that is read once therefore leaves the cache soon.
 */
export class AnswerCache {
  readonly #maxBytes: number;
  readonly #inputs: readonly ExternalPort[];
  /** The cached answers, oldest first. */
  readonly #answers = new Map<string, Entry>();
  /** The hand of SIEVE. The iterator of a `Map` also returns entries that are added later. */
  #hand = this.#answers.entries();
  /** The computation of each row in flight. */
  readonly #pending = new Map<string, Computation>();
  #bytes = 0;
  #hits = 0;
  #joined = 0;
  #misses = 0;

  constructor(maxBytes: number, inputs: readonly ExternalPort[]) {
    this.#maxBytes = maxBytes;
    this.#inputs = inputs;
  }

  stats(): AnswerCacheStatistics {
    const { size: entries } = this.#answers;
    return { hits: this.#hits, joined: this.#joined, misses: this.#misses, entries, bytes: this.#bytes };
  }

  /**
   * Answers rows: from the cache, from equal rows in flight, or with `infer`. If the computation of
   * another call fails, the call looks up the rows again. After `JOINING_PASSES` failures, the call
   * computes the rows itself.
   *
   * @throws the errors of `infer`, and the reason of the signal.
   */
  async run(infer: Infer, call: RowsCall): Promise<BackendTensors> {
    const { tensors, outputs, rows, signal } = call;
    signal?.throwIfAborted();
    const scope = JSON.stringify(outputs.map(({ name }) => name));
    const keys = Array.from({ length: rows }, (_, row) => scope + this.#keyOf(tensors, row));
    const found = new Map<string, Answer>();
    let open = keys.map((key, row) => [key, row] as const);
    for (let pass = 0; open.length > 0; pass++) {
      await this.#pass(infer, call, open, { found, joins: pass < JOINING_PASSES });
      open = open.filter(([key]) => !found.has(key));
    }
    return joinedTensors(
      outputs,
      keys.map((key) => found.get(key)!),
    );
  }

  /**
   * Looks up rows once, and computes the missing rows. If a row waits for another call and that
   * call fails, the row is not added to `found`.
   */
  async #pass(
    infer: Infer,
    call: RowsCall,
    open: readonly (readonly [string, number])[],
    { found, joins }: { readonly found: Map<string, Answer>; readonly joins: boolean },
  ): Promise<void> {
    const { signal } = call;
    const joined = new Set<Computation>();
    const missing = new Map<string, number>();
    for (const [key, row] of open) this.#lookUp(key, row, { found, joined, missing, joins });
    const own = missing.size > 0 ? this.#wait(this.#compute(infer, call, missing), signal) : NOTHING;
    const others = [...joined].map((computation) => this.#wait(computation, signal).catch(() => NOTHING));
    for (const answers of await Promise.all([own, ...others]))
      for (const [key, answer] of answers) found.set(key, answer);
    signal?.throwIfAborted();
  }

  #lookUp(key: string, row: number, { found, joined, missing, joins }: LookUp): void {
    const cached = this.#answers.get(key);
    const pending = this.#pending.get(key);
    if (cached !== undefined) {
      this.#hits++;
      cached.isRead = true;
      found.set(key, cached.answer);
    } else if (joins && pending !== undefined) {
      this.#joined++;
      joined.add(pending);
    } else if (missing.has(key)) this.#joined++;
    else {
      this.#misses++;
      missing.set(key, row);
    }
  }

  /** Starts to compute rows. `missing` maps the key of each row to its index in the tensors. */
  #compute(infer: Infer, { tensors, outputs }: RowsCall, missing: ReadonlyMap<string, number>): Computation {
    const stop = new AbortController();
    const chosen = pick(tensors, this.#inputs, [...missing.values()]);
    const compute = async () => {
      try {
        const answer = await infer(chosen, outputs, missing.size, stop.signal);
        return this.#store([...missing.keys()], outputs, answer);
      } finally {
        computation.isOver = true;
        for (const key of missing.keys()) if (this.#pending.get(key) === computation) this.#pending.delete(key);
      }
    };
    const computation: Computation = { answers: Promise.resolve().then(compute), waiters: 0, isOver: false, stop };
    computation.answers.catch(() => undefined); // each waiting call gets the error
    for (const key of missing.keys()) this.#pending.set(key, computation);
    return computation;
  }

  /** Waits for a computation. If the signal aborts, the call stops waiting. */
  async #wait(computation: Computation, signal: AbortSignal | undefined): Promise<ReadonlyMap<string, Answer>> {
    computation.waiters++;
    let onAbort = () => {};
    const aborted = new Promise<never>((_, reject) => {
      onAbort = () => reject(signal!.reason);
    });
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      return await Promise.race([computation.answers, aborted]);
    } finally {
      signal?.removeEventListener('abort', onAbort);
      computation.waiters--;
      if (computation.waiters === 0 && !computation.isOver) this.#abandon(computation);
    }
  }

  /** Cancels a computation for which no call waits. */
  #abandon(computation: Computation): void {
    for (const [key, pending] of this.#pending) if (pending === computation) this.#pending.delete(key);
    computation.stop.abort(new DOMException('no call waits', 'AbortError'));
  }

  /** Caches the answers to rows, and returns them. */
  #store(keys: readonly string[], outputs: readonly ExternalPort[], tensors: BackendTensors): Map<string, Answer> {
    const answers = new Map<string, Answer>();
    for (const [row, key] of keys.entries()) {
      const answer = outputs.map(({ name, axes }) => {
        const size = elementCount(axes);
        return tensors[name]!.data.slice(row * size, (row + 1) * size) as Elements;
      });
      answers.set(key, answer);
      this.#insert(key, answer);
    }
    return answers;
  }

  #insert(key: string, answer: Answer): void {
    const before = this.#answers.get(key);
    if (before !== undefined) this.#remove(key, before);
    const elements = answer.flatMap((values) => Array.from(values));
    const texts = elements.reduce<number>((sum, value) => sum + (typeof value === 'string' ? 2 * value.length : 0), 0);
    const bytes = ENTRY_BYTES + 2 * key.length + ELEMENT_BYTES * elements.length + texts;
    if (bytes > this.#maxBytes) return;
    // Each pass of the hand over all entries either evicts one, or marks all of them as not read.
    while (this.#bytes + bytes > this.#maxBytes) this.#moveHand();
    this.#answers.set(key, { answer, bytes, isRead: false });
    this.#bytes += bytes;
  }

  /** Moves the hand to the next entry or back to the oldest. Evicts an entry that was not read. */
  #moveHand(): void {
    const next = this.#hand.next();
    if (next.done) {
      this.#hand = this.#answers.entries();
      return;
    }
    const [key, entry] = next.value;
    if (entry.isRead) entry.isRead = false;
    else this.#remove(key, entry);
  }

  #remove(key: string, { bytes }: Entry): void {
    this.#answers.delete(key);
    this.#bytes -= bytes;
  }

  /**
   * Returns a text that identifies the values of a row: the bytes of numbers, and texts as JSON.
   */
  #keyOf(tensors: BackendTensors, row: number): string {
    return this.#inputs
      .map(({ name, axes }) => {
        const { data } = tensors[name]!;
        const size = elementCount(axes);
        const values = data.slice(row * size, (row + 1) * size);
        if (!ArrayBuffer.isView(values)) return JSON.stringify(values);
        return Buffer.from(values.buffer, values.byteOffset, values.byteLength).toString('latin1');
      })
      .join();
  }
}

/** Copies some rows of tensors. */
function pick(tensors: BackendTensors, ports: readonly ExternalPort[], rows: readonly number[]): BackendTensors {
  return Object.fromEntries(
    ports.map(({ name, axes, element }) => {
      const size = elementCount(axes);
      const { data } = tensors[name]!;
      const shape = [rows.length, ...axes];
      if (!ArrayBuffer.isView(data)) {
        const texts = rows.flatMap((row) => data.slice(row * size, (row + 1) * size));
        return [name, { element, shape, data: texts } as BackendTensor];
      }
      const chosen = elementArray(element as 'float32', rows.length * size);
      for (const [index, row] of rows.entries())
        chosen.set((data as Float32Array).subarray(row * size, (row + 1) * size), index * size);
      return [name, { element, shape, data: chosen } as unknown as BackendTensor];
    }),
  );
}
