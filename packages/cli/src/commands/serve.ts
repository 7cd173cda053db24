import type { Precision } from '@brezel/core';
import {
  type AddOptions,
  createRegistry,
  createRuntime,
  type ModelRegistry,
  openStore,
  ownBackends,
  type Runtime,
} from 'brezel';
import type { Command } from 'commander';
import { cliError } from '../errors.js';
import { writeStandardOutput } from '../files.js';
import { limitOption, precisionOption, REPAIR_NGRAMS } from '../import-flags.js';
import { extraFieldsOption, missingOption, type RowFlags, rowOptions } from '../rows/row-options.js';
import { addModels, fleetFiles } from '../serve/add-models.js';
import { loadGrpcServer, loadNats, loadServer } from '../serve/load-server.js';
import { integerFrom, type OpenGroup, parseAddresses, parseBytes, parseGroups, parseMemory } from '../serve/options.js';
import { ownRole } from '../serve/processes/role.js';
import { readSecrets, type SecretFlags } from '../serve/secrets.js';
import { type ServerAddresses, type ServerFlags, type ServerPorts, startServers } from '../serve/servers.js';
import { startFollower } from '../serve/start-follower.js';
import { stopSignal } from '../serve/stop-signal.js';
import { streams } from '../streams.js';
import { printable } from '../text/table.js';

interface ServeFlags extends RowFlags, ServerFlags, SecretFlags {
  readonly allowNonFinite?: true;
  readonly limit?: Readonly<Record<string, number>>;
  readonly repairNgrams?: true;
  readonly precision?: Precision;
  readonly port: number;
  readonly grpcPort?: number;
  readonly watch?: true;
  readonly catalog?: true;
  readonly catalogKey?: string;
  readonly memory?: number;
  readonly warm: boolean;
  readonly open?: OpenGroup[];
  readonly processes: number;
}

/** With `--page`, the runtime measures the time of each stage for one in this many rows. */
const STAGES_EVERY = 50;
const MOST_PROCESSES = 512;

const help = `
The server speaks the Open Inference Protocol v2 and plain JSON:
  $ brezel serve sentiment.onnx
  $ curl -d '{"text": "a good film"}' -H 'content-type: application/json' localhost:8080/predict/sentiment
A model has the name of its file. NAME@VERSION.onnx and NAME@VERSION=PATH name a version. A plan of a
fleet file has its name in the file.

Only this machine can connect, unless --host names another address. SIGTERM and SIGINT stop the server
after the requests in flight.`;

/** Adds `brezel serve MODEL|FLEET|FOLDER...`, which serves models over HTTP. */
export function addServe(program: Command): void {
  program
    .command('serve')
    .summary('serve models over HTTP')
    .description('Serves models over HTTP: Open Inference Protocol v2 and plain JSON. Needs @brezel/http.')
    .argument('[models...]', 'model files, fleet files, plans (fleet.brezel#plan), folders, or NAME=PATH')
    .option('--port <number>', 'port; 0 takes a free one', integerFrom(0, 65_535), 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--grpc-port <number>', 'also serve gRPC on this port; needs @brezel/grpc', integerFrom(0, 65_535))
    .option('--join <addresses>', 'also answer over NATS: nats://HOST:PORT,...; needs @brezel/nats', parseAddresses)
    .option('--name <name>', 'name of this server in the cluster; default: host and process id')
    .option('--catalog', 'with --join: load the models of the catalog that brezel fleet changes, and follow it')
    .option('--catalog-key <file>', 'with --catalog: accept only files that this public key (PEM) signed')
    .option('--memory <bytes>', 'with --catalog: load only the models placed on this server, as 2gb', parseMemory)
    .option('--watch', 'follow the folders: add, replace and remove models while the server runs')
    .option('--no-warm', 'become ready before the models are prepared for their first predictions')
    .option('--token-file <file>', 'file with a token; requests need it, and may then load and unload models')
    .option('--open <groups>', 'routes that need no token: predict, metrics, page', parseGroups)
    .option('--page', 'show models, traffic, memory and plans on a page at /page')
    .option('--tls-cert <file>', 'certificate (PEM), for HTTPS')
    .option('--tls-key <file>', 'private key (PEM), for HTTPS')
    .option('--max-body <bytes>', 'largest body in bytes', parseBytes, parseBytes('16mb'))
    .option('--max-rows <number>', 'largest number of rows in a request', integerFrom(1), 100_000)
    .option(
      '--max-explained-rows <number>',
      'largest number of rows in a request that asks for contributions',
      integerFrom(1),
      1000,
    )
    .option(
      '--concurrency <number>',
      'largest number of predictions in flight; further requests get status 429',
      integerFrom(1),
      1024,
    )
    .option(
      '--shutdown-delay-ms <number>',
      'milliseconds after SIGTERM in which the server answers requests but is not ready',
      integerFrom(0),
      0,
    )
    .option(
      '--drain-ms <number>',
      'milliseconds for requests in flight, before the server ends',
      integerFrom(0),
      10_000,
    )
    .option('--processes <number>', 'number of processes that answer requests', integerFrom(1, MOST_PROCESSES), 1)
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption())
    .option('--access-log', 'write one line of JSON for each request')
    .option('--allow-non-finite', 'accept NaN in weights, thresholds and leaves')
    .option(...REPAIR_NGRAMS)
    .addOption(precisionOption())
    .addOption(limitOption())
    .addHelpText('after', help)
    .action(run);
}

