import type { TaskQueue } from 'piscina';
import { loadPiscina } from '../load-piscina.js';

/** What a plan has had of the executors' time. */
export interface Share {
  /** 0 is served first. */
  readonly priority: number;
  readonly weight: number;
  /** Nanoseconds that it had, over its weight. */
  time: number;
}

/** One batch, as the queue sees it. */
export interface QueuedRequest {
  readonly share: Share;
  /** Its chunks that were taken so far. */
  taken: number;
  /** Its chunks that wait, in their order. */
  readonly waiting: Ticket[];
}

/** The place of a chunk in the queue. */
export interface Ticket {
  readonly request: QueuedRequest;
  /** What the chunk is expected to cost. */
  readonly nanoseconds: number;
  task?: Task | undefined;
  isTaken?: boolean;
}

type Task = Parameters<TaskQueue['push']>[0];

/**
 * So many chunks of a batch that has begun come before batches that have not: a short one, once
 * begun, is soon over, and its memory is free. A longer one then takes its turn again, so that it
 * cannot keep others away.
 */
const FAVOURED_CHUNKS = 8;

/**
 * The queue of a piscina pool in two levels: chunks of batches that have begun, then those of new
 * ones; within a level the plan that had the least time over its weight is next (stride
 * scheduling), and its oldest batch. Higher priorities come before all that. A task carries its
 * `Ticket` under `queueOptionsSymbol`.
 */
export class TwoLevelQueue implements TaskQueue {
  /** Batches with chunks that wait, oldest first. */
  readonly #requests = new Set<QueuedRequest>();
  #size = 0;
  /** Time of the plan that was served last: who was idle starts from there, with no credit. */
  #clock = 0;

  get size(): number {
    return this.#size;
  }

  /** Chunks of batches that have begun. */
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
      // piscina found no thread for it: it was not taken after all
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

  /** What `shift` would take. */
  next(): Ticket | undefined {
    let best: QueuedRequest | undefined;
    for (const request of this.#requests) if (best === undefined || comesBefore(request, best)) best = request;
    return best?.waiting[0];
  }

  remove(task: Task): void {
    this.drop(ticketOf(task));
  }

  /** Takes a chunk out, if it waits here. @returns whether it did. */
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
