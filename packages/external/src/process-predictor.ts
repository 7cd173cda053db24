import { join } from 'node:path';
import { checkOptionNames, optionNames, systemClock } from 'brezel';
import { Child, commandPath } from './child.js';
import { Client } from './client.js';
import { externalError } from './errors.js';
import { checkedOptions, type ExternalOptions, externalOptionNames } from './options.js';
import { ExternalPredictor } from './predictor.js';
import { socketFolder } from './socket-folder.js';

/** Options of `processPredictor`: the program that runs the model, and the limits of requests. */
export interface ProcessOptions extends Omit<ExternalOptions, 'urls' | 'token' | 'protocol'> {
  /** The program: a path, or a name that is looked up in PATH. No shell interprets it. */
  readonly command: string;
  /** The arguments of the program. */
  readonly args?: readonly string[];
  /**
   * The environment variables of the program. Brezel adds only BREZEL_SOCKET, the path of the Unix
   * socket on which the program must listen. Default: no other variables.
   */
  readonly env?: Readonly<Record<string, string>>;
  /** The folder in which the program runs. Default: the folder of this process. */
  readonly cwd?: string;
  /** The number of processes, 1 to 256. Default 1. */
  readonly replicas?: number;
}

const { urls: _, token: __, protocol: ___, ...shared } = externalOptionNames;
const names = {
  ...shared,
  ...optionNames<Pick<ProcessOptions, 'command' | 'args' | 'env' | 'cwd' | 'replicas'>>({
    command: true,
    args: true,
    env: true,
    cwd: true,
    replicas: true,
  }),
};
const AT = 'processPredictor';
const GREATEST_REPLICAS = 256;
/** The longest path of a Unix socket that all systems accept, in bytes. */
const GREATEST_PATH = 103;

/**
 * Starts processes that run a model, for example a Python script with
 * `tools/python/brezel_container.py`, and connects to them over Unix sockets. The sockets are in a
 * folder that only this user can read. A process that ends is started again after `restMs`; each
 * further failure doubles the time. A process that does not answer within `timeoutMs` is ended. The
 * processes end when the last runtime that registered the predictor closes, when `close` is called,
 * and when this process ends.
 *
 * Cost: starts the processes. After that, calls cost as much as with `externalPredictor`.
 *
 * @throws ERR_EXTERNAL_OPTION; ERR_EXTERNAL_UNAVAILABLE if no process answers within `timeoutMs`,
 * with the last lines of its standard error; ERR_EXTERNAL_MODEL.
 * @example
 * const predictor = await processPredictor({
 *   command: 'python3',
 *   args: ['sums.py'],
 *   env: { PYTHONPATH: 'models' },
 *   model: 'sums',
 *   replicas: 2,
 * });
 * await predictor.close();
 */
export async function processPredictor(options: ProcessOptions): Promise<ExternalPredictor> {
  const { command, args, env, cwd, replicas, ...rest } = checkedProcess(options);
  const { clock = systemClock } = rest;
  const folder = socketFolder();
  let client: Client | undefined;
  try {
    const checked = checkedOptions({ ...rest, urls: ['http://localhost'] });
    const addresses = Array.from({ length: replicas }, (_, index) => {
      const socketPath = join(folder.path, `${index}`);
      if (Buffer.byteLength(socketPath) > GREATEST_PATH)
        throw wrong(`a folder for temporary files with a short path`, folder.path);
      const label = `process ${index} of ${checked.name}`;
      const child = new Child({ command, args, env, cwd, socketPath, label, clock });
      return { label, origin: 'http://localhost', path: '', socketPath, child };
    });
    client = new Client({ ...checked, addresses }, folder.remove);
    return new ExternalPredictor(checked, client, await client.start(), { endsWithRuntimes: true });
  } catch (error) {
    await client?.close();
    folder.remove();
    throw error;
  }
}

/**
 * Checks the options of the processes.
 * @throws ERR_EXTERNAL_OPTION
 */
function checkedProcess(options: ProcessOptions) {
  checkOptionNames(options, names, (details) => externalError('ERR_EXTERNAL_OPTION', details), AT);
  const { command, args = [], env = {}, cwd, replicas = 1 } = options;
  if (process.platform === 'win32') throw wrong('a system with Unix sockets', 'Windows');
  if (!isText(command) || command === '') throw wrong('command, the name or path of a program', typeof command);
  if (!Array.isArray(args) || !args.every(isText)) throw wrong('args, a list of texts', 'another value');
  const isObject = typeof env === 'object' && env !== null && !Array.isArray(env);
  const isVariable = ([name, value]: [string, unknown]) => /^[^=\0]+$/.test(name) && isText(value);
  if (!isObject || !Object.entries(env).every(isVariable))
    throw wrong('env, an object of texts by the names of variables', 'another value');
  if (Object.hasOwn(env, 'BREZEL_SOCKET')) throw wrong('env without BREZEL_SOCKET', 'BREZEL_SOCKET');
  if (cwd !== undefined && !isText(cwd)) throw wrong('cwd, the path of a folder', typeof cwd);
  if (!Number.isSafeInteger(replicas) || replicas < 1 || replicas > GREATEST_REPLICAS)
    throw wrong(`replicas, an integer from 1 to ${GREATEST_REPLICAS}`, String(replicas));
  return { ...options, command: commandPath(command), args: [...args], env: { ...env }, cwd, replicas };
}

const isText = (value: unknown): value is string => typeof value === 'string' && !value.includes('\0');

const wrong = (expected: string, received: string) =>
  externalError('ERR_EXTERNAL_OPTION', { expected, received, at: AT });