async function run(models: readonly string[], flags: ServeFlags): Promise<void> {
  const role = ownRole();
  if (role === 'primary') return flags.processes > 1 ? runPrimary(models, flags) : runAlone(models, flags);
  try {
    if (role === 'packer') await (await import('../serve/processes/packer.js')).runPacker(importsOf(flags));
    else await runWorker(flags);
  } finally {
    process.channel?.unref(); // the process ends, although the primary is connected
  }
}

/** Serves models with one process, until a signal stops it. */
async function runAlone(models: readonly string[], flags: ServeFlags): Promise<void> {
  await loadPackages(flags);
  checkCatalogFlags(flags);
  const secrets = await readSecrets(flags);
  await withRegistry(flags, async (parts) => {
    if (models.length > 0 || !flags.catalog)
      await addModels(parts.registry, models, flags.watch === true, parts.options);
    await warnAboutFleets(models, flags);
    const stopped = stopSignal();
    const follower = flags.catalog && (await startFollower(parts, flags));
    try {
      const servers = await startServers({ ...parts, flags, secrets, ports: portsOf(flags) });
      await printAddresses(servers.addresses, flags);
      await stopped;
      // The other servers load the models of this server before this server stops answering.
      if (follower) await follower.leave({ timeoutMs: flags.drainMs });
      await servers.close();
    } finally {
      await follower?.close();
    }
  });
}

/** @throws ERR_CLI_USAGE if a flag of the catalog lacks another flag */
function checkCatalogFlags({ catalog, catalogKey, memory, join, processes }: ServeFlags): void {
  const usage = (received: string, hint: string) => cliError('ERR_CLI_USAGE', { received, hint });
  if (catalogKey !== undefined && !catalog) throw usage('--catalog-key without --catalog', 'add --catalog');
  if (memory !== undefined && !catalog) throw usage('--memory without --catalog', 'add --catalog');
  if (catalog && join === undefined) throw usage('--catalog without --join', 'add --join nats://HOST:PORT');
  if (catalog && processes > 1)
    throw usage('--catalog with --processes', 'start several servers with --catalog: they share the cache folder');
}

async function runPrimary(models: readonly string[], flags: ServeFlags): Promise<void> {
  await loadPackages(flags);
  checkCatalogFlags(flags);
  const secrets = await readSecrets(flags);
  const { shutdownDelayMs, drainMs, processes: count } = flags;
  const primary = await import('../serve/processes/primary.js');
  await primary.runPrimary({
    count,
    ports: portsOf(flags),
    secrets,
    closeMs: shutdownDelayMs + drainMs,
    async addModels(shared) {
      await addModels(shared, models, flags.watch === true, {});
      await warnAboutFleets(models, flags);
    },
    listening: (addresses) => printAddresses(addresses, flags),
    stopSignal,
  });
}

