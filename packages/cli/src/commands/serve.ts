import type { ServerOptions } from '@brezel/http';
import { type AddOptions, createRegistry, createRuntime, type ModelRegistry, openStore, ownBackends } from 'brezel';
import type { Command } from 'commander';
import { cliError } from '../errors.js';
import { readBytes, writeStandardOutput } from '../files.js';
import { limitOption, REPAIR_NGRAMS } from '../import-flags.js';
import { extraFieldsOption, missingOption, type RowFlags, rowOptions } from '../row-options.js';
import { addModels, fleetFiles, type ModelCollection } from '../serve/add-models.js';
import { loadGrpcServer, loadServer } from '../serve/load-server.js';
import { integerFrom, type OpenGroup, parseBytes, parseGroups } from '../serve/options.js';
import { ownRole } from '../serve/processes/role.js';
import type { WorkerParts } from '../serve/processes/worker.js';
import { readToken } from '../serve/read-token.js';
import { stopSignal } from '../serve/stop-signal.js';
import { streams } from '../streams.js';
import { printable } from '../table.js';

interface ServeFlags extends RowFlags {
  readonly allowNonFinite?: true;
  readonly limit?: Readonly<Record<string, number>>;
  readonly repairNgrams?: true;
  readonly port: number;
  readonly host: string;
  readonly grpcPort?: number;
  readonly watch?: true;
  readonly tokenFile?: string;
  readonly open?: OpenGroup[];
  readonly page?: true;
  readonly tlsCert?: string;
  readonly tlsKey?: string;
  readonly maxBody: number;
  readonly maxRows: number;
  readonly concurrency: number;
  readonly drainMs: number;
  readonly accessLog?: true;
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
    .argument('<models...>', 'model files, fleet files, plans (fleet.brezel#plan), folders, or NAME=PATH')
    .option('--port <number>', 'port; 0 takes a free one', integerFrom(0, 65_535), 8080)
    .option('--host <address>', 'address to listen on', '127.0.0.1')
    .option('--grpc-port <number>', 'also serve gRPC on this port; needs @brezel/grpc', integerFrom(0, 65_535))
    .option('--watch', 'follow the folders: add, replace and remove models while the server runs')
    .option('--token-file <file>', 'file with a token; requests need it, and may then load and unload models')
    .option('--open <groups>', 'routes that need no token: predict, metrics, page', parseGroups)
    .option('--page', 'show models, traffic, memory and plans on a page at /page')
    .option('--tls-cert <file>', 'certificate (PEM), for HTTPS')
    .option('--tls-key <file>', 'private key (PEM), for HTTPS')
    .option('--max-body <bytes>', 'largest body in bytes', parseBytes, parseBytes('16mb'))
    .option('--max-rows <number>', 'largest number of rows in a request', integerFrom(1), 100_000)
    .option(
      '--concurrency <number>',
      'largest number of predictions in flight; further requests get status 429',
      integerFrom(1),
      1024,
    )
    .option('--drain-ms <number>', 'milliseconds for requests in flight after SIGTERM', integerFrom(0), 10_000)
    .option('--processes <number>', 'number of processes that answer requests', integerFrom(1, MOST_PROCESSES), 1)
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption())
    .option('--access-log', 'write one line of JSON for each request')
    .option('--allow-non-finite', 'accept NaN in weights, thresholds and leaves')
    .option(...REPAIR_NGRAMS)
    .addOption(limitOption())
    .addHelpText('after', help)
    .action(run);
}

