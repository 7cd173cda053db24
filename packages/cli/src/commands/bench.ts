import { type Command, InvalidArgumentError, Option } from 'commander';
import {
  type Baseline,
  type BaselineComparison,
  compareWithBaseline,
  differentFrom,
  parseBaseline,
} from '../bench/baseline.js';
import { type Measurements, summarize } from '../bench/measurements.js';
import { inMeasuringProcess } from '../bench/measuring-process.js';
import { runTrials } from '../bench/run-trials.js';
import type { TailReport, TailRequest } from '../bench/tails/tail-report.js';
import { cliError } from '../errors.js';
import { readBytes, STANDARD_STREAM, writeStandardOutput, writeText } from '../files.js';
import { choicesOf, type ImportFlags, withImportFlags } from '../import-flags.js';
import { progressBar } from '../progress.js';
import { baselineText, benchText, between } from '../text/bench-text.js';
import { printable } from '../text/table.js';
import { tailsText } from '../text/tails-text.js';

interface BenchFlags extends ImportFlags {
  readonly rows?: string;
  readonly baseline?: string;
  readonly save?: string;
  readonly failAbove: number;
  readonly trials: number;
  readonly rounds: number;
  readonly rival: boolean;
  readonly tails?: true | number;
  readonly json?: true;
}

/** The smallest number of trials. The confidence interval of two trials would be too wide. */
const MIN_TRIALS = 3;
/**
 * The length of one measured period in milliseconds. A period is long enough for the p99 of calls
 * that take some µs. It is so short that neighboring periods run at the same machine speed.
 */
const PERIOD_MS = 8;

const TAIL_CALLS = 1_000_000;
const MIN_TAIL_CALLS = 100;
const MAX_TAIL_CALLS = 100_000_000;

const help = `
Each trial is a fresh process. It loads the models and measures Brezel, a reference workload and
onnxruntime-node (if installed) alternately, in short periods. Times are compared with the baseline as
multiples of the reference workload, so a slower machine is not a regression. Exit code 1: it is 99 %
sure that a time, or the bytes of parameters, exceed the baseline by more than --fail-above.
  $ brezel bench models/*.onnx --rows rows.jsonl --save base.json
  $ brezel bench models/*.onnx --rows rows.jsonl --baseline base.json --fail-above 10%
With --tails, one process measures each call alone and beside two processes that compute. It prints
p99.99, the slowest calls, and what happened during them: a garbage collection, a page fault, or
another process on the core.
  $ brezel bench model.onnx --rows rows.jsonl --tails
Use more trials for many models or a small threshold. Without --rows, bench generates rows from the
schema: known words, small numbers.`;

/** Adds `brezel bench MODEL...`, which measures models and compares them with a baseline. */
export function addBench(program: Command): void {
  const command = program
    .command('bench')
    .summary('measure latency, throughput, load time and memory; compare with a baseline')
    .description('Measures models and compares them with onnxruntime-node and with a baseline.')
    .argument(
      '<models...>',
      'model files (ONNX, LightGBM, XGBoost, ML.NET, PMML), or plans of a fleet file: fleet.brezel#plan',
    )
    .option('-r, --rows <file>', 'rows for all models, one JSON object per line; default: generated rows')
    .option('-b, --baseline <file>', 'compare with a file that --save wrote; exit code 1 after a regression')
    .option('-s, --save <file>', 'write the measurements, as the baseline of later runs')
    .addOption(
      new Option('-f, --fail-above <percent>', 'allowed increase over the baseline')
        .argParser(percent)
        .default(percent('10%'), '10%'),
    )
    .option('-t, --trials <number>', 'number of processes', wholeNumber(MIN_TRIALS, 1000), 5)
    .option('--rounds <number>', 'periods of each measurement in a process', wholeNumber(1, 10_000), 15)
    .option('--no-rival', 'do not measure onnxruntime-node')
    .addOption(
      new Option('--tails [calls]', 'measure only the slowest single rows and their causes; default: 1000000 calls')
        .argParser(wholeNumber(MIN_TAIL_CALLS, MAX_TAIL_CALLS))
        .conflicts(['baseline', 'save']),
    )
    .option('--json', 'print JSON, for tools');
  withImportFlags(command, 'none').addHelpText('after', help).action(run);
}

