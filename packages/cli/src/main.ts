import { inspect } from 'node:util';
import { BrezelError } from '@brezel/core';
import { describeFault } from './errors.js';
import { type Streams, streams, withStreams } from './streams.js';
import { version } from './version.js';

const USAGE_EXIT_CODE = 2;

/**
 * Runs the command line of `brezel`.
 *
 * @param argv as Node gives it: what runs, the script, then the arguments.
 * @param own streams in place of those of the process.
 * @returns the exit code.
 */
export function main(argv: readonly string[], own: Streams = process): Promise<number> {
  return withStreams(own, async () => {
    own.stdout.on('error', () => undefined); // told where it is written
    try {
      await run(argv);
      return 0;
    } catch (fault) {
      return report(fault);
    }
  });
}

/** Commands bring the whole library with them: who asks for the version alone does not wait for it. */
async function run(argv: readonly string[]): Promise<void> {
  const [, , option, ...more] = argv;
  if (more.length === 0 && (option === '--version' || option === '-V')) {
    streams().stdout.write(`${version()}\n`);
    return;
  }
  const { runCommand } = await import('./command-line.js');
  await runCommand(argv);
}

/** Tells a fault in one line, and gives the exit code that it means. */
function report(fault: unknown): number {
  const { stderr } = streams();
  stderr.write(`${describeFault(fault)}\n`);
  if (process.env.BREZEL_DEBUG === '1') stderr.write(`${inspect(fault)}\n`);
  return fault instanceof BrezelError && fault.code === 'ERR_CLI_USAGE' ? USAGE_EXIT_CODE : 1;
}
