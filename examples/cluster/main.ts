import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { type Catalog, connectFleet, type Fleet, openBatches, openCatalog } from '@brezel/nats';
import { type Answer, createFlour, createRegistry, importOnnx, type ModelRegistry, packFleet } from 'brezel';
import { describeLoad, texts, underLoad } from './load.js';
import { startNats } from './nats.js';
import { Processes } from './processes.js';
import { serve } from './server.js';

// npm run example cluster: three servers place the models of a catalog, and a client sends
// requests all the time. Servers are killed, stopped and replaced, a model gets a canary and a new
// version, and a batch of rows is answered. No request fails, and no answer is wrong.
//
// npm run example cluster -- --models FOLDER uses the sentiment models of a folder: files
// NAME.onnx, or folders NAME with a file model.onnx.
const SERVERS = ['r1', 'r2', 'r3'];
const BATCH_ROWS = 10_000;
const CANARY_REQUESTS = 1000;
/** Milliseconds of load without an event. */
const STEADY_MS = 2000;

const { values, positionals } = parseArgs({ options: { models: { type: 'string' } }, allowPositionals: true });
const modelFolder = values.models ?? fileURLToPath(new URL('../../models', import.meta.url));
const files = readdirSync(modelFolder)
  .map((name) => join(modelFolder, name.endsWith('.onnx') ? name : join(name, 'model.onnx')))
  .filter((path) => existsSync(path))
  .toSorted();
const names = files.map((_, index) => `m${index}`);

/** The parts that all steps use. */
interface Cluster {
  readonly url: string;
  readonly folder: string;
  readonly catalog: Catalog;
  readonly fleet: Fleet;
  /** The same models in this process, to compare answers. */
  readonly registry: ModelRegistry;
  readonly processes: Processes;
}

const [server] = positionals;
if (server === undefined) await run();
else await serve(JSON.parse(server));

