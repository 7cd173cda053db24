import { Command, CommanderError } from 'commander';
import { addBatch } from './commands/batch.js';
import { addBench } from './commands/bench.js';
import { addContributions } from './commands/contributions.js';
import { addDiff } from './commands/diff.js';
import { addDoctor } from './commands/doctor.js';
import { addExplain } from './commands/explain.js';
import { addFleet } from './commands/fleet.js';
import { addImportance } from './commands/importance.js';
import { addInspect } from './commands/inspect.js';
import { addPack } from './commands/pack.js';
import { addPredict } from './commands/predict.js';
import { addReplayFeedback } from './commands/replay-feedback.js';
import { addSchema } from './commands/schema.js';
import { addServe } from './commands/serve.js';
import { addTop } from './commands/top.js';
import { addTypes } from './commands/types.js';
import { addVerify } from './commands/verify.js';
import { cliError } from './errors.js';
import { streams } from './streams.js';
import { version } from './version.js';

const examples = `
Examples:
  $ brezel inspect model.onnx                      inputs, outputs, operators, size
  $ brezel inspect models/*.onnx                   the same, and what the models share
  $ brezel explain model.onnx --verbose            the plan, and every rule that changed it
  $ brezel predict model.onnx --input rows.jsonl --output answers.jsonl
  $ brezel contributions model.onnx --input rows.jsonl   what each value adds to the score
  $ brezel importance model.onnx --input rows.jsonl      which features matter most
  $ brezel pack models/*.onnx -o fleet.brezel      all models in one file, each parameter once
  $ brezel verify fleet.brezel                     checks checksums and packed answers
  $ brezel verify model.onnx --rows rows.jsonl --expected answers.jsonl
  $ brezel verify model.onnx --test-data folder    replays ONNX test data: test_data_set_*/*.pb
  $ brezel types models/*.onnx -o models.d.ts      TypeScript types of rows and answers
  $ brezel schema model.onnx                       JSON Schemas of rows and answers
  $ brezel serve model.onnx --port 8080            answers requests over HTTP
  $ brezel fleet push nats://HOST:4222 fleet.brezel      adds models to a cluster on NATS
  $ brezel batch submit rows.jsonl --model NAME --servers nats://HOST:4222 -o answers.jsonl   answers a file offline
  $ brezel replay-feedback log.jsonl --policy exp3 --policy exp4   policies of model selection
  $ brezel top http://127.0.0.1:8080               traffic and memory of a running server
  $ brezel doctor                                  what is installed, what works, what to do
  $ brezel diff fleet.brezel#a fleet.brezel#b      shared bytes of two plans
  $ echo '{"text": "a good film"}' | brezel predict model.onnx
  $ brezel bench model.onnx --baseline base.json   measures, and finds regressions

Exit code: 0 on success, 1 after an error, 2 after an invalid command line. An error prints one line on
standard error; BREZEL_DEBUG=1 adds the stack.`;

/** Runs the command that the arguments name. */
export async function runCommand(argv: readonly string[]): Promise<void> {
  const program = commandLine();
  if (argv.length <= 2) return program.outputHelp();
  try {
    await program.parseAsync(argv);
  } catch (fault) {
    const told = fault instanceof CommanderError ? usageFault(fault, program) : fault;
    if (told !== undefined) throw told;
  }
}

function commandLine(): Command {
  const program = new Command('brezel')
    .description('White-box machine-learning inference for Node.js: inspects models, plans them and answers rows.')
    .version(version(), '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    // bin/brezel.js reads this option before it loads the library.
    .option('--code-cache <folder>', 'cache compiled JavaScript in a folder, so that later commands start faster')
    .exitOverride()
    // main() prints errors on one line, so commander must not print them.
    .configureOutput({ writeOut: (text) => streams().stdout.write(text), writeErr: () => undefined })
    .addHelpText('after', examples);
  const commands = [
    addInspect,
    addExplain,
    addPredict,
    addContributions,
    addImportance,
    addPack,
    addVerify,
    addTypes,
    addSchema,
    addDiff,
    addBench,
    addServe,
    addFleet,
    addBatch,
    addReplayFeedback,
    addTop,
    addDoctor,
  ];
  for (const add of commands) add(program);
  return program;
}

/**
 * Converts an error of commander to an error of the command line. Returns undefined after `--help`
 * and `--version`.
 */
function usageFault({ exitCode, message }: CommanderError, program: Command): Error | undefined {
  if (exitCode === 0) return undefined;
  const hint = rowsHint(message, program);
  return cliError('ERR_CLI_USAGE', { received: message.replace(/^error: /, ''), ...(hint && { hint }) });
}

/** Returns a hint if a command reads rows, and the user wrote their file after the model. */
function rowsHint(message: string, program: Command): string | undefined {
  const [, name] = /too many arguments for '([\w-]+)'/.exec(message) ?? [];
  const command = program.commands.find((each) => each.name() === name);
  const flag = command?.options.find(({ flags }) => /--(input|rows) <file>/.test(flags))?.long;
  return flag && `pass the file of the rows as a flag: brezel ${name} MODEL ${flag} FILE`;
}
