import type { Answer, EngineName, ExplainedAnswer, RegisteredPlan, Row, Runtime } from '@brezel/runtime';
import { createFlour, createRuntime, ownBackends } from 'brezel';
import { type Command, Option } from 'commander';
import { type BackgroundFlags, backgroundFlag, backgroundOf } from '../background-rows.js';
import { cliError } from '../errors.js';
import {
  classFlag,
  countOf,
  DEFAULT_TOP,
  type ExplanationFlags,
  explanationJson,
  explanationOptions,
  ofFlag,
} from '../explanation-flags.js';
import { STANDARD_STREAM } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { checkFlagsOverNats, natsModel, predictOverNats } from '../nats/predict.js';
import { type AnswerFlags, type Answering, answerFile } from '../rows/answer-file.js';
import { answerer, explainingAnswerer } from '../rows/answer-rows.js';
import { EXPLAINED_AT_ONCE } from '../rows/row-groups.js';
import { extraFieldsOption, missingOption, type RowFlags, rowOptions } from '../rows/row-options.js';
import { encodeAnswer } from '../rows/rows.js';
import { registeredPlan } from '../sources.js';

interface PredictFlags
  extends ImportFlags,
    RowFlags,
    ExplanationFlags,
    Pick<BackgroundFlags, 'background'>,
    Omit<AnswerFlags, 'extraFields'> {
  readonly engine: EngineName;
  /** How many contributions to list for each answer; true for the default. */
  readonly contributions?: string | true;
}

const engines: readonly EngineName[] = ['request-response', 'batch', 'reference'];

const help = `
A row is one line: a JSON object with the model's inputs. If the model has one text or one vector,
the text or the list alone is a row too. An answer is a JSON object with the outputs. Answers are in
the order of the rows, and are written while rows are read.
  {"text": "a good film"}   ->   {"label": 1, "probabilities": [0.08, 0.92]}
  [0.5, 1, 7.25]            ->   {"score": 3.5}
Write NaN and infinities as "NaN", "Infinity" and "-Infinity", and integers beyond 2^53 as strings.
Blank lines are skipped.

null, "NaN" and an absent field are missing numbers, if the model passes the input to an imputer or
to trees that learned missing values. With --missing refuse, null and absent fields are errors. A
field that the model does not have is an error; --extra-fields ignore skips it.

With --csv, the first line names the inputs; name the elements of a vector x as x[0], x[1], ... An
empty field of a float input is NaN. A column of missing numbers may be absent.

An invalid row ends the command: the error names its line, and an output file stays unchanged. With
--on-error line, the answer to an invalid row is {"error": {...}}, and the exit code is 1 at the end.

The model nats://HOST:PORT/NAME is loaded by the servers of a cluster, which answer the rows over NATS.
The servers decide how to read rows and run them, so only --input, --output, --csv, --on-error and
--single may be used. The credentials are in the environment: NATS_CREDS is the path of a credentials
file. Or use NATS_TOKEN, or NATS_USER with NATS_PASSWORD. Needs @brezel/nats.

With --contributions, each answer has the field "contributions", as \`brezel contributions --json\`
writes explanations: what the values of the row add to the score.`;

/** Adds `brezel predict MODEL`, which answers rows. */
export function addPredict(program: Command): void {
  const command = program
    .command('predict')
    .summary('answer rows of JSON or CSV with a model')
    .description('Answers rows of JSON or CSV with a model.')
    .argument(
      '<model>',
      'model file (ONNX, LightGBM, XGBoost, ML.NET, PMML), a plan of a fleet file (fleet.brezel#plan), or nats://HOST:PORT/NAME',
    )
    .option('-i, --input <file>', 'rows, one JSON object per line; - is standard input', STANDARD_STREAM)
    .option('-o, --output <file>', 'file for the answers; - is standard output', STANDARD_STREAM)
    .option('--csv', 'rows are CSV with a header')
    .addOption(
      new Option('--on-error <choice>', 'what to do with an invalid row').choices(['stop', 'line']).default('stop'),
    )
    .addOption(new Option('-e, --engine <name>', 'how to run the rows').choices(engines).default('batch'))
    .option('--single', 'one call per row instead of one call for many rows')
    .option('--contributions [count]', `also explain each answer: the greatest contributions (default: ${DEFAULT_TOP})`)
    .option(ofFlag[0], `with --contributions: ${ofFlag[1]}`)
    .option(classFlag[0], `with --contributions: ${classFlag[1]}`)
    .option(backgroundFlag[0], `with --contributions: ${backgroundFlag[1]}`)
    .addOption(missingOption('accept'))
    .addOption(extraFieldsOption());
  withImportFlags(command, 'rows').addHelpText('after', help).action(run);
}

async function run(path: string, flags: PredictFlags, command: Command): Promise<void> {
  if (path === STANDARD_STREAM && flags.input === STANDARD_STREAM)
    throw cliError('ERR_CLI_USAGE', {
      received: 'standard input for model and rows',
      hint: 'pass --input FILE, or a file name for the model',
    });
  checkExplanationFlags(flags);
  const remote = natsModel(path);
  if (remote === undefined) return predictHere(path, flags);
  checkFlagsOverNats(command);
  return predictOverNats(remote, flags);
}

/** Answers the rows with a model that this process loads. */
async function predictHere(path: string, flags: PredictFlags): Promise<void> {
  using flour = await createFlour();
  await using runtime = createRuntime({ store: flour.store, backends: ownBackends(), isolated: true });
  const plan = await registeredPlan(path, flour, runtime, choicesOf(flags), rowOptions(flags));
  const background = await backgroundOf(runtime, plan, flags);
  await answerFile(answeringOf(runtime, plan, flags, background), flags);
}

function checkExplanationFlags({ contributions, of, class: one, background }: PredictFlags): void {
  const given = { '--of': of, '--class': one, '--background': background };
  const [flag] = Object.entries(given).flatMap(([name, value]) => (value === undefined ? [] : [name]));
  if (contributions !== undefined || flag === undefined) return;
  throw cliError('ERR_CLI_USAGE', { received: `${flag} without --contributions`, hint: 'add --contributions' });
}

type Result = Answer | ExplainedAnswer;

/** Returns how to answer rows: with or without explanations. */
function answeringOf(
  runtime: Runtime,
  plan: RegisteredPlan,
  flags: PredictFlags,
  background: readonly Row[] | undefined,
): Answering<Result> {
  const { contributions, engine } = flags;
  const { inputs } = plan;
  const encode = (answer: Result) => encodeAnswer(plan.outputs, answer as Answer);
  if (contributions === undefined) return { inputs, answer: answerer(runtime, plan, engine), encode };
  if (plan.outputs.some(({ name }) => name === 'contributions'))
    throw cliError('ERR_CLI_USAGE', {
      received: 'a model with an output "contributions"',
      at: '--contributions',
      hint: 'run brezel contributions --json',
    });
  const top = contributions === true ? DEFAULT_TOP : countOf(contributions, '--contributions');
  const answer = explainingAnswerer(runtime, plan, engine, explanationOptions(plan, flags, top, background));
  const encodeExplained = (result: Result) => {
    const { answer, contributions } = result as ExplainedAnswer;
    return `${encode(answer).slice(0, -1)}, "contributions": ${explanationJson(contributions)}}`;
  };
  return { inputs, answer, encode: encodeExplained, rowsAtOnce: EXPLAINED_AT_ONCE };
}