async function run(models: readonly string[], flags: ServeFlags): Promise<void> {
  const role = ownRole();
  const imports = {
    nonFinite: flags.allowNonFinite ? 'allow' : 'refuse',
    ...(flags.limit !== undefined && { limits: flags.limit }),
    ...(flags.repairNgrams && { repairNgrams: true }),
  } as const;
  if (role === 'packer') return (await import('../serve/processes/packer.js')).runPacker(imports);
  const { startServer } = await loadServer();
  const grpc = flags.grpcPort === undefined ? undefined : await loadGrpcServer();
  const settings = await serverSettings(flags);
  const { port, drainMs, watch = false, processes: count } = flags;
  const add = async (registry: ModelCollection, options: AddOptions) => {
    await addModels(registry, models, watch, options);
    await warnAboutFleets(models, flags);
  };
  if (role === 'primary' && count > 1) {
    checkSeveralProcesses(flags);
    const { runPrimary } = await import('../serve/processes/primary.js');
    const listening = (url: string) => printAddresses(url, undefined, flags);
    return runPrimary({ count, port, drainMs, addModels: (shared) => add(shared, {}), listening, stopSignal });
  }
  const store = await openStore();
  await using runtime = createRuntime({
    store,
    backends: ownBackends(),
    latencies: flags.page ? { stagesEvery: STAGES_EVERY } : true,
    eventLoopLag: true,
  });
  await using registry = await createRegistry({ runtime, ...imports });
  const options = {
    ...rowOptions(flags),
    answers: { float32: 'short' },
    ...(flags.page && { quality: true }),
  } as const;
  if (role === 'worker') {
    const { runWorker } = await import('../serve/processes/worker.js');
    const listen: WorkerParts['listen'] = (port, processes) =>
      startServer({ ...settings, registry, runtime, port, processes });
    await runWorker({ registry, runtime, options, listen, stopped: stopSignal() });
  } else {
    await add(registry, options);
    const stopped = stopSignal();
    const server = await startServer({ ...settings, registry, runtime, port });
    const grpcServer = await grpc?.startGrpcServer(grpcSettings(registry, settings, flags)).catch(async (error) => {
      await server.close();
      throw error;
    });
    await printAddresses(server.url, grpcServer?.address, flags);
    await stopped;
    await Promise.all([server.close(), grpcServer?.close()]);
  }
  await registry.close({ drainMs: 0 }); // the server has answered or ended all requests
}

/** Rejects flags that do not work with several processes yet. */
function checkSeveralProcesses({ grpcPort }: ServeFlags): void {
  if (grpcPort === undefined) return;
  const hint = 'omit --processes: one process serves gRPC and HTTP';
  throw cliError('ERR_CLI_USAGE', { received: '--grpc-port with --processes', hint });
}

async function printAddresses(url: string, grpc: string | undefined, { page }: ServeFlags): Promise<void> {
  await writeStandardOutput(`listening on ${url}\n`);
  if (grpc !== undefined) await writeStandardOutput(`grpc: ${grpc}\n`);
  if (page) await writeStandardOutput(`page: ${url}/page\n`);
}

type ServerSettings = Omit<ServerOptions, 'registry' | 'port'>;

/** Converts the flags to options of the HTTP server, without the port. */
async function serverSettings(flags: ServeFlags): Promise<ServerSettings> {
  const { host, open, maxBody, maxRows, concurrency, drainMs, accessLog, page } = flags;
  const [tls, token] = [await tlsOf(flags), await tokenOf(flags)];
  return {
    host,
    maxBodyBytes: maxBody,
    maxRows,
    concurrency,
    drainMs,
    ...(token !== undefined && { token }),
    ...(open !== undefined && { open }),
    ...(tls !== undefined && { tls }),
    ...(accessLog && { accessLog }),
    ...(page && { page }),
  };
}

/**
 * The flags that affect only imports, with their names in `ServeFlags`. They have no effect on
 * fleet files: models of fleet files were imported when the file was packed.
 */
const importFlags = {
  '--allow-non-finite': 'allowNonFinite',
  '--limit': 'limit',
  '--repair-ngrams': 'repairNgrams',
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

/** Returns the options of the gRPC server: the same limits and the same access as over HTTP. */
function grpcSettings(registry: ModelRegistry, { token, tls, open }: ServerSettings, flags: ServeFlags) {
  const { host, grpcPort, maxBody, maxRows, concurrency, drainMs } = flags;
  return {
    registry,
    host,
    port: grpcPort!,
    maxMessageBytes: maxBody,
    maxRows,
    concurrency,
    drainMs,
    ...(token !== undefined && { token }),
    ...(tls !== undefined && { tls }),
    openPredict: open?.includes('predict') === true,
  };
}

async function tokenOf({ tokenFile, open }: ServeFlags): Promise<string | undefined> {
  if (tokenFile === undefined && open !== undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--open without --token-file', hint: 'all routes are open already' });
  if (tokenFile === undefined) return undefined;
  return readToken(tokenFile);
}

async function tlsOf({ tlsCert, tlsKey }: ServeFlags): Promise<{ cert: Buffer; key: Buffer } | undefined> {
  if (tlsCert === undefined && tlsKey === undefined) return undefined;
  if (tlsCert !== undefined && tlsKey !== undefined)
    return { cert: await readBytes(tlsCert), key: await readBytes(tlsKey) };
  const received = tlsCert === undefined ? '--tls-key without --tls-cert' : '--tls-cert without --tls-key';
  throw cliError('ERR_CLI_USAGE', { received, hint: 'HTTPS needs a certificate and its private key' });
}
