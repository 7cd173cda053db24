import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { connectFleet, type Fleet } from '@brezel/nats';
import { createRegistry } from 'brezel';
import { startNats } from './nats.js';
import { serve } from './server.js';

// npm run example nats-cluster: two processes answer predictions over NATS. The first process is
// killed while a client sends requests, and no request fails. Then the program compares the time of
// a prediction in this process with the time over NATS.
const script = fileURLToPath(import.meta.url);
const model = fileURLToPath(new URL('../../models/sa-fam-a-00.onnx', import.meta.url));
const ROW = 'a good film';
const REQUESTS = 2000;

const [servers] = process.argv.slice(2);
if (servers === undefined) await run();
else await serve(servers);

async function run(): Promise<void> {
  const nats = await startNats();
  const [first, second] = await Promise.all([startServer(nats.url), startServer(nats.url)]);
  const fleet = await connectFleet({ servers: nats.url });
  const registry = await createRegistry();
  registry.add('local', model);

  const local = await registry.predict('local', ROW);
  const remote = await fleet.predict('sa-fam-a-00', ROW);
  console.log(`equal answers: ${JSON.stringify(local) === JSON.stringify(remote)}`);

  const errors = await errorsWhileKilled(fleet, first);
  console.log(`${REQUESTS} requests while a server was killed: ${errors} errors`);

  const rows = Array.from({ length: 1000 }, (_, row) => `${ROW} number ${row}`);
  const here = () => registry.predict('local', ROW);
  const there = () => fleet.predict('sa-fam-a-00', ROW);
  console.log(`a row in this process  ${await microseconds(here, 1000, 1)} us`);
  console.log(`a row over NATS        ${await microseconds(there, 1000, 1)} us`);
  const batches = [() => registry.predictBatch('local', rows), () => fleet.predictBatch('sa-fam-a-00', rows)] as const;
  console.log(`of 1000 rows, a row in this process  ${await microseconds(batches[0], 20, rows.length)} us`);
  console.log(`of 1000 rows, a row over NATS        ${await microseconds(batches[1], 20, rows.length)} us`);

  await fleet.close();
  await registry.close();
  second.kill('SIGTERM');
  await once(second, 'exit');
  nats.stop();
}

/** Starts this program as a server, and waits until the server has joined. */
async function startServer(url: string): Promise<ChildProcess> {
  const child = fork(script, [url]);
  await once(child, 'message');
  return child;
}

/** Kills a server after a quarter of the requests. Returns the number of failed requests. */
async function errorsWhileKilled(fleet: Fleet, server: ChildProcess): Promise<number> {
  let [sent, errors] = [0, 0];
  const loop = async () => {
    while (sent < REQUESTS) {
      sent++;
      if (sent === REQUESTS / 4) server.kill('SIGKILL');
      await fleet.predict('sa-fam-a-00', ROW).catch(() => errors++);
    }
  };
  await Promise.all(Array.from({ length: 16 }, loop));
  return errors;
}

/** Returns the mean time of a row, in microseconds. The first calls are not measured. */
async function microseconds(call: () => Promise<unknown>, calls: number, rows: number): Promise<string> {
  for (let index = 0; index < calls / 10; index++) await call();
  const start = performance.now();
  for (let index = 0; index < calls; index++) await call();
  return ((1000 * (performance.now() - start)) / calls / rows).toFixed(1);
}
