import { existsSync, statSync } from 'node:fs';
import { basename, extname } from 'node:path';
import type { AddOptions, FileEvent } from 'brezel';
import { cliError, describeFault } from '../errors.js';
import { isFleet, parseSource, type Source } from '../sources.js';
import { streams } from '../streams.js';
import { printable } from '../text/table.js';

/** The value of `intervalMs` with which the registry scans a folder only once. */
const ONCE = 0;
const WATCH_MS = 1000;

/**
 * The functions of a registry that add models. `SharedModels`, the registry of a server with
 * several processes, has the same functions.
 */
export interface ModelCollection {
  has(reference: string): boolean;
  names(): string[];
  add(name: string, source: Source, options: AddOptions): string;
  addFleet(path: string, options: AddOptions): Promise<string[]>;
  load(reference: string): Promise<unknown>;
  on(event: 'file', listener: (event: FileEvent) => void): unknown;
  watch(folder: string, options: { readonly intervalMs: number; readonly register: AddOptions }): Promise<unknown>;
}

/**
 * Adds the MODEL, FLEET and FOLDER arguments to a registry, and loads the models.
 *
 * @param watch whether to follow the folders
 * @param options how the runtime registers the models
 * @throws the errors of files; ERR_CLI_USAGE for two models with one name and version, or without
 * any model. A file of a folder that cannot be loaded is skipped with a warning.
 */
export async function addModels(
  registry: ModelCollection,
  given: readonly string[],
  watch: boolean,
  options: AddOptions,
): Promise<void> {
  const folders = given.filter(isFolder);
  if (watch && folders.length === 0)
    throw cliError('ERR_CLI_USAGE', { received: '--watch without a folder', hint: 'name the folder of the models' });
  for (const argument of given) if (!isFolder(argument)) await addFile(registry, argument, options);
  for (const name of registry.names()) await registry.load(name);
  registry.on('file', warn);
  for (const folder of folders)
    await registry.watch(folder, { intervalMs: watch ? WATCH_MS : ONCE, register: options });
  for (const name of registry.names())
    await registry.load(name).catch((error) => streams().stderr.write(`${describeFault(error)}\n`));
  if (registry.names().length === 0 && !watch)
    throw cliError('ERR_CLI_USAGE', { received: 'no models', hint: 'name files, fleet files, or folders with models' });
}

/** Returns the paths of the fleet files among the arguments. Folders are not searched. */
export async function fleetFiles(given: readonly string[]): Promise<string[]> {
  const paths = given.filter((argument) => !isFolder(argument)).map((file) => parseSource(parseNamed(file).file).path);
  const found: string[] = [];
  for (const path of new Set(paths)) if (await isFleet(path)) found.push(path);
  return found;
}

const isFolder = (argument: string) => existsSync(argument) && statSync(argument).isDirectory();

async function addFile(registry: ModelCollection, argument: string, options: AddOptions): Promise<void> {
  const { name, file } = parseNamed(argument);
  const source = parseSource(file);
  if (!existsSync(source.path))
    throw cliError('ERR_CLI_FILE', { expected: 'a file or a folder', received: 'nothing', at: source.path });
  if (name === undefined && source.plan === undefined && (await isFleet(source.path))) {
    await registry.addFleet(source.path, options);
    return;
  }
  const [model, version] = splitVersion(name ?? source.plan ?? basename(source.path, extname(source.path)));
  const [label = '1'] = version === undefined ? [] : [version];
  if (registry.has(`${model}@${label}`))
    throw cliError('ERR_CLI_USAGE', {
      received: `two models named ${model}@${label}`,
      hint: 'name one of them: NAME=PATH, or NAME@VERSION=PATH',
    });
  registry.add(model, source, { ...options, version: label });
}

/**
 * Parses `NAME=PATH`. If the whole argument is the path of an existing file, it is that path,
 * because file names may contain `=`.
 */
function parseNamed(argument: string): { readonly name?: string; readonly file: string } {
  const sign = argument.indexOf('=');
  if (sign <= 0 || existsSync(argument)) return { file: argument };
  return { name: argument.slice(0, sign), file: argument.slice(sign + 1) };
}

/** Splits `NAME@VERSION`, the form of file names in watched folders. */
function splitVersion(name: string): readonly [string, string | undefined] {
  const at = name.lastIndexOf('@');
  return at <= 0 ? [name, undefined] : [name.slice(0, at), name.slice(at + 1)];
}

function warn({ file, change, error }: FileEvent): void {
  if (change === 'refused') streams().stderr.write(`${printable(file)} is skipped: ${describeFault(error)}\n`);
}
