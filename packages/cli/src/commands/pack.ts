import { basename, extname } from 'node:path';
import type { OwnedPlan } from '@brezel/core';
import { readSigningKey, type WrittenFleet } from '@brezel/fleet-file';
import type { ObjectStore } from '@brezel/object-store';
import type { Row } from '@brezel/runtime';
import { createFlour, createRuntime, type FleetMember, ownBackends, packFleet } from 'brezel';
import type { Command } from 'commander';
import { answerer, answerRows } from '../answer-rows.js';
import { type BlackBoxFlag, choicesOf, rowBoxOption } from '../black-box.js';
import { onlyOneStandardInput, readBytes, STANDARD_STREAM, writeStandardOutput } from '../files.js';
import { attempt, loadModel } from '../models.js';
import { type NonFiniteFlag, nonFiniteOption } from '../non-finite.js';
import { profiled, profileHelp } from '../profiled.js';
import { decodeRows } from '../rows.js';
import { columns, count, printable, printBytes } from '../table.js';

interface PackFlags extends NonFiniteFlag, BlackBoxFlag {
  readonly output: string;
  readonly rows?: string;
  readonly profile?: string;
  readonly sign?: string;
}

const help = `
The file contains the compiled plan of each model, each parameter once, and golden rows: rows with
the answers of this machine. Processes map the file into memory: openFleet(), or brezel predict
fleet.brezel#model. A plan has the name of its model, or of its file if two models have one name.

--sign signs the file: openFleet(path, { trustedKeys }) and brezel verify --key check the signature.
  $ openssl genpkey -algorithm ed25519 -out KEY.pem
  $ openssl pkey -in KEY.pem -pubout -out PUB.pem`;

/**
 * Adds `brezel pack MODEL... -o FLEET`, which writes compiled plans and their parameters into one
 * file.
 */
export function addPack(program: Command): void {
  program
    .command('pack')
    .summary('compile models into one memory-mapped file')
    .description('Compiles models and writes them into one fleet file, each parameter once.')
    .argument('<models...>', 'model files (ONNX, LightGBM, XGBoost, ML.NET)')
    .requiredOption('-o, --output <file>', 'the fleet file; an existing file is replaced when the new one is complete')
    .option('-r, --rows <file>', 'golden rows, one JSON object per line; default: a few generated rows')
    .option('--profile <file>', profileHelp)
    .option('--sign <file>', 'sign the fleet file with this Ed25519 private key (PEM file)')
    .addOption(rowBoxOption())
    .addOption(nonFiniteOption())
    .addHelpText('after', help)
    .action(run);
}

async function run(paths: readonly string[], flags: PackFlags): Promise<void> {
  const { output, rows, profile, sign } = flags;
  onlyOneStandardInput([...paths, rows, profile, sign]);
  const key = sign === undefined ? undefined : readSigningKey(await readBytes(sign), sign);
  const sample = profile === undefined ? undefined : await readBytes(profile);
  using flour = await createFlour();
  const models: Packed[] = [];
  for (const path of paths) {
    const model = await loadModel(path, flour, choicesOf(flags));
    const program = sample === undefined ? model.program : await profiled(model.program, sample, profile!);
    models.push({ path, fileBytes: model.fileBytes, plan: await attempt(path, () => program.plan()) });
  }
  const names = distinctNames(models);
  const golden = rows === undefined ? undefined : await goldenRows(rows, models, flour.store);
  const members = models.map(({ plan }, at): FleetMember => ({ plan, name: names[at]!, rows: golden?.[at] }));
  const written = await packFleet(members, output, { store: flour.store, sign: key });
  await writeStandardOutput(packedText(output, models, written, flour.store));
}

interface Packed {
  readonly path: string;
  readonly fileBytes: number;
  readonly plan: OwnedPlan;
}

/** Returns the names of the models. If two names are equal, returns the names of the files. */
function distinctNames(models: readonly Packed[]): string[] {
  const uses = new Map<string, number>();
  for (const { plan } of models) uses.set(plan.name, (uses.get(plan.name) ?? 0) + 1);
  return models.map(({ plan, path }) =>
    uses.get(plan.name) === 1 && plan.name !== '' ? plan.name : basename(path, extname(path)),
  );
}

/**
 * Decodes the rows for each plan and answers them once. An invalid row throws an error with its
 * line number.
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
