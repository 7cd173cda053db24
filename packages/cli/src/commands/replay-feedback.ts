import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import type { Estimate, ReplayReport, SelectionPolicy } from '@brezel/selection';
import { randomNumbers } from 'brezel/internal';
import { type Command, InvalidArgumentError } from 'commander';
import { cliError } from '../errors.js';
import { readPieces, STANDARD_STREAM, writeText } from '../files.js';
import { attempt } from '../models.js';
import { optionalPackage } from '../optional-package.js';
import { columns, count } from '../text/table.js';

interface ReplayFlags {
  readonly policy: readonly string[];
  readonly selection?: string;
  readonly json?: true;
  readonly output: string;
  readonly seed: number;
}

const help = `
A policy is exp3, exp4, ucb1, thompson, epsilon-greedy or lin-ucb, with options after a colon:
  $ brezel replay-feedback log.jsonl --policy exp3 --policy exp3:eta=0.2,explore=0.1

ips, snips and dr are three estimates of the mean loss, each with its 95 % interval. The lower, the
better. If the intervals of two policies overlap widely, the log is too short to choose.`;

/** Adds `brezel replay-feedback LOG`, which compares policies of @brezel/selection on a log. */
export function addReplayFeedback(program: Command): void {
  program
    .command('replay-feedback')
    .summary('compare policies of model selection on a log')
    .description('Estimates how policies would have done on the requests in a log of createSelection({ log }).')
    .argument('<log>', 'log of a selection, one JSON object per line; - is standard input')
    .requiredOption(
      '-p, --policy <policy>',
      'policy to compare; may be repeated',
      (value: string, before: string[] = []) => [...before, value],
    )
    .option('--selection <name>', 'the selection whose lines are read, if the log has several')
    .option('--seed <number>', 'seed of the random draws', seedOf, 1)
    .option('--json', 'print JSON instead of a table')
    .option('-o, --output <file>', 'file for the result; - is standard output', STANDARD_STREAM)
    .addHelpText('after', help)
    .action(run);
}

async function run(path: string, { policy, selection: name, seed, json, output }: ReplayFlags): Promise<void> {
  const selection = await optionalPackage('@brezel/selection', () => import('@brezel/selection'), 'ERR_CLI_SELECTION');
  const { exp3, exp4, ucb1, thompson, epsilonGreedy, linUcb } = selection;
  const makers = { exp3, exp4, ucb1, thompson, 'epsilon-greedy': epsilonGreedy, 'lin-ucb': linUcb };
  const policies = Object.fromEntries(policy.map((text) => [text, policyOf(text, makers)]));
  const isStandard = path === STANDARD_STREAM;
  const { source } = await readPieces(path);
  const input = Readable.from(source);
  const report = await attempt(isStandard ? 'standard input' : path, () =>
    selection.replayFeedback(createInterface({ input, crlfDelay: Infinity }), {
      policies,
      selection: name,
      random: randomNumbers(seed),
    }),
  );
  await writeText(output, json === true ? `${JSON.stringify(report, null, 2)}\n` : textOf(report));
}

type Makers = Readonly<Record<string, (options: never) => SelectionPolicy>>;

/**
 * Creates the policy of an argument `NAME` or `NAME:OPTION=NUMBER,...`.
 *
 * @throws ERR_CLI_USAGE
 */
function policyOf(text: string, makers: Makers): SelectionPolicy {
  const [name, settings, ...rest] = text.split(':') as [string, string?, ...string[]];
  const make = Object.hasOwn(makers, name) ? makers[name] : undefined;
  const expected = `--policy: one of ${Object.keys(makers).join(', ')}`;
  if (make === undefined) throw cliError('ERR_CLI_USAGE', { expected, received: name });
  const options = (settings?.split(',') ?? []).map((setting): [string, number] => {
    const [option, value, ...more] = setting.split('=');
    if (option && value && more.length + rest.length === 0 && Number.isFinite(Number(value)))
      return [option, Number(value)];
    throw cliError('ERR_CLI_USAGE', { expected: '--policy NAME:OPTION=NUMBER', received: text });
  });
  return make(Object.fromEntries(options) as never);
}

function textOf({ events, logged, policies }: ReplayReport): string {
  const rows = policies.map(({ name, ips, snips, dr, learned }) => [
    name,
    shown(ips),
    shown(snips),
    shown(dr),
    `${learned}`,
  ]);
  const table = columns(
    [['policy', 'ips', 'snips', 'dr', 'learned from'], ...rows],
    ['left', 'left', 'left', 'left', 'right'],
  );
  return `${count(events, 'prediction')} with feedback; the answers lost ${shown(logged)} on average\n${table}\n`;
}

const shown = ({ loss, low, high }: Estimate): string => `${loss.toFixed(4)} (${low.toFixed(4)}-${high.toFixed(4)})`;

function seedOf(text: string): number {
  const seed = Number(text);
  if (Number.isInteger(seed) && seed >= 0 && seed < 2 ** 32) return seed;
  throw new InvalidArgumentError('expected an integer from 0 to 4294967295');
}
