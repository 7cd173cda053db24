import type { Msg, NatsConnection } from '@nats-io/transport-node';
import { afterEach, expect, test } from 'vitest';
import { ManualClock } from '../../../../testing/manual-clock.js';
import { Members } from './members.js';

/** The connections of servers to one NATS server, without a network. */
class Bus {
  readonly #subscriptions = new Set<{
    subject: string;
    callback: (error: null, message: Msg) => void;
    end: () => boolean;
  }>();

  connection() {
    const statuses: ((type: string) => void)[] = [];
    let isConnected = true;
    const connection = {
      isClosed: () => false,
      publish: (subject: string, data: string, options?: { reply?: string }) => {
        if (!isConnected) return;
        const message = { data: Buffer.from(data), reply: options?.reply } as unknown as Msg;
        for (const each of this.#subscriptions)
          if (each.subject === subject && !each.end()) each.callback(null, message);
      },
      subscribe: (subject: string, { callback }: { callback: (error: null, message: Msg) => void }) => {
        const subscription = { subject, callback, end: () => !isConnected };
        this.#subscriptions.add(subscription);
        return { unsubscribe: () => this.#subscriptions.delete(subscription) };
      },
      async *status() {
        for (;;) yield { type: await new Promise<string>((resolve) => statuses.push(resolve)) };
      },
    };
    const setConnected = async (value: boolean) => {
      isConnected = value;
      for (const resolve of statuses.splice(0)) resolve(value ? 'reconnect' : 'disconnect');
      for (let turn = 0; turn < 10; turn++) await Promise.resolve(); // until the status is handled
    };
    return { connection: connection as unknown as NatsConnection, setConnected };
  }
}

const all: Members[] = [];
afterEach(() => {
  for (const members of all.splice(0)) members.close();
});

const HEARTBEAT_MS = 100;

/** Starts a server with its own clock. */
function join(bus: Bus, name: string, instance = name) {
  const clock = new ManualClock();
  const { connection, setConnected } = bus.connection();
  const counts = { changes: 0, heartbeats: 0 };
  const models: string[] = [];
  const members = new Members({
    connection,
    clock,
    name,
    heartbeatMs: HEARTBEAT_MS,
    logError: (error) => {
      throw error;
    },
    state: () => ({ name, instance, memoryBytes: 1, heartbeatMs: HEARTBEAT_MS, models: [...models], load: {} }),
    onChange: () => counts.changes++,
    onHeartbeat: () => counts.heartbeats++,
  });
  all.push(members);
  return {
    members,
    clock,
    counts,
    models,
    setConnected,
    names: () => members.states.map((state) => state.name),
    async start() {
      const started = members.start();
      clock.advance(HEARTBEAT_MS);
      await started;
    },
  };
}

/** Starts servers of one cluster. */
async function started(...names: readonly string[]) {
  const bus = new Bus();
  const servers = names.map((name) => join(bus, name));
  for (const server of servers) await server.start();
  return { bus, servers };
}

test('a server knows the servers that started before and after it', async () => {
  const { servers } = await started('a', 'b', 'c');
  expect(servers.map(({ names }) => names().toSorted())).toEqual(Array(3).fill(['a', 'b', 'c']));
});

test('a silent server is removed after three intervals on the clock of the others', async () => {
  const { servers } = await started('a', 'b');
  const [a] = servers;
  for (let tick = 0; tick < 3; tick++) a!.clock.advance(HEARTBEAT_MS);
  expect(a!.names()).toEqual(['a', 'b']);
  a!.clock.advance(HEARTBEAT_MS);
  expect(a!.names()).toEqual(['a']);
  expect(a!.counts.changes).toBe(2);
});

test('a server that reports stays', async () => {
  const { servers } = await started('a', 'b');
  for (let tick = 0; tick < 10; tick++) for (const { clock } of servers) clock.advance(HEARTBEAT_MS);
  expect(servers[0]!.names()).toEqual(['a', 'b']);
  expect(servers[0]!.counts.heartbeats).toBe(10);
});

test('a server that was stopped itself trusts the others again', async () => {
  const { servers } = await started('a', 'b');
  servers[0]!.clock.stall(100 * HEARTBEAT_MS);
  expect(servers[0]!.names()).toEqual(['a', 'b']);
});

test('without a connection, the list does not change', async () => {
  const { servers } = await started('a', 'b');
  const [a, b] = servers;
  await a!.setConnected(false);
  for (let tick = 0; tick < 10; tick++) a!.clock.advance(HEARTBEAT_MS);
  expect(a!.names()).toEqual(['a', 'b']);
  await a!.setConnected(true);
  a!.clock.advance(HEARTBEAT_MS);
  expect(a!.names()).toEqual(['a', 'b']);
  expect(b!.names()).toEqual(['b', 'a']);
  for (let tick = 0; tick < 4; tick++) a!.clock.advance(HEARTBEAT_MS);
  expect(a!.names()).toEqual(['a']);
});

test('a server that leaves is removed at once, but not the process that replaced it', async () => {
  const { bus, servers } = await started('a', 'b');
  const [a, b] = servers;
  const next = join(bus, 'b', 'second process');
  await next.start();
  b!.members.close();
  expect(a!.names()).toEqual(['a', 'b']);
  next.members.close();
  expect(a!.names()).toEqual(['a']);
});

test('other models of a server are a change, an equal report is not', async () => {
  const { servers } = await started('a', 'b');
  const [a, b] = servers;
  const before = a!.counts.changes;
  b!.members.announce();
  expect(a!.counts.changes).toBe(before);
  b!.models.push('m');
  b!.members.announce();
  expect(a!.counts.changes).toBe(before + 1);
  expect(a!.members.states[1]!.models).toEqual(['m']);
});
