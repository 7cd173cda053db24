import { explain } from '@brezel/oven';
import { type Command, Option } from 'commander';
import { createFlour } from '../../wire.js';
import { writeStandardOutput } from '../files.js';
import { attempt, loadModel } from '../models.js';

interface ExplainFlags {
  readonly verbose?: true;
  readonly json?: true;
  readonly dot?: true;
  readonly exact?: true;
  readonly disable?: readonly string[];
}

/** `brezel explain MODEL`: how Oven plans a model. */
export function addExplain(program: Command): void {
  program
    .command('explain')
    .summary('show how a model is planned: stages, kernels, parameters, rules')
    .description(
      'Shows how Oven plans a model: its stages, the kernels chosen for them, their parameters, and the rules that made the plan.',
    )
    .argument('<model>', 'ONNX file, or - for standard input')
    .addOption(new Option('--verbose', 'show every rule that fired, with what it changed').conflicts(['json', 'dot']))
    .addOption(new Option('--json', 'print JSON, for tools').conflicts('dot'))
    .option('--dot', 'print a graph for Graphviz')
    .option('--exact', 'leave out the rules that regroup sums of floats')
    .option('--disable <rules>', 'rules to leave out, separated by commas', (names) => names.split(',').filter(Boolean))
    .action(run);
}

async function run(path: string, flags: ExplainFlags): Promise<void> {
  using flour = await createFlour();
  const { program } = await loadModel(path, flour);
  const { verbose = false, exact = false, disable = [] } = flags;
  const format = flags.json ? 'json' : flags.dot ? 'dot' : 'text';
  const text = await attempt(path, () => explain(program, { verbose, exact, disable, format }));
  await writeStandardOutput(`${text.trimEnd()}\n`);
}
