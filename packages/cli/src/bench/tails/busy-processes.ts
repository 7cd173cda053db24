import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * The script of a process that computes without a pause. The process exits when its parent exits.
 */
const COMPUTE = `
process.once('disconnect', () => process.exit());
process.send('ready');
const compute = () => {
  const end = Date.now() + 50;
  while (Date.now() < end);
  setImmediate(compute);
};
compute();`;

/** Starts processes that compute until the result is disposed, and waits until they run. */
export async function busyProcesses(count: number): Promise<AsyncDisposable> {
  const children = Array.from({ length: count }, () =>
    spawn(process.execPath, ['-e', COMPUTE], { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] }),
  );
  const end = () => endAll(children);
  try {
    await Promise.all(children.map((child) => once(child, 'message')));
  } catch (error) {
    await end();
    throw error;
  }
  return { [Symbol.asyncDispose]: end };
}

async function endAll(children: readonly ChildProcess[]): Promise<void> {
  const running = children.filter(({ exitCode, signalCode, pid }) => pid && exitCode === null && signalCode === null);
  const exits = running.map((child) => once(child, 'exit'));
  for (const child of running) child.kill('SIGKILL');
  await Promise.all(exits);
}