async function run(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'brezel-cluster-'));
  const nats = await startNats(join(folder, 'jetstream'));
  const id = crypto.randomUUID();
  const buckets = { catalog: `catalog-${id}`, bucket: `artifacts-${id}` };
  const catalog = await openCatalog({ servers: nats.url, ...buckets, cacheFolder: join(folder, 'client') });
  const fleet = await connectFleet({ servers: nats.url, waitForServerMs: 20_000 });
  const registry = await createRegistry();
  const processes = new Processes({ servers: nats.url, ...buckets }, folder);
  const cluster = { url: nats.url, folder, catalog, fleet, registry, processes };
  try {
    await push(cluster);
    await killAndReturn(cluster);
    await replaceServers(cluster);
    await changeModel(cluster);
    await stopAndContinue(cluster);
    await answerBatch(cluster);
    await compareTimes(cluster);
  } finally {
    for (const name of processes.names) await processes.end(name, 'SIGKILL');
    await fleet.close();
    await catalog.close();
    await registry.close();
    await nats.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Packs a model into a fleet file, and returns the path. */
async function pack({ folder }: Cluster, name: string, model: number, label: string): Promise<string> {
  using flour = await createFlour();
  const plan = importOnnx(readFileSync(files[model]!), flour).program.plan();
  const path = join(folder, `${name}-${label}.brezel`);
  await packFleet([{ name, plan }], path, { store: flour.store });
  plan.release();
  return path;
}

async function push(cluster: Cluster): Promise<void> {
  const { catalog, fleet, registry, processes } = cluster;
  await Promise.all(SERVERS.map((name) => processes.start(name)));
  let sent = { first: 0, last: 0, bytes: 0 };
  const start = performance.now();
  for (const [index, name] of names.entries()) {
    const [pushed] = await catalog.push(await pack(cluster, name, index, 'first'));
    const { bytes, sentBytes } = pushed!;
    sent = { first: index === 0 ? sentBytes : sent.first, last: sentBytes, bytes };
    registry.add(name, files[index]!);
    if (index > 0) continue;
    await fleet.predict(name, texts[0]!); // waits for a server
    console.log(`push to first answer: ${Math.round(performance.now() - start)} ms (with pack and import)`);
  }
  console.log(`bytes sent for the first model: ${sent.first}, for the last: ${sent.last} of ${sent.bytes}`);
  const placed = await untilPlaced(cluster);
  const { servers } = await catalog.placement();
  for (const { name, models, bytes } of servers)
    console.log(`  ${name}: ${models} models, ${bytes} bytes of parameters`);
  const alone = servers.length * Math.max(...servers.map(({ bytes }) => bytes));
  console.log(
    `all servers: ${servers.reduce((sum, { bytes }) => sum + bytes, 0)} bytes; every server with the family: ${alone}`,
  );
  if (placed.size !== names.length) throw new Error('not all models are placed');
}

/**
 * Waits until each model is answered by the servers that it is placed on, and by no others. Returns
 * the first server of each model.
 */
async function untilPlaced({ catalog, processes }: Cluster): Promise<Map<string, string>> {
  for (;;) {
    const { servers, models } = await catalog.placement();
    const isPlaced = models.every(
      (model) => model.servers.length > 0 && model.servers.toSorted().join() === [...model.answeredBy].sort().join(),
    );
    if (isPlaced && servers.map(({ name }) => name).join() === processes.names.toSorted().join())
      return new Map(models.map((model) => [model.name, model.servers[0]!]));
    await pause(100);
  }
}

function moved(before: Map<string, string>, after: Map<string, string>): number {
  return [...before].filter(([name, servers]) => after.get(name) !== servers).length;
}

async function killAndReturn(cluster: Cluster): Promise<void> {
  const { processes } = cluster;
  const before = await untilPlaced(cluster);
  const victim = before.get(names[0]!)!;
  const steady = await underLoad(cluster, names, () => pause(STEADY_MS));
  console.log(`steady load:\n  ${describeLoad(steady)}`);
  const result = await underLoad(cluster, names, async () => {
    await processes.end(victim, 'SIGKILL');
    const without = await untilPlaced(cluster);
    console.log(`${victim} was killed: ${moved(before, without)} of ${names.length} models moved`);
  });
  console.log(`  ${describeLoad(result)}`);
  await processes.start(victim);
  const back = await underLoad(cluster, names, async () => {
    console.log(`${victim} came back: ${moved(before, await untilPlaced(cluster))} models are elsewhere`);
    await pause(STEADY_MS);
  });
  console.log(`  ${describeLoad(back)}, ${(back.p99Ms / steady.p99Ms).toFixed(2)} times the p99 of the steady load`);
}

async function replaceServers(cluster: Cluster): Promise<void> {
  const { processes } = cluster;
  const result = await underLoad(cluster, names, async () => {
    for (const name of SERVERS) {
      await processes.end(name, 'SIGTERM');
      await processes.start(name);
      await untilPlaced(cluster);
    }
  });
  console.log(`each server was replaced with SIGTERM:\n  ${describeLoad(result)}`);
}

async function changeModel(cluster: Cluster): Promise<void> {
  const { catalog, fleet, registry } = cluster;
  const [name, other] = names as [string, string];
  const next = JSON.stringify(await registry.predict(other, texts[0]!));
  const share = async () => {
    const answers = await Promise.all(Array.from({ length: CANARY_REQUESTS }, () => fleet.predict(name, texts[0]!)));
    return answers.filter((answer) => JSON.stringify(answer) === next).length / CANARY_REQUESTS;
  };
  const result = await underLoad(cluster, names.slice(1), async () => {
    await catalog.push(await pack(cluster, name, 1, 'second'));
    await catalog.canary(name, { to: 2, percent: 10 });
    while ((await share()) < 0.08); // each server of the model loads the version first
    console.log(`canary of 10 %: ${((await share()) * 100).toFixed(1)} % of ${CANARY_REQUESTS} answers`);
    await catalog.promote(name, 2);
    while ((await share()) < 1);
    await catalog.promote(name, 1);
    while ((await share()) > 0);
  });
  console.log(`version 2 was promoted, and then version 1 again:\n  other models: ${describeLoad(result)}`);
}

async function stopAndContinue(cluster: Cluster): Promise<void> {
  const { processes } = cluster;
  const result = await underLoad(cluster, names, async () => {
    for (const name of SERVERS) {
      processes.signal(name, 'SIGSTOP');
      await pause(500);
      processes.signal(name, 'SIGCONT');
    }
  });
  console.log(`each server was stopped for 500 ms:\n  ${describeLoad(result)}`);
  await untilPlaced(cluster);
}

async function answerBatch(cluster: Cluster): Promise<void> {
  const { url, registry, processes } = cluster;
  const [name] = names as [string];
  const rows = Array.from({ length: BATCH_ROWS }, (_, row) => `${texts[row % texts.length]} ${row}`);
  await using batches = await openBatches({ servers: url });
  const { id, chunks } = await batches.submit(name, rows);
  const answers: Answer[] = [];
  let read = 0;
  for await (const some of batches.answers(id)) {
    answers.push(...some);
    if (++read !== Math.floor(chunks! / 4)) continue;
    const victim = (await untilPlaced(cluster)).get(name)!;
    await processes.end(victim, 'SIGKILL');
    await processes.start(victim);
  }
  const isEqual = JSON.stringify(answers) === JSON.stringify(await registry.predictBatch(name, rows));
  console.log(
    `batch of ${BATCH_ROWS} rows, its server was killed: ${answers.length} answers, equal to one process: ${isEqual}`,
  );
  await batches.remove(id);
  await untilPlaced(cluster);
}

async function compareTimes({ fleet, registry }: Cluster): Promise<void> {
  const [name] = names as [string];
  const rows = Array.from({ length: 1000 }, (_, row) => `${texts[row % texts.length]} ${row}`);
  const timed = async (call: () => Promise<unknown>, calls: number, rowsOfCall: number) => {
    await call();
    const start = performance.now();
    for (let index = 0; index < calls; index++) await call();
    return ((1000 * (performance.now() - start)) / calls / rowsOfCall).toFixed(1);
  };
  console.log('microseconds for a row       in this process   over NATS');
  const row = [
    await timed(() => registry.predict(name, rows[0]!), 500, 1),
    await timed(() => fleet.predict(name, rows[0]!), 500, 1),
  ];
  const batch = [
    await timed(() => registry.predictBatch(name, rows), 10, rows.length),
    await timed(() => fleet.predictBatch(name, rows), 10, rows.length),
  ];
  console.log(`  predict                    ${row[0]!.padStart(15)}${row[1]!.padStart(12)}`);
  console.log(`  predictBatch of 1000 rows  ${batch[0]!.padStart(15)}${batch[1]!.padStart(12)}`);
}
