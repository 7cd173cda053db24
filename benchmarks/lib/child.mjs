import { spawn } from 'node:child_process';

/**
 * Runs a script in a fresh process and gives what it sends: one trial, nothing left over from another.
 *
 * @param {URL} script
 * @param {readonly string[]} parameters
 * @returns {Promise<any>} the last message the script sent by `process.send`
 */
export function trial(script, parameters) {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, ['--expose-gc', script.pathname, ...parameters], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    });
    /** @type {unknown} */
    let answer;
    child.on('message', (message) => (answer = message));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0 && answer !== undefined) resolve(answer);
      else reject(new Error(`${script.pathname} ${parameters.join(' ')} ended with ${code}`));
    });
  });
}

/** Parameters of a trial, as the script that `trial` started sees them. */
export const parameters = process.argv.slice(2);

/** Resolves when the message is on its way: a long one is lost when the process lets go of its parent before. @param {Record<string, unknown>} answer @returns {Promise<void>} */
export const send = (answer) =>
  new Promise((resolve, reject) => {
    if (process.send === undefined) resolve();
    else process.send(answer, (/** @type {Error | null} */ error) => (error ? reject(error) : resolve()));
  });
