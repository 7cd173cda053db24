import { once } from 'node:events';
import { type AddressInfo, connect as connectTcp, createServer, type Server, type Socket } from 'node:net';
import { createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { GUARD_MS } from '../../../testing/guard.js';
import { until } from '../../../testing/until.js';
import { addModel, linearModel } from '../../http/test/models.js';
import { type ClusterServer, connectFleet, type Fleet, joinCluster } from '../dist/index.js';
import { errorOf } from './errors.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

/**
 * A network path to a NATS server. While it is cut, no byte arrives on either side, and no
 * connection is closed.
 */
class NetworkPath {
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  constructor(port: number) {
    this.#server = createServer((near) => {
      const far = connectTcp(port, '127.0.0.1');
      near.pipe(far).pipe(near);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on('error', () => {}).on('close', () => this.#sockets.delete(socket));
        if (this.#isCut) socket.pause();
      }
    });
  }

  async open(): Promise<string> {
    this.#server.listen(0, '127.0.0.1');
    await once(this.#server, 'listening');
    return `nats://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  heal(): void {
    this.#isCut = false;
    for (const socket of this.#sockets) socket.resume();
  }

  close(): void {
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }
}

describe.skipIf(!hasNatsServer)('a partition of the network', () => {
  let nats: NatsServer;
  let path: NetworkPath;
  let cutUrl: string;
  let registry: ModelRegistry;
  const closing: { close(): unknown }[] = [];

  beforeAll(async () => {
    nats = await startNats();
  });
  afterAll(() => nats?.kill());
  beforeEach(async () => {
    path = new NetworkPath(nats.port);
    cutUrl = await path.open();
    registry = await createRegistry();
    addModel(registry, 'm', linearModel([1, 2], 3));
  });
  afterEach(async () => {
    for (const part of closing.splice(0)) await part.close();
    path.close();
    await registry.close();
  });

  const kept = <T extends { close(): unknown }>(part: T): T => {
    closing.push(part);
    return part;
  };
  const join = async (servers: string): Promise<ClusterServer> =>
    kept(await joinCluster({ registry, servers, logError: () => {} }));
  const connect = async (servers: string): Promise<Fleet> =>
    kept(await connectFleet({ servers, timeoutMs: GUARD_MS, retryMs: 50 }));

  test('other servers answer the requests of a server that cannot be reached, and its late answers are ignored', async () => {
    const far = await join(cutUrl);
    await join(nats.url);
    const fleet = await connect(nats.url);
    let [sent, isOver] = [0, false];
    const caller = async () => {
      while (!isOver) {
        const x = sent++;
        expect(await fleet.predict('m', { x: [x, 1] })).toEqual(await registry.predict('m', { x: [x, 1] }));
      }
    };
    const callers = Array.from({ length: 8 }, caller);
    await until(() => far.stats().requests > 20);
    path.cut();
    const [atCut, sentAtCut] = [fleet.stats().resends, sent];
    await until(() => fleet.stats().resends > atCut + 20 && sent > sentAtCut + 100);
    path.heal();
    const before = far.stats().requests;
    await until(() => far.stats().requests > before + 20);
    isOver = true;
    await Promise.all(callers);
  });

  test('a call ends at its deadline while the client cannot reach NATS, and the next calls are answered', async () => {
    await join(nats.url);
    const fleet = await connect(cutUrl);
    expect(await fleet.predict('m', { x: [1, 1] })).toEqual(await registry.predict('m', { x: [1, 1] }));
    path.cut();
    const waiting = fleet.predict('m', { x: [2, 1] });
    const { code } = await errorOf(fleet.predict('m', { x: [3, 1] }, { deadlineMs: 100 }));
    expect(code).toBe('ERR_RUNTIME_DEADLINE');
    path.heal();
    expect(await waiting).toEqual(await registry.predict('m', { x: [2, 1] }));
    expect(await fleet.predict('m', { x: [4, 1] })).toEqual(await registry.predict('m', { x: [4, 1] }));
  });
});
