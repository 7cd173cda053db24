import { basename } from 'node:path';
import type { PlanMeasurement } from '@brezel/core';
import { drawPlans } from '@brezel/explain-svg';
import type { FlourContext, Program } from '@brezel/flour';
import { defaultGpu, placePlan } from '@brezel/lowering';
import { type ExplainedPrograms, explain, explainTensors } from '@brezel/oven';
import { createFlour, measurePlan, ownBackends } from 'brezel';
import type { AnyFileModel } from 'brezel/internal';
import { type Command, Option } from 'commander';
import { cliError } from '../errors.js';
import { onlyOneStandardInput, readBytes, STANDARD_STREAM, writeStandardOutput, writeText } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { attempt, loadModel, loadShownModel } from '../models.js';
import { profiled, profileHelp } from '../profiled.js';
import { answerRows } from '../rows/answer-rows.js';
import { decodeRows } from '../rows/rows.js';
import { parseAddresses } from '../serve/options.js';
import { isFleet, parseSource } from '../sources.js';
import { showPlacement } from './fleet.js';

interface ExplainFlags extends ImportFlags {
  readonly verbose?: true;
  readonly json?: true;
  readonly dot?: true;
  /** The path of a file, or true for standard output. */
  readonly svg?: string | true;
  readonly analyze?: string;
  readonly profile?: string;
  readonly single?: true;
  readonly device?: 'auto' | 'gpu';
  readonly rows?: string;
  readonly exact?: true;
  readonly disable?: readonly string[];
}

/** Default number of rows in a block. */
const DEFAULT_ROWS = 256;

const help = `
For several models it also shows the stages and parameters that they share.
  $ brezel explain model.onnx                               stages, kernels, parameters, rules
  $ brezel explain model.onnx --verbose                     every rule and its changes: - removed, + added
  $ brezel explain model.onnx --analyze rows.jsonl          time and bytes of each stage, on rows as for \`brezel predict\`
  $ brezel explain model.onnx --profile rows.jsonl          the plan for these sample rows
  $ brezel explain model.onnx --device auto --rows 4096     which stages a GPU would run, with transfers
  $ brezel explain models/*.onnx --svg fleet.svg            a picture, shared stages drawn once
  $ brezel explain model.onnx --dot | dot -Tpdf -o plan.pdf
  $ brezel explain placement nats://HOST:4222 [MODEL...]   which servers load the models of a catalog, and why
docs/explain.md explains each output.`;

