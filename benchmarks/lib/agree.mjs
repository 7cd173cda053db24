import { oddTexts, reviews } from './workload.mjs';

/** Sums of some 900 float32 numbers in another order differ by less. */
const TOLERANCE = 2e-5;

/** Half reviews, half texts of every script and noise. @param {number} count */
export const agreementTexts = (count) => [...reviews(Math.ceil(count / 2), 9), ...oddTexts(Math.floor(count / 2))];

/**
 * Compares answers before anything is timed; a wrong answer ends the process, because its time is worth nothing.
 *
 * @param {string} what
 * @param {readonly string[]} texts
 * @param {Record<string, (text: string) => number | Promise<number>>} predictors the first one is the truth
 * @returns {Promise<string>} a line for the report
 */
export async function mustAgree(what, texts, predictors) {
  const [[truthName, truth], ...others] = Object.entries(predictors);
  for (const text of texts) {
    const wanted = await truth(text);
    for (const [name, predict] of others) {
      const got = await predict(text);
      if (Math.abs(got - wanted) <= TOLERANCE) continue;
      console.error(`${what}: ${name} says ${got}, ${truthName} says ${wanted} for ${JSON.stringify(text)}`);
      process.exit(1);
    }
  }
  return `${what}: ${Object.keys(predictors).join(' = ')} on ${texts.length} texts (±${TOLERANCE})`;
}
