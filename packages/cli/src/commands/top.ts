import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import { writeStandardOutput } from '../files.js';
import { fetchStatistics } from '../serve/fetch-statistics.js';
import { loadServer } from '../serve/load-server.js';
import { integerFrom } from '../serve/options.js';
import { readToken } from '../serve/read-token.js';
import { streams } from '../streams.js';
import { type EarlierReading, topText } from '../text/top-text.js';

interface TopFlags {
  readonly tokenFile?: string;
  readonly interval: number;
  readonly once?: true;
}

/** Moves the cursor to the top left and clears the terminal. */
const CLEAR = '\u001b[H\u001b[2J';

/** Adds `brezel top URL`, which shows request rates and times of a running server. */
export function addTop(program: Command): void {
  program
    .command('top')
    .summary('show traffic and memory of a running server')
    .description('Shows requests, latency, versions and memory of a server that brezel serve started.')
    .argument('<url>', 'address of the server: http://HOST:PORT')
    .option('--token-file <file>', 'file with the token of the server')
    .option('--interval <seconds>', 'seconds between two readings', integerFrom(1, 3600), 2)
    .option('--once', 'print the numbers once and exit')
    .action(run);
}

async function run(address: string, { tokenFile, interval, once }: TopFlags): Promise<void> {
  const http = await loadServer();
  const token = tokenFile === undefined ? undefined : await readToken(tokenFile);
  const isTerminal = 'isTTY' in streams().stdout && streams().stdout === process.stdout && process.stdout.isTTY;
  let earlier: EarlierReading['statistics'] | undefined;
  for (let start = performance.now(); ; await delay(interval * 1000)) {
    const statistics = await fetchStatistics(address, token);
    const seconds = (performance.now() - start) / 1000;
    start = performance.now();
    const text = topText(statistics, earlier && { statistics: earlier, seconds }, http);
    await writeStandardOutput(`${isTerminal && !once ? CLEAR : ''}${text}`);
    if (once) return;
    earlier = statistics;
  }
}
