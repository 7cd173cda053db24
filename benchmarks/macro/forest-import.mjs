// Large forests, each trial in a fresh process: from the bytes of an ONNX file to a registered plan, time and greatest memory, against
// InferenceSession.create on the same bytes. Memory is counted from before the file is read, so the file is part of it.
import { trial } from '../lib/child.mjs';
import { FEATURES } from '../lib/forests.mjs';
import { largeForestFile } from '../lib/model-files.mjs';
import { comparison, isQuick, measure, note } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';

const TRIAL = new URL('../trials/forest-import.mjs', import.meta.url);
const TRIALS = isQuick ? 1 : 3;
/** Nodes that make files of about 100 MB. */
const forms = /** @type {const} */ ([
  ['regressor', 'TreeEnsembleRegressor, complete trees', FEATURES, 2_900_000],
  ['classifier', 'TreeEnsembleClassifier, ragged trees, 3 classes', 60, 1_700_000],
  ['ensemble', 'TreeEnsemble-5, ragged trees, 3 targets', 60, 6_000_000],
]);
/** What was promised for 100 MB. */
const GOAL = { seconds: 10, peakPerFile: 5 };

/** @param {string} engine @param {string} what @param {string[]} rest */
async function trials(engine, what, ...rest) {
  const list = [];
  for (let at = 0; at < TRIALS; at++) list.push(await trial(TRIAL, [engine, ...rest]));
  const { steps, fileBytes, peakBytes } = list[0];
  /** @param {'wallMs' | 'cpuMs'} clock */
  const total = (clock) =>
    summary(list.map((one) => Object.values(one.steps).reduce((sum, step) => sum + step[clock], 0)));
  for (const step of Object.keys(steps))
    measure(`${what}, ${engine}: ${step}`, 'ms', summary(list.map((one) => one.steps[step].wallMs)));
  measure(`${what}, ${engine}: all, CPU time`, 'ms', total('cpuMs'));
  const peak = summary(list.map((one) => one.peakBytes / one.fileBytes));
  measure(`${what}, ${engine}: greatest memory / file`, 'x', peak);
  return { wall: total('wallMs'), cpu: total('cpuMs'), peak, fileBytes, peakBytes, answer: list[0].answer };
}

for (const [form, what, columns, nodes] of forms) {
  const file = largeForestFile(form, isQuick ? nodes / 20 : nodes);
  const ours = await trials('brezel', what, file, String(columns));
  const theirs = await trials('onnxruntime', what, file, String(columns));
  const isSame = ours.answer.every(
    (/** @type {number} */ value, /** @type {number} */ at) =>
      Math.abs(value - theirs.answer[at]) <= 1e-4 * (1 + Math.abs(value)),
  );
  if (!isSame || ours.answer.length !== theirs.answer.length)
    throw new Error(`answers differ: ${ours.answer} and ${theirs.answer}`);
  const size = `${(ours.fileBytes / 1e6).toFixed(0)} MB`;
  comparison({
    goal: 'load',
    what: `${size} ${what}: import, plan, register`,
    rival: 'onnxruntime',
    unit: 'ms',
    ours: ours.wall.median,
    theirs: theirs.wall.median,
    ratio: theirs.wall.median / ours.wall.median,
  });
  const isMet = ours.wall.median <= GOAL.seconds * 1000 && ours.peak.max <= GOAL.peakPerFile;
  note(
    `${size} in ${(ours.wall.median / 1000).toFixed(1)} s and ${ours.peak.max.toFixed(1)} times the file (goal: ${GOAL.seconds} s, ${GOAL.peakPerFile} times): ${isMet ? 'met' : 'not met'}`,
  );
}
