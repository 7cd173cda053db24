import { spawn } from 'node:child_process';
import { once } from 'node:events';

/**
 * Other processes that compute and never sleep, as a busy machine has them: they read no memory to speak of.
 *
 * @param {number} count @returns {Promise<() => void>} ends them
 */
export async function busyBeside(count) {
  const others = Array.from({ length: count }, () => spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' }));
  const end = () => others.forEach((other) => other.kill('SIGKILL'));
  process.once('exit', end); // whatever happens, they do not stay
  await Promise.all(others.map((other) => once(other, 'spawn')));
  return end;
}
