import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { type Answer, createRegistry, type ModelRegistry } from 'brezel';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import { seed } from '../../../testing/seed.js';
import { connectFleet, openBatches } from '../dist/index.js';
import { member } from './fleet-files.js';
import { hasNatsServer, type NatsServer, startNats } from './nats-server.js';

// Servers and NATS are killed (SIGKILL), stopped and continued (SIGSTOP, SIGCONT) in an order that
// a seed decides. While NATS is stopped, no message and no write to its disk arrives. BREZEL_CHAOS
// scales the number of rows and requests: 1 is 20,000 rows and 2,000 requests; 50 is a million rows
// and 100,000 requests.
const SCALE = Number(process.env.BREZEL_CHAOS ?? 1);
const ROWS = 20_000 * SCALE;
const REQUESTS = 2000 * SCALE;
const SERVERS = 3;
/** The number of faults in each test: more than one every 5 s in long runs. */
const FAULTS = 10 + Math.round(2 * SCALE);

const folder = mkdtempSync(join(tmpdir(), 'brezel-chaos-'));
afterAll(() => rmSync(folder, { recursive: true }));

/** Returns a function that draws integers below a limit (a linear congruential generator). */
function drawing(start: number): (limit: number) => number {
  let state = start >>> 0;
  return (limit) => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return Math.floor((state / 2 ** 32) * limit);
  };
}

const textOf = (row: number) => `a good film number ${row} of ${row % 97} that nobody liked ${row * 7919}`;

describe.skipIf(!hasNatsServer)(`chaos with the seed ${seed}`, () => {
  let nats: NatsServer;
  let registry: ModelRegistry;
  let servers: ChildProcess[] = [];
  const faults = { kills: 0, stops: 0, natsKills: 0, natsStops: 0 };
  const killAll = () => {
    for (const server of servers) server.kill('SIGKILL');
  };

  beforeAll(async () => {
    process.once('exit', killAll);
    nats = await startedNats();
    registry = await createRegistry();
    registry.add('text', member(0));
  });
  afterAll(async () => {
    process.off('exit', killAll);
    await registry?.close();
    await nats?.kill();
  });
  afterEach(async () => {
    for (const server of servers.splice(0)) await kill(server);
  });

  async function start(): Promise<void> {
    const script = fileURLToPath(new URL('replica.mjs', import.meta.url));
    const child = spawn(process.execPath, [script, nats.url, member(0)], { stdio: ['ignore', 'pipe', 'ignore'] });
    await once(child.stdout!, 'data');
    servers.push(child);
  }

  async function kill(server: ChildProcess): Promise<void> {
    const exited = once(server, 'exit');
    server.kill('SIGKILL');
    await exited;
  }

  const startedNats = (port = 0) => startNats(port, ['-js', '-sd', join(folder, 'jetstream')]);

  /**
   * Kills a server and starts another, or stops a server and continues the one stopped before. One
   * fault in five kills or stops NATS.
   */
  async function fault(draw: (limit: number) => number): Promise<void> {
    const victim = servers[draw(servers.length)]!;
    for (const server of servers) server.kill('SIGCONT');
    const kind = draw(10);
    if (kind === 0) {
      faults.natsKills++;
      await nats.kill();
      nats = await startedNats(nats.port);
      return;
    }
    if (kind === 1) {
      faults.natsStops++;
      nats.signal('SIGSTOP');
      await wait(draw(1000));
      nats.signal('SIGCONT');
      return;
    }
    if (kind < 6) {
      faults.stops++;
      victim.kill('SIGSTOP');
      return;
    }
    faults.kills++;
    servers = servers.filter((server) => server !== victim);
    await kill(victim);
    await start();
  }

  const described = () =>
    `servers: ${faults.kills} kills, ${faults.stops} stops; NATS: ${faults.natsKills} kills, ${faults.natsStops} stops`;

  test(`a batch of ${ROWS} rows is complete, in order and bit-equal`, async () => {
    const draw = drawing(seed);
    for (let index = 0; index < SERVERS; index++) await start();
    const rows = Array.from({ length: ROWS }, (_, row) => textOf(row));
    const expected = await registry.predictBatch('text', rows);
    await using batches = await openBatches({ servers: nats.url });
    const { chunks } = await batches.submit('text', rows, { id: 'chaos' });
    const answers: Answer[] = [];
    let [read, due] = [0, chunks! / FAULTS];
    for await (const some of batches.answers('chaos')) {
      answers.push(...some);
      if (++read < due) continue;
      due += chunks! / FAULTS;
      await fault(draw);
    }
    for (const server of servers) server.kill('SIGCONT');
    const wrong = answers.filter((answer, row) => JSON.stringify(answer) !== JSON.stringify(expected[row])).length;
    console.log(`batch: ${answers.length} answers of ${ROWS} rows, ${wrong} wrong; ${described()}`);
    expect({ answers: answers.length, wrong }).toEqual({ answers: ROWS, wrong: 0 });
    expect(await batches.status('chaos')).toMatchObject({ state: 'answered', answeredChunks: chunks });
  });

  test(`${REQUESTS} requests have one right answer each`, async () => {
    const draw = drawing(seed + 1);
    for (let index = 0; index < SERVERS; index++) await start();
    await using fleet = await connectFleet({ servers: nats.url, timeoutMs: 600_000 });
    let [sent, wrong, failed] = [0, 0, 0];
    let isFaulty = false;
    const loop = async () => {
      while (sent < REQUESTS) {
        const row = sent++;
        if (row % Math.ceil(REQUESTS / FAULTS) === 0 && !isFaulty) {
          isFaulty = true;
          void fault(draw).finally(() => {
            isFaulty = false;
          });
        }
        try {
          const answer = await fleet.predict('text', textOf(row));
          if (JSON.stringify(answer) !== JSON.stringify(await registry.predict('text', textOf(row)))) wrong++;
        } catch (error) {
          failed++;
          console.error(error);
        }
      }
    };
    await Promise.all(Array.from({ length: 16 }, loop));
    for (const server of servers) server.kill('SIGCONT');
    const { requests, resends } = fleet.stats();
    console.log(`requests: ${requests} sent, ${resends} sent again, ${failed} failed, ${wrong} wrong; ${described()}`);
    expect({ wrong, failed }).toEqual({ wrong: 0, failed: 0 });
  });
});
