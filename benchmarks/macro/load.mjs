// Load time, each trial in a fresh process: import, planning and registration of ONNX files, against InferenceSession.create. Compiled models, of which
// G9 and G10 speak, are in fleet-file.mjs.
import { trial } from '../lib/child.mjs';
import { expertFile, naturalFile } from '../lib/model-files.mjs';
import { comparison, isQuick, measure } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';

/** @typedef {import('../lib/dictionary.mjs').Size} Size */

const FLEET = new URL('../trials/fleet.mjs', import.meta.url);
const TRIALS = isQuick ? 1 : 5;

/** @param {string} engine @param {string[]} files */
async function times(engine, files) {
  const trials = [];
  for (let at = 0; at < TRIALS; at++) trials.push(await trial(FLEET, [engine, ...files]));
  return {
    'importing the library': summary(trials.map((one) => one.importMs)),
    'first model': summary(trials.map((one) => one.loadMs[0])),
    'each further model': summary(trials.flatMap((one) => one.loadMs.slice(1))),
    'its first prediction': summary(trials.flatMap((one) => one.firstMs)),
  };
}

/** @param {Size} size @param {number} count */
async function compare(size, count) {
  const members = [...Array(count).keys()];
  const natural = members.map((member) => naturalFile(size, member));
  const expert = members.map((member) => expertFile(size, member));
  const ours = await times('brezel', natural);
  for (const [what, one] of Object.entries(ours)) measure(`SA ${size}, brezel: ${what}`, 'ms', one);
  for (const [rival, files] of Object.entries({ 'natural graph': natural, 'expert graph': expert })) {
    const theirs = await times('onnxruntime', files);
    for (const [what, one] of Object.entries(theirs)) measure(`SA ${size}, ${rival}: ${what}`, 'ms', one);
    for (const what of /** @type {const} */ (['first model', 'each further model', 'its first prediction'])) {
      comparison({
        goal: what === 'its first prediction' ? 'G10' : 'G9',
        what: `load from ONNX, SA ${size} dictionary: ${what}`,
        rival,
        unit: 'ms',
        ours: ours[what].median,
        theirs: theirs[what].median,
        ratio: theirs[what].median / ours[what].median,
        brief: size === '100k',
      });
    }
  }
}

if (isQuick) {
  await compare('10k', 3);
} else {
  await compare('100k', 40);
  await compare('1M', 3);
}