/**
 * Runs one of several processes. An error before the worker is ready is reported to the primary.
 */
async function runWorker(flags: ServeFlags): Promise<void> {
  const worker = await import('../serve/processes/worker.js');
  const stopped = stopSignal();
  try {
    await withRegistry(flags, (parts) =>
      worker.runWorker({
        ...parts,
        prefault: flags.warm,
        listen: (ports, secrets, processes) => startServers({ ...parts, flags, secrets, ports, processes }),
        stopped,
      }),
    );
  } catch (error) {
    await worker.reportFailure(error);
  }
}

/** The parts of a process that answers requests. */
interface RegistryParts {
  readonly registry: ModelRegistry;
  readonly runtime: Runtime;
  /** How the runtime registers the models. */
  readonly options: AddOptions;
}

/** Passes an empty registry to a function, and closes it after the function has ended. */
async function withRegistry(flags: ServeFlags, use: (parts: RegistryParts) => Promise<void>): Promise<void> {
  const store = await openStore();
  await using runtime = createRuntime({
    store,
    backends: ownBackends(),
    latencies: flags.page ? { stagesEvery: STAGES_EVERY } : true,
    eventLoopLag: true,
  });
  await using registry = await createRegistry({ runtime, warm: flags.warm, ...importsOf(flags) });
  const options = {
    ...rowOptions(flags),
    answers: { float32: 'short' },
    ...(flags.page && { quality: true }),
  } as const;
  await use({ registry, runtime, options });
  await registry.close({ drainMs: 0 }); // the server has answered or ended all requests
}

/** Checks flags and loads the packages of the servers, so that such errors are reported first. */
async function loadPackages({ grpcPort, join, name }: ServeFlags): Promise<void> {
  if (name !== undefined && join === undefined)
    throw cliError('ERR_CLI_USAGE', {
      received: '--name without --join',
      hint: 'only servers of a cluster have names',
    });
  await loadServer();
  if (grpcPort !== undefined) await loadGrpcServer();
  if (join !== undefined) await loadNats();
}

const portsOf = ({ port, grpcPort }: ServeFlags): ServerPorts => ({
  http: port,
  ...(grpcPort !== undefined && { grpc: grpcPort }),
});

/** Converts the flags to options of imports. */
const importsOf = ({ allowNonFinite, limit, repairNgrams, precision }: ServeFlags) =>
  ({
    nonFinite: allowNonFinite ? 'allow' : 'refuse',
    ...(limit !== undefined && { limits: limit }),
    ...(repairNgrams && { repairNgrams: true }),
    ...(precision !== undefined && { precision }),
  }) as const;

async function printAddresses({ http, grpc }: ServerAddresses, { page, join }: ServeFlags): Promise<void> {
  await writeStandardOutput(`listening on ${http}\n`);
  if (grpc !== undefined) await writeStandardOutput(`grpc: ${grpc}\n`);
  if (join !== undefined) await writeStandardOutput(`joined: ${join.join(', ')}\n`);
  if (page) await writeStandardOutput(`page: ${http}/page\n`);
}

/**
 * The flags that affect only imports, with their names in `ServeFlags`. They have no effect on
 * fleet files: models of fleet files were imported when the file was packed.
 */
const importFlags = {
  '--allow-non-finite': 'allowNonFinite',
  '--limit': 'limit',
  '--repair-ngrams': 'repairNgrams',
  '--precision': 'precision',
} as const;

/**
 * Warns about each fleet file if the user passed a flag of `importFlags`, which has no effect on
 * fleet files.
 */
async function warnAboutFleets(models: readonly string[], flags: ServeFlags): Promise<void> {
  const passed = Object.entries(importFlags).flatMap(([flag, name]) => (flags[name] === undefined ? [] : [flag]));
  if (passed.length === 0) return;
  for (const fleet of await fleetFiles(models))
    streams().stderr.write(
      `${printable(fleet)}: ${passed.join(', ')} has no effect on a fleet file. Pass the flag to brezel pack.\n`,
    );
}
