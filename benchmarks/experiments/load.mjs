// Goal G21: loads SA models from ONNX files, each engine in fresh processes. It compares import,
// compilation and registration with InferenceSession.create.
import { loadOnce } from '../harness/fleet-loading.mjs';
import { comparison, isQuick, measure } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { expertFile, naturalFile } from '../models/files.mjs';

/** @typedef {import('../models/reviews.mjs').Size} Size */

const TRIALS = isQuick ? 1 : 5;
const TEXT = 'Not a bad film at all; the second half, though, is a bore.';

export const experiments = {
  async load() {
    if (isQuick) return loadTimes('10k', 3);
    await loadTimes('100k', 40);
    await loadTimes('1M', 3);
  },
};

/**
 * Measures the load times of the first `count` members in one engine.
 *
 * @param {'brezel' | 'onnxruntime'} engine
 * @param {typeof naturalFile} file
 * @param {Size} size
 * @param {number} count
 */
async function timesOf(engine, file, size, count) {
  const files = Array.from({ length: count }, (_, member) => file(size, member));
  const list = [];
  for (let index = 0; index < TRIALS; index++)
    list.push(await loadOnce({ engine, kind: 'sa', files, text: TEXT, apart: true }));
  return {
    'first model': summary(list.map(({ eachMs }) => eachMs[0])),
    'each further model': summary(list.flatMap(({ eachMs }) => eachMs.slice(1))),
    'its first prediction': summary(list.flatMap(({ coldMs }) => coldMs)),
  };
}

/** @param {Size} size @param {number} count */
async function loadTimes(size, count) {
  const ours = await timesOf('brezel', naturalFile, size, count);
  for (const [what, one] of Object.entries(ours)) measure(`SA ${size}, brezel: ${what}`, 'ms', one);
  for (const [rival, file] of Object.entries({ 'natural graph': naturalFile, 'expert graph': expertFile })) {
    const theirs = await timesOf('onnxruntime', file, size, count);
    for (const [what, one] of Object.entries(theirs)) {
      measure(`SA ${size}, ${rival}: ${what}`, 'ms', one);
      const our = ours[/** @type {keyof typeof ours} */ (what)];
      comparison({
        goal: what === 'its first prediction' ? 'G10' : 'G9',
        what: `load from ONNX, SA ${size} dictionary: ${what}`,
        rival,
        unit: 'ms',
        ours: our.median,
        theirs: one.median,
        ratio: one.median / our.median,
        brief: size === '100k',
      });
    }
  }
}
