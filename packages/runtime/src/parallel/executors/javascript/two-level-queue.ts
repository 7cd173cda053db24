import { loadPiscina } from '../load-piscina.js';

/** A plan's priority, its weight and the executor time that it has used. */
export interface Share {
  /** The index of the priority in `PRIORITIES`: plans with priority 0 run first. */
  readonly priority: number;
  readonly weight: number;
  /** Nanoseconds of executor time that the plan has used, divided by its weight. */
  time: number;
}

/** One batch whose chunks are in the queue. */
export interface QueuedRequest {
  readonly share: Share;
  /** Number of the batch's chunks that threads have taken. */
  taken: number;
  /** The batch's chunks in the queue, in order. */
  readonly waiting: Ticket[];
}

/** A chunk in the queue, with its estimated time. */
export interface Ticket {
  readonly request: QueuedRequest;
  /** Estimated nanoseconds of the chunk. */
  readonly nanoseconds: number;
  task?: Task | undefined;
  isTaken?: boolean;
}

/**
 * A task of piscina. The type is only `object`, so that the published type declarations do not need
 * piscina's types.
 */
type Task = object;

/**
 * The first chunks of a started batch, up to this number, run before chunks of new batches. A short
 * batch therefore ends soon and frees its memory. The other chunks of a longer batch wait like
 * chunks of new batches, so that they do not delay other batches.
 */
const FAVOURED_CHUNKS = 8;

/**
 * The queue of a piscina pool. Chunks of plans with a higher priority run first. Among equal
 * priorities, there are two levels: the first chunks of started batches run before other chunks.
 * Within a level, the next chunk is from the plan that has used the least time in relation to its
 * weight (stride scheduling). The chunk is from the oldest batch of this plan. A task has its
 * `Ticket` in the property `queueOptionsSymbol`.
 */
export class TwoLevelQueue {
  /** Batches with waiting chunks, oldest first. */
  readonly #requests = new Set<QueuedRequest>();
  #size = 0;
  /**
   * The `time` of the plan whose chunk was taken last. When an idle plan gets work again, its
   * `time` becomes at least this value, so that this plan does not delay all other plans.
   */
  #clock = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of waiting chunks that run before chunks of new batches. */
  get high(): number {
    let chunks = 0;
    for (const request of this.#requests) if (isFavoured(request)) chunks += request.waiting.length;
    return chunks;
  }

  push(task: Task): void {
    const ticket = ticketOf(task);
    const { request } = ticket;
    const { share } = request;
    if (ticket.isTaken) {
      // piscina returns the task because no thread is free, so undo the accounting
      ticket.isTaken = false;
      request.taken--;
      share.time -= ticket.nanoseconds / share.weight;
      request.waiting.unshift(ticket);
    } else {
      if (!this.#isActive(share)) share.time = Math.max(share.time, this.#clock);
      request.waiting.push(ticket);
    }
    ticket.task = task;
    this.#requests.add(request);
    this.#size++;
  }

  shift(): Task | null {
    const ticket = this.next();
    const task = ticket?.task;
    if (ticket === undefined || task === undefined) return null;
    const { request } = ticket;
    this.drop(ticket);
    this.#clock = request.share.time;
    request.share.time += ticket.nanoseconds / request.share.weight;
    request.taken++;
    ticket.isTaken = true;
    return task;
  }

  /**
   * Returns the ticket of the chunk that `shift` would take, or undefined if the queue is empty.
   */
  next(): Ticket | undefined {
    let best: QueuedRequest | undefined;
    for (const request of this.#requests) if (best === undefined || comesBefore(request, best)) best = request;
    return best?.waiting[0];
  }

  remove(task: Task): void {
    this.drop(ticketOf(task));
  }

  /** Removes a chunk from the queue. Returns whether the chunk was in the queue. */
  drop(ticket: Ticket): boolean {
    const { request } = ticket;
    if (ticket.task === undefined) return false;
    ticket.task = undefined;
    request.waiting.splice(request.waiting.indexOf(ticket), 1);
    if (request.waiting.length === 0) this.#requests.delete(request);
    this.#size--;
    return true;
  }

  #isActive(share: Share): boolean {
    for (const request of this.#requests) if (request.share === share) return true;
    return false;
  }
}

const isFavoured = ({ taken }: QueuedRequest): boolean => taken > 0 && taken < FAVOURED_CHUNKS;

function comesBefore(request: QueuedRequest, other: QueuedRequest): boolean {
  if (request.share.priority !== other.share.priority) return request.share.priority < other.share.priority;
  if (isFavoured(request) !== isFavoured(other)) return isFavoured(request);
  return request.share.time < other.share.time;
}

const ticketOf = (task: Task): Ticket => (task as unknown as Record<symbol, Ticket>)[loadPiscina().queueOptionsSymbol]!;