/** Adds `brezel explain MODEL...`, which shows how Oven compiles models. */
export function addExplain(program: Command): void {
  const command = program
    .command('explain')
    .summary('show plans: stages, kernels, parameters, rules, times')
    .description('Shows how Brezel plans a model: stages, kernels, parameters, and the rules that changed the plan.')
    .argument('<models...>', 'model files (ONNX, LightGBM, XGBoost, ML.NET, PMML); - is standard input')
    .addOption(
      new Option('--verbose', 'show every rule that fired, with its changes').conflicts(['json', 'dot', 'svg']),
    )
    .addOption(new Option('--json', 'print JSON, for tools').conflicts(['dot', 'svg']))
    .addOption(new Option('--dot', 'print a graph for Graphviz').conflicts('svg'))
    .option('--svg [file]', 'draw a picture into a .svg file; default: standard output')
    .option('--analyze <rows>', 'measure the plan on rows, one JSON object per line; - is standard input')
    .option('--profile <rows>', profileHelp)
    .option('--single', 'with --analyze: one row per call (predictSync) instead of 256')
    .addOption(
      new Option('--device <device>', 'show where each stage would run on a machine with a GPU').choices([
        'auto',
        'gpu',
      ]),
    )
    .option('--rows <count>', `with --device: rows of a block (default ${DEFAULT_ROWS})`)
    .option('--exact', 'disable rules that change the order of float sums')
    .option('--disable <rules>', 'rules to disable, separated by commas', (names) => names.split(',').filter(Boolean));
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(paths: readonly string[], flags: ExplainFlags): Promise<void> {
  const [first, address, ...models] = paths;
  if (first === 'placement' && /^(nats|tls):\/\//.test(address ?? ''))
    return showPlacement(parseAddresses(address!), models, flags);
  checkUsage(paths, flags);
  for (const path of paths) await checkModel(path);
  using flour = await createFlour();
  const programs: Program[] = [];
  const sample = flags.profile === undefined ? undefined : await readBytes(flags.profile);
  for (const path of paths) {
    const choices = choicesOf(flags);
    const model: AnyFileModel = isPlain(paths, flags)
      ? await loadShownModel(path, flour, choices)
      : { kind: 'row', ...(await loadModel(path, flour, choices)) };
    if (model.kind === 'tensor') return writeStandardOutput(tensorText(model, flags));
    const { program } = model;
    programs.push(sample === undefined ? program : await profiled(program, sample, flags.profile!));
  }
  const { verbose = false, exact = false, disable = [], analyze, single = false } = flags;
  const oven = { exact, disable };
  const measurements = analyze === undefined ? [] : await measure(paths, programs, analyze, { ...oven, single });
  const options: ExplainedPrograms = {
    ...oven,
    ...(paths.length > 1 && { names: namesOf(paths) }),
    ...(analyze !== undefined && { measurements }),
    ...(flags.device && { place: placing(flags.device, flags.rows, flour) }),
  };
  const what = paths.join(', ');
  if (flags.svg !== undefined) {
    const picture = await attempt(what, () => drawPlans(programs, options));
    return writeText(flags.svg === true ? STANDARD_STREAM : flags.svg, `${picture}\n`);
  }
  const format = flags.json ? 'json' : flags.dot ? 'dot' : 'text';
  const text = await attempt(what, () => explain(programs, { ...options, verbose, format }));
  await writeStandardOutput(`${text.trimEnd()}\n`);
}

/**
 * Returns whether `explain` can print a tensor program with these flags: one model, and no flag
 * that needs stages.
 */
const isPlain = (paths: readonly string[], { dot, svg, analyze, profile, device }: ExplainFlags): boolean =>
  paths.length === 1 && [dot, svg, analyze, profile, device].every((flag) => flag === undefined);

const tensorText = ({ program, why }: Extract<AnyFileModel, { kind: 'tensor' }>, { json }: ExplainFlags): string =>
  `${explainTensors(program, { why, format: json ? 'json' : 'text' })}\n`;

/** Rejects a fleet file, because its plans are already compiled and their rules are unknown. */
async function checkModel(path: string): Promise<void> {
  const source = parseSource(path);
  if (!(await isFleet(source.path))) return;
  throw cliError('ERR_CLI_USAGE', {
    expected: 'a model file',
    received: 'a fleet file, with compiled plans',
    at: source.path,
    hint: 'run brezel inspect for its stages, brezel diff to compare two plans',
  });
}

/**
 * Returns a function that decides for EXPLAIN which stages would run on a device. It uses the
 * profile of a data center GPU, because this machine may have no GPU. `npm run bench -- lowering`
 * measures a GPU.
 */
const placing =
  (device: 'auto' | 'gpu', rows: string | undefined, { store }: FlourContext): ExplainedPrograms['place'] =>
  (plan) =>
    placePlan(plan, (id) => store.get(id), { rows: Number(rows ?? DEFAULT_ROWS), device, gpu: defaultGpu });

function checkUsage(paths: readonly string[], { svg, analyze, profile, single, device, rows }: ExplainFlags): void {
  if (rows !== undefined && device === undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--rows without --device', hint: 'add --device auto' });
  if (rows !== undefined && !/^[1-9]\d{0,8}$/.test(rows))
    throw cliError('ERR_CLI_USAGE', { expected: 'a positive number of rows', received: rows, at: '--rows' });
  onlyOneStandardInput([...paths, analyze, profile]);
  // Without this check, `--svg model.onnx` would overwrite a model.
  if (typeof svg === 'string' && svg !== STANDARD_STREAM && !svg.endsWith('.svg'))
    throw cliError('ERR_CLI_USAGE', {
      expected: 'a file that ends in .svg',
      received: svg,
      at: '--svg',
      hint: 'put the models before --svg',
    });
  if (single && analyze === undefined)
    throw cliError('ERR_CLI_USAGE', { received: '--single without --analyze', hint: 'add --analyze rows.jsonl' });
}

interface MeasureFlags {
  readonly exact: boolean;
  readonly disable: readonly string[];
  readonly single: boolean;
}

/**
 * Measures each model on the rows of the same file. The rows are decoded for each model, because
 * the inputs of models differ.
 */
async function measure(
  paths: readonly string[],
  programs: readonly Program[],
  file: string,
  { single, ...oven }: MeasureFlags,
): Promise<PlanMeasurement[]> {
  const bytes = await readBytes(file);
  const input = file === STANDARD_STREAM ? 'standard input' : file;
  const measurements: PlanMeasurement[] = [];
  for (const [at, program] of programs.entries()) {
    const place = programs.length > 1 ? `${input}, ${paths[at]}` : input;
    const measured = attempt(place, () =>
      measurePlan(
        program,
        async ({ runtime, plan }) => {
          const numbered = decodeRows(bytes, plan.inputs);
          if (numbered.length === 0)
            throw cliError('ERR_CLI_ROW', { expected: 'at least one row', received: 'none', at: '--analyze' });
          await answerRows(numbered, (rows) =>
            runtime.predictBatch(
              plan,
              rows.map((row) => row.fields),
            ),
          );
          return numbered.map((row) => row.fields);
        },
        { ...oven, missing: 'accept', backends: ownBackends(), ...(single && { blockRows: 1 }) },
      ),
    );
    measurements.push(await measured);
  }
  return measurements;
}

/**
 * Returns the file names without folders and without `.onnx`. If two of them are equal, returns the
 * paths without their shared folders instead.
 */
function namesOf(paths: readonly string[]): string[] {
  const short = paths.map((path) => basename(path).replace(/\.onnx$/i, ''));
  return new Set(short).size === new Set(paths).size ? short : withoutSharedFolders(paths);
}

/**
 * Removes the folders that paths have in common, as in `../fleet/a/model.onnx` and
 * `../fleet/b/model.onnx`. A picture has little room for names.
 */
function withoutSharedFolders(paths: readonly string[]): string[] {
  const parts = paths.map((path) => path.split(/[\\/]/));
  let shared = 0;
  while (parts.every((list) => list.length > shared + 1 && list[shared] === parts[0]![shared])) shared++;
  return parts.map((list) => list.slice(shared).join('/'));
}
