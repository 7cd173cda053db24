import type { TaskQueue } from 'piscina';
import { loadPiscina } from '../load-piscina.js';

/** The time of the executors that a plan has used. */
export interface Share {
  /** 0 is served first. */
  readonly priority: number;
  readonly weight: number;
  /** Nanoseconds that the plan used, divided by its weight. */
  time: number;
}

/** One batch in the queue. */
export interface QueuedRequest {
  readonly share: Share;
  /** Number of its chunks that were taken. */
  taken: number;
  /** Its waiting chunks, in order. */
  readonly waiting: Ticket[];
}

/** The position of a chunk in the queue. */
export interface Ticket {
  readonly request: QueuedRequest;
  /** The estimated time of the chunk. */
  readonly nanoseconds: number;
  task?: Task | undefined;
  isTaken?: boolean;
}

type Task = Parameters<TaskQueue['push']>[0];

/**
 * The number of chunks of a started batch that run before new batches. A short batch therefore ends
 * soon and frees its memory. A longer batch then waits for its turn again, so that it cannot block
 * others.
 */
const FAVOURED_CHUNKS = 8;

/**
 * The queue of a piscina pool with two levels: chunks of started batches, then chunks of new
 * batches. Within a level, the plan with the least time per weight is next (stride scheduling),
 * with its oldest batch. Higher priorities always come first. A task carries its `Ticket` under
 * `queueOptionsSymbol`.
 */
export class TwoLevelQueue implements TaskQueue {
  /** Batches with waiting chunks, oldest first. */
  readonly #requests = new Set<QueuedRequest>();
  #size = 0;
  /** Time of the plan that was served last. An idle plan starts from there, without credit. */
  #clock = 0;

  get size(): number {
    return this.#size;
  }

  /** Number of waiting chunks of started batches. */
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
      // piscina found no thread for it, so it was not taken
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

  /** Returns the ticket that `shift` would take. */
  next(): Ticket | undefined {
    let best: QueuedRequest | undefined;
    for (const request of this.#requests) if (best === undefined || comesBefore(request, best)) best = request;
    return best?.waiting[0];
  }

  remove(task: Task): void {
    this.drop(ticketOf(task));
  }

  /** Removes a chunk if it waits here. @returns whether it did. */
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

function comesBefore(one: QueuedRequest, other: QueuedRequest): boolean {
  if (one.share.priority !== other.share.priority) return one.share.priority < other.share.priority;
  if (isFavoured(one) !== isFavoured(other)) return isFavoured(one);
  return one.share.time < other.share.time;
}

const ticketOf = (task: Task): Ticket => (task as unknown as Record<symbol, Ticket>)[loadPiscina().queueOptionsSymbol]!;
