import type { Msg, NatsConnection, Status, Subscription } from '@nats-io/transport-node';
import type { Clock, ClockTimer } from 'brezel';
import { inboxOf, SERVERS, SERVERS_ASK } from '../protocol/subjects.js';
import { decodeState, encodeState, type ServerState } from './server-state.js';

/** The connection and the functions that a list of servers needs. */
export interface MembersParts {
  readonly connection: NatsConnection;
  readonly clock: Clock;
  readonly name: string;
  readonly heartbeatMs: number;
  readonly logError: (error: unknown) => void;
  /** Returns the state that this server reports. */
  readonly state: () => ServerState;
  /** Called when a server has joined or ended, or has other models or memory. */
  readonly onChange: () => void;
  /** Called after each report of this server. */
  readonly onHeartbeat: () => void;
}

/** Another server, and the time of its last report on the clock of this server. */
interface Member {
  readonly state: ServerState;
  heardAt: number;
}

/** A server that has not reported for this many of its intervals has ended. */
const MISSED = 3;

/**
 * The servers of a cluster that load placed models. Each server reports its state at an interval,
 * and when its models change. A server that does not report has ended. Only the clock of this
 * server measures time, so clocks of servers may differ.
 *
 * Missing reports mean nothing while this server is not connected, or after its process was
 * suspended. The list then does not change, and all servers get the full time to report again.
 */
export class Members {
  readonly #parts: MembersParts;
  readonly #others = new Map<string, Member>();
  readonly #subscriptions: Subscription[] = [];
  readonly #statuses: AsyncIterable<Status> & { stop?(): void };
  #timer: ClockTimer | undefined;
  #lastTick = 0;
  #isConnected = true;
  #isClosed = false;

  constructor(parts: MembersParts) {
    this.#parts = parts;
    this.#statuses = parts.connection.status();
  }

  /** The states of all servers, including this server. */
  get states(): ServerState[] {
    return [this.#parts.state(), ...[...this.#others.values()].map(({ state }) => state)];
  }

  /** Joins the servers. Returns after the other servers had one interval to report. */
  async start(): Promise<void> {
    const { connection, clock, heartbeatMs } = this.#parts;
    const receive = (handle: (message: Msg) => void) => ({
      callback: (error: Error | null, message: Msg) => {
        if (error === null && !this.#isClosed) handle(message);
      },
    });
    const inbox = inboxOf(connection);
    const report = receive(({ data }) => this.#receive(decodeState(data)));
    this.#subscriptions.push(
      connection.subscribe(SERVERS, report),
      connection.subscribe(inbox, report),
      connection.subscribe(
        SERVERS_ASK,
        receive(({ reply }) => reply && this.#publish(reply)),
      ),
    );
    void this.#followConnection();
    this.#lastTick = clock.now();
    this.announce();
    this.#guarded(() => connection.publish(SERVERS_ASK, '', { reply: inbox }));
    await new Promise<void>((resolve) => {
      this.#timer = clock.setTimeout(resolve, heartbeatMs);
      this.#onClose = resolve;
    });
    this.#schedule();
  }

  /** Reports the state of this server now. */
  announce(): void {
    this.#publish(SERVERS);
  }

  /** Reports that this server ends, so that the others load its models. */
  close(): void {
    if (this.#isClosed) return;
    const { connection, state } = this.#parts;
    this.#guarded(() => connection.publish(SERVERS, encodeState({ ...state(), isLeaving: true })));
    this.#isClosed = true;
    this.#timer?.cancel();
    this.#onClose();
    this.#statuses.stop?.();
    for (const subscription of this.#subscriptions) this.#guarded(() => subscription.unsubscribe());
  }

  #onClose: () => void = () => {};

  #receive(state: ServerState | undefined): void {
    if (state === undefined || state.name === this.#parts.name) return;
    const known = this.#others.get(state.name);
    if (state.isLeaving) {
      // An earlier process of the same name may end after the new one has started.
      if (known?.state.instance !== state.instance) return;
      this.#others.delete(state.name);
      return this.#parts.onChange();
    }
    this.#others.set(state.name, { state, heardAt: this.#parts.clock.now() });
    if (known === undefined || isOther(known.state, state)) this.#parts.onChange();
  }

  #schedule(): void {
    if (this.#isClosed) return;
    const { clock, heartbeatMs } = this.#parts;
    this.#timer = clock.setTimeout(() => this.#tick(), heartbeatMs).unref();
  }

  #tick(): void {
    const { clock, heartbeatMs, onChange, onHeartbeat } = this.#parts;
    const now = clock.now();
    const wasStopped = now - this.#lastTick > 2 * heartbeatMs;
    this.#lastTick = now;
    if (wasStopped || !this.#isConnected) this.#trustAll(now);
    else if (this.#removeSilent(now)) onChange();
    this.announce();
    onHeartbeat();
    this.#schedule();
  }

  #trustAll(now: number): void {
    for (const member of this.#others.values()) member.heardAt = now;
  }

  /** Removes the servers that do not report. Returns whether there were any. */
  #removeSilent(now: number): boolean {
    const before = this.#others.size;
    for (const [name, { state, heardAt }] of this.#others)
      if (now - heardAt > MISSED * state.heartbeatMs) this.#others.delete(name);
    return this.#others.size < before;
  }

  async #followConnection(): Promise<void> {
    try {
      for await (const { type } of this.#statuses) {
        if (type === 'disconnect') this.#isConnected = false;
        if (type !== 'reconnect') continue;
        this.#isConnected = true;
        this.#trustAll(this.#parts.clock.now());
        this.announce();
      }
    } catch {
      // the connection is closed
    }
  }

  #publish(subject: string): void {
    if (this.#isClosed || !this.#isConnected) return;
    this.#guarded(() => this.#parts.connection.publish(subject, encodeState(this.#parts.state())));
  }

  /** An exception in a callback would end the connection. */
  #guarded(work: () => unknown): void {
    const { connection, logError } = this.#parts;
    if (connection.isClosed()) return;
    try {
      work();
    } catch (error) {
      logError(error);
    }
  }
}

const isOther = (one: ServerState, other: ServerState): boolean =>
  one.instance !== other.instance ||
  one.memoryBytes !== other.memoryBytes ||
  one.models.length !== other.models.length ||
  one.models.some((model, index) => model !== other.models[index]);
