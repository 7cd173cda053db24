import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

// The command `brezel serve` with one or several processes, for the server experiment.

const BREZEL = fileURLToPath(new URL('../../packages/brezel/bin/brezel.js', import.meta.url));
/** The kernel counts CPU time in units of this many µs. */
const TICK_MICROS = 10_000;

/**
 * Starts `brezel serve` with one model, named `model-0`, and waits until it listens.
 *
 * @param {string} file
 * @param {number} processes
 */
export async function startCommand(file, processes) {
  const cache = mkdtempSync(join(tmpdir(), 'brezel-bench-'));
  const args = [BREZEL, 'serve', `model-0=${file}`, '--port', '0', '--processes', `${processes}`];
  const env = { ...process.env, XDG_CACHE_HOME: cache };
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] });
  const exited = once(child, 'exit');
  const [line] = await Promise.race([once(createInterface({ input: child.stdout }), 'line'), exited]);
  const url = /^listening on (.+)$/.exec(`${line}`)?.[1];
  if (url === undefined) throw new Error(`brezel serve ended with ${line}`);
  const statistics = await (await fetch(`${url}/statistics`)).json();
  /** @type {{ pid: number, role?: string }[]} */
  const all = statistics.processes;
  return {
    engine: /** @type {const} */ ('brezel'),
    port: Number(new URL(url).port),
    /** Returns the CPU time of all processes of the server since their start, in µs. */
    cpuMicros: () => all.reduce((sum, { pid }) => sum + cpuMicrosOf(pid), 0),
    /** Returns the CPU time of the primary, in µs. It is 0 if the server has one process. */
    primaryMicros: () => all.reduce((sum, { pid, role }) => sum + (role === 'primary' ? cpuMicrosOf(pid) : 0), 0),
    async close() {
      child.kill();
      await exited;
      rmSync(cache, { recursive: true, force: true });
    },
  };
}

/**
 * Returns the CPU time of a process on Linux, in µs over all its threads.
 *
 * @param {number} pid
 */
function cpuMicrosOf(pid) {
  // The second field is a name in parentheses, which may contain spaces.
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
  const [user, system] = [Number(fields[11]), Number(fields[12])];
  return (user + system) * TICK_MICROS;
}
