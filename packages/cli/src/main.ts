import { inspect } from 'node:util';
import { BrezelError } from '@brezel/core';
import { describeFault } from './errors.js';
import { type Streams, streams, withStreams } from './streams.js';
import { version } from './version.js';

const USAGE_EXIT_CODE = 2;

/**
 * Runs the command line of `brezel`.
 *
 * @param argv the arguments of the process: Node, the script, then the arguments of the command.
 * @param own streams that replace the streams of the process.
 * @returns the exit code.
 */
export function main(argv: readonly string[], own: Streams = process): Promise<number> {
  return withStreams(own, async () => {
    own.stdout.on('error', () => undefined); // ignored here, because the writer reports the error
    try {
      await run(argv);
      return 0;
    } catch (fault) {
      return report(fault);
    }
  });
}

/** Runs a command. `--version` does not load the library, which all other commands need. */
async function run(argv: readonly string[]): Promise<void> {
  const [, , option, ...more] = argv;
  if (more.length === 0 && (option === '--version' || option === '-V')) {
    streams().stdout.write(`${version()}\n`);
    return;
  }
  const { runCommand } = await import('./command-line.js');
  await runCommand(argv);
}

/** Prints an error on one line and returns its exit code. */
function report(fault: unknown): number {
  const { stderr } = streams();
  stderr.write(`${describeFault(fault)}\n`);
  if (process.env.BREZEL_DEBUG === '1') stderr.write(`${inspect(fault)}\n`);
  return fault instanceof BrezelError && fault.code === 'ERR_CLI_USAGE' ? USAGE_EXIT_CODE : 1;
}
