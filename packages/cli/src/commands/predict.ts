import type { OwnedPlan } from '@brezel/core';
import type { EngineName, RegisteredPlan, Runtime } from '@brezel/runtime';
import { createFlour, createRuntime, ownBackends } from 'brezel';
import { type Command, Option } from 'commander';
import { answerer, answerRows } from '../answer-rows.js';
import { type BlackBoxFlag, choicesOf, rowBoxOption } from '../black-box.js';
import { cliError } from '../errors.js';
import { readBytes, STANDARD_STREAM, writeText } from '../files.js';
import { attempt } from '../models.js';
import { type NonFiniteFlag, nonFiniteOption } from '../non-finite.js';
import { decodeRows, encodeAnswer } from '../rows.js';
import { compiledPlan } from '../sources.js';

interface PredictFlags extends NonFiniteFlag, BlackBoxFlag {
  readonly input: string;
  readonly output: string;
  readonly engine: EngineName;
  readonly single?: true;
}

const engines: readonly EngineName[] = ['request-response', 'batch', 'reference'];

const help = `
A row is one line: a JSON object with the model's inputs. An answer is a JSON object with its
outputs. Answers are in the order of the rows.
  {"text": "a good film"}   ->   {"label": 1, "probabilities": [0.08, 0.92]}
Write NaN and infinities as "NaN", "Infinity" and "-Infinity", and integers beyond 2^53 as strings.
Blank lines are skipped. If a row is invalid, the error names its line and nothing is written.`;

/** Adds `brezel predict MODEL --input rows.jsonl`, which answers rows. */
export function addPredict(program: Command): void {
  program
    .command('predict')
    .summary('answer rows of JSON with a model')
    .description('Answers rows of JSON with a model.')
    .argument('<model>', 'model file (ONNX, LightGBM, XGBoost, ML.NET), or a plan of a fleet file: fleet.brezel#plan')
    .requiredOption('-i, --input <file>', 'rows, one JSON object per line; - is standard input')
    .option('-o, --output <file>', 'file for the answers; - is standard output', STANDARD_STREAM)
    .addOption(new Option('-e, --engine <name>', 'how to run the rows').choices(engines).default('batch'))
    .option('--single', 'one call per row instead of one call for all')
    .addOption(rowBoxOption())
    .addOption(nonFiniteOption())
    .addHelpText('after', help)
    .action(run);
}

async function run(path: string, flags: PredictFlags): Promise<void> {
  if (path === STANDARD_STREAM && flags.input === STANDARD_STREAM)
    throw cliError('ERR_CLI_USAGE', {
      received: 'standard input for model and rows',
      hint: 'pass a file name for one of them',
    });
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true });
  const compiled = await compiledPlan(path, flour, choicesOf(flags));
  const plan = await attempt(path, () => register(runtime, compiled));
  const input = flags.input === STANDARD_STREAM ? 'standard input' : flags.input;
  const bytes = await readBytes(flags.input);
  const text = await attempt(input, async () => {
    const rows = decodeRows(bytes, plan.inputs);
    const answers = await answerRows(rows, answerer(runtime, plan, flags.engine), flags.single);
    return answers.map((answer) => `${encodeAnswer(plan.outputs, answer)}\n`).join('');
  });
  await writeText(flags.output, text);
}

function register(runtime: Runtime, compiled: OwnedPlan): RegisteredPlan {
  try {
    return runtime.register(compiled);
  } finally {
    compiled.release(); // the runtime holds separate references
  }
}