function percent(text: string): number {
  const number = Number(/^\s*([0-9]+(?:\.[0-9]+)?)\s*%?\s*$/.exec(text)?.[1] ?? Number.NaN);
  if (number <= 1000) return number / 100;
  throw new InvalidArgumentError('expected a percentage, such as 10%.');
}

const wholeNumber = (least: number, most: number) => (text: string) => {
  const number = /^[0-9]+$/.test(text) ? Number(text) : Number.NaN;
  if (number >= least && number <= most) return number;
  throw new InvalidArgumentError(`expected a whole number from ${least} to ${most}.`);
};

async function run(models: readonly string[], flags: BenchFlags): Promise<void> {
  if ([...models, flags.rows].includes(STANDARD_STREAM))
    throw cliError('ERR_CLI_USAGE', {
      received: 'standard input',
      hint: 'every trial reads the files again: pass file names',
    });
  if (flags.tails !== undefined) return runTails(models, flags);
  // The baseline is read first, because a wrong file name should fail before the measurement.
  const baseline =
    flags.baseline === undefined ? undefined : parseBaseline(await readBytes(flags.baseline), flags.baseline);
  using bar = progressBar('measuring');
  const choices = choicesOf(flags);
  const request = {
    models,
    rows: flags.rows,
    choices,
    rounds: flags.rounds,
    periodMs: PERIOD_MS,
    hasRival: flags.rival,
  };
  const trials = await runTrials(request, flags.trials, (done) => bar.show(done, flags.trials, 'processes'));
  bar[Symbol.dispose]();
  const now = summarize(models, trials);
  if (flags.save !== undefined) await writeText(flags.save, `${JSON.stringify(now)}\n`);
  const versus = baseline && against(now, baseline, flags.failAbove);
  if (flags.json) await writeStandardOutput(`${JSON.stringify({ ...now, ...versus }, null, 2)}\n`);
  else await writeStandardOutput(`${benchText(now)}${versus ? `\n${versusText(versus)}` : ''}`);
  if (versus) mustNotRegress(versus.comparisons, flags);
}

async function runTails(models: readonly string[], flags: BenchFlags): Promise<void> {
  const { rows, tails, json } = flags;
  const request: TailRequest = { models, rows, choices: choicesOf(flags), calls: tails === true ? TAIL_CALLS : tails! };
  const report = await inMeasuringProcess<TailReport>('./bench-tails.js', request);
  await writeStandardOutput(json ? `${JSON.stringify(report, null, 2)}\n` : tailsText(report));
}

function against(now: Measurements, baseline: Baseline, threshold: number) {
  const known = new Set(baseline.models.map(({ name }) => name));
  return {
    comparisons: compareWithBaseline(now, baseline, threshold),
    unknown: now.models.map(({ name }) => name).filter((name) => !known.has(name)),
    different: differentFrom(now, baseline),
  };
}

const versusText = ({ comparisons, unknown, different }: ReturnType<typeof against>) =>
  baselineText(comparisons, [...unknown.map((name) => `${name} is not in the baseline`), ...different]);

function mustNotRegress(comparisons: readonly BaselineComparison[], { failAbove, baseline }: BenchFlags): void {
  if (comparisons.length === 0) {
    const hint = 'models are matched by file name';
    throw cliError('ERR_CLI_BASELINE', {
      expected: 'at least one of these models',
      received: 'none',
      at: baseline!,
      hint,
    });
  }
  const worse = comparisons.filter(({ verdict }) => verdict === 'regressed');
  if (worse.length === 0) return;
  const received = worse.map((one) => `${printable(one.model)} ${one.metric} ${between(one)}`).join(', ');
  const expected = `at most ${Number((failAbove * 100).toFixed(3))} % above the baseline`;
  throw cliError('ERR_CLI_REGRESSION', { expected, received });
}
