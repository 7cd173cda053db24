// Trials are repeated while there is time for them: the record tells how many there were.

/**
 * Runs trials one after another: at least some, then more while the time lasts, at most so many.
 *
 * @template T
 * @param {{ seconds: number, least?: number, most: number, now?: () => number }} budget
 * @param {(trial: number) => Promise<T>} run
 * @returns {Promise<T[]>} an answer a trial
 */
export async function trialsWithin({ seconds, least = 1, most, now = () => performance.now() }, run) {
  const start = now();
  const answers = [];
  while (answers.length < most) {
    const spent = (now() - start) / 1000;
    // The next one will take as long as those before did.
    if (answers.length >= least && spent * (1 + 1 / answers.length) > seconds) break;
    answers.push(await run(answers.length));
  }
  return answers;
}
