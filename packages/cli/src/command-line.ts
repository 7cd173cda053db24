import { Command, CommanderError } from 'commander';
import { addBench } from './commands/bench.js';
import { addDiff } from './commands/diff.js';
import { addDoctor } from './commands/doctor.js';
import { addExplain } from './commands/explain.js';
import { addInspect } from './commands/inspect.js';
import { addPack } from './commands/pack.js';
import { addPredict } from './commands/predict.js';
import { addVerify } from './commands/verify.js';
import { cliError } from './errors.js';
import { streams } from './streams.js';
import { version } from './version.js';

const examples = `
Examples:
  $ brezel inspect model.onnx                      inputs, outputs, operators, size
  $ brezel inspect models/*.onnx                   and what the models share
  $ brezel explain model.onnx --verbose            the plan, and each rule that made it
  $ brezel predict model.onnx --input rows.jsonl --output answers.jsonl
  $ brezel pack models/*.onnx -o fleet.brezel      one file for all, each parameter once
  $ brezel verify fleet.brezel                     checksums, and the answers it was packed with
  $ brezel verify model.onnx --test-data folder    ONNX test data again: test_data_set_*/*.pb
  $ brezel doctor                                  what is installed here, what works, and what to do
  $ brezel diff fleet.brezel#a fleet.brezel#b      what two plans share, in bytes
  $ echo '{"text": "a good film"}' | brezel predict model.onnx --input -
  $ brezel bench model.onnx --baseline base.json   how fast, and whether it became slower

Exit code: 0, or 1 after a fault and 2 after a wrong command line, with one line on standard error.
BREZEL_DEBUG=1 adds the stack.`;

/** Runs what the arguments ask for. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  try {
    await commandLine().parseAsync(argv);
  } catch (fault) {
    const told = fault instanceof CommanderError ? usageFault(fault) : fault;
    if (told !== undefined) throw told;
  }
}

function commandLine(): Command {
  const program = new Command('brezel')
    .description('White-box machine-learning inference for Node.js: looks into models, plans them, answers rows.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .exitOverride()
    .configureOutput({ writeOut: (text) => streams().stdout.write(text), writeErr: () => undefined }) // faults are reported here, in one line
    .addHelpText('after', examples);
  for (const add of [addInspect, addExplain, addPredict, addPack, addVerify, addDiff, addBench, addDoctor])
    add(program);
  return program;
}

/** What commander has to say, in our words; nothing after `--help` and `--version`. */
function usageFault({ exitCode, message, code }: CommanderError): Error | undefined {
  if (exitCode === 0) return undefined;
  const received = code === 'commander.help' ? 'no command' : message.replace(/^error: /, '');
  return cliError('ERR_CLI_USAGE', { received });
}
