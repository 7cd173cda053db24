import { existsSync } from 'node:fs';
import { basename, dirname, extname, resolve } from 'node:path';
import type { OwnedPlan } from '@brezel/core';
import { readSigningKey, type WrittenFleet } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { Row } from '@brezel/runtime';
import { createFlour, createRuntime, type FleetMember, ownBackends, packFleet } from 'brezel';
import type { Command } from 'commander';
import { onlyOneStandardInput, readBytes, STANDARD_STREAM, writeStandardOutput } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { attempt, loadModel } from '../models.js';
import { profiled, profileHelp } from '../profiled.js';
import { answerer, answerRows } from '../rows/answer-rows.js';
import { decodeRows } from '../rows/rows.js';
import { columns, count, printable, printBytes } from '../text/table.js';

interface PackFlags extends ImportFlags {
  readonly output: string;
  readonly rows?: string;
  readonly profile?: string;
  readonly sign?: string;
}

const help = `
The file contains the compiled plan of each model, each parameter once, and golden rows: rows with
the answers of this machine. Processes map the file into memory: openFleet(), or brezel predict
fleet.brezel#model. A plan has the name of its file. If two files have one name, their plans have
the names of the folders of the files: a/model.onnx b/model.onnx are a and b. NAME=PATH gives a plan
a name.

--sign signs the file: openFleet(path, { trustedKeys }) and brezel verify --key check the signature.
  $ openssl genpkey -algorithm ed25519 -out KEY.pem
  $ openssl pkey -in KEY.pem -pubout -out PUB.pem`;

/**
 * Adds `brezel pack MODEL... -o FLEET`, which writes compiled plans and their parameters into one
 * file.
 */
export function addPack(program: Command): void {
  const command = program
    .command('pack')
    .summary('compile models into one memory-mapped file')
    .description('Compiles models and writes them into one fleet file, each parameter once.')
    .argument('<models...>', 'model files (ONNX, LightGBM, XGBoost, ML.NET, PMML), or NAME=PATH')
    .requiredOption('-o, --output <file>', 'the fleet file; an existing file is replaced when the new one is complete')
    .option('-r, --rows <file>', 'golden rows, one JSON object per line; default: a few generated rows')
    .option('--profile <file>', profileHelp)
    .option('--sign <file>', 'sign the fleet file with this Ed25519 private key (PEM file)');
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(given: readonly string[], flags: PackFlags): Promise<void> {
  const { output, rows, profile, sign } = flags;
  const files = given.map(parseNamed);
  onlyOneStandardInput([...files.map(({ path }) => path), rows, profile, sign]);
  const key = sign === undefined ? undefined : readSigningKey(await readBytes(sign), sign);
  const sample = profile === undefined ? undefined : await readBytes(profile);
  using flour = await createFlour();
  const models: Packed[] = [];
  for (const { path, name } of files) {
    const model = await loadModel(path, flour, choicesOf(flags));
    const program = sample === undefined ? model.program : await profiled(model.program, sample, profile!);
    models.push({ path, name, fileBytes: model.fileBytes, plan: await attempt(path, () => program.plan()) });
  }
  const names = distinctNames(models);
  const golden = rows === undefined ? undefined : await goldenRows(rows, models, flour.store);
  const members = models.map(({ plan }, at): FleetMember => ({ plan, name: names[at]!, rows: golden?.[at] }));
  const written = await packFleet(members, output, { store: flour.store, sign: key });
  await writeStandardOutput(packedText(output, models, written, flour.store));
}

interface NamedFile {
  readonly path: string;
  /** The name before `=` in an argument `NAME=PATH`. Undefined if the argument is only a path. */
  readonly name: string | undefined;
}

/**
 * Parses a MODEL argument `NAME=PATH` or `PATH`. If a file with a `=` in its name exists, the
 * argument is that file.
 */
function parseNamed(argument: string): NamedFile {
  const sign = argument.indexOf('=');
  if (sign <= 0 || existsSync(argument)) return { path: argument, name: undefined };
  return { path: argument.slice(sign + 1), name: argument.slice(0, sign) };
}

interface Packed extends NamedFile {
  readonly fileBytes: number;
  readonly plan: OwnedPlan;
}

/**
 * Returns the name of a file without folder, extension and version: `sentiment` for
 * `a/sentiment@2.onnx`.
 */
const fileName = (path: string): string => basename(path, extname(path)).replace(/@.*$/, '');
const folderName = (path: string): string => basename(dirname(resolve(path)));

/**
 * The possible names of a model, in order of preference: the name of its file, then of its folder.
 * Only a model from standard input gets the name that the ONNX graph contains: skl2onnx calls every
 * graph `m` or gives it a random name.
 */
const choices: readonly ((model: Packed) => string)[] = [
  ({ path }) => (path === STANDARD_STREAM ? '' : fileName(path)),
  ({ path }) => (path === STANDARD_STREAM ? '' : folderName(path)),
  ({ path, plan }) => (path === STANDARD_STREAM ? plan.name : ''),
];

/**
 * Returns a name for each model: the first possible name that no other model has. If a model has no
 * such name, it gets the name of its file, and `packFleet` reports the duplicate.
 */
function distinctNames(models: readonly Packed[]): string[] {
  const names = models.map(({ name }) => name);
  for (const choice of choices) {
    const wanted = models.map((model, at) => names[at] ?? choice(model));
    const counts = new Map<string, number>();
    for (const name of wanted) counts.set(name, (counts.get(name) ?? 0) + 1);
    const isFree = (name: string) => name !== '' && counts.get(name) === 1;
    wanted.forEach((name, at) => {
      if (isFree(name)) names[at] ??= name;
    });
  }
  return models.map(({ path }, at) => names[at] ?? fileName(path));
}

/**
 * Returns the golden rows of each plan, read from one file. Every plan answers its rows once, so
 * that an invalid row fails here, with its line number.
 */
async function goldenRows(path: string, models: readonly Packed[], store: ObjectStore): Promise<Row[][]> {
  const bytes = await readBytes(path);
  await using runtime = createRuntime({ store, backends: ownBackends(), isolated: true });
  const lists: Row[][] = [];
  for (const { plan } of models) {
    await attempt(path === STANDARD_STREAM ? 'standard input' : path, async () => {
      const rows = decodeRows(bytes, plan.inputs);
      const registered = runtime.register(plan);
      await answerRows(rows, answerer(runtime, registered, 'batch'));
      runtime.unregister(registered);
      lists.push(rows.map((row) => row.fields as Row));
    });
  }
  return lists;
}

function packedText(path: string, models: readonly Packed[], written: WrittenFleet, store: ObjectStore): string {
  const alone = models.flatMap(({ plan }) => plan.parameters).reduce((sum, id) => sum + store.info(id).bytes, 0);
  const files = models.reduce((sum, model) => sum + model.fileBytes, 0);
  const { objects, bytes } = written.parameters;
  return `${printable(path)}  ${printBytes(written.bytes)}\n${columns([
    ['plans', `${models.length}, from ${printBytes(files)} of model files`],
    ['parameters', `${count(objects, 'object')}, ${printBytes(bytes)}; without sharing ${printBytes(alone)}`],
    ['manifest', printBytes(written.manifestBytes)],
  ])}\n`;
}
