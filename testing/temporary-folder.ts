import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

// Tests, the processes that they start and vitest itself write temporary files into one folder. The
// folder is removed at the end of the run.

const PREFIX = 'brezel-test-';

/**
 * Removes the folders of killed runs. The name of a folder contains the number of its process; if
 * the process has ended, the folder is left over.
 */
function removeLeft(within: string): void {
  for (const name of readdirSync(within)) {
    const pid = new RegExp(`^${PREFIX}(\\d+)-`).exec(name)?.[1];
    if (pid !== undefined && !isAlive(Number(pid))) rmSync(join(within, name), { recursive: true, force: true });
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

/**
 * Creates the temporary folder. Call it once, before vitest reads the path of the temporary folder.
 */
export function ownTemporaryFolder(): void {
  const system = tmpdir();
  removeLeft(system);
  const own = mkdtempSync(join(system, `${PREFIX}${process.pid}-`));
  process.env.BREZEL_BENCH_MODELS ??= system; // models of benchmarks outlive a run
  process.env.TMPDIR = own;
  process.env.TEMP = own;
  process.env.TMP = own;
  process.env.XDG_CACHE_HOME = join(own, 'cache'); // snapshots of fleet files
  process.once('exit', () => rmSync(own, { recursive: true, force: true }));
}
