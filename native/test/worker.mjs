// A worker that loads the addon, puts the shared parameters, predicts, and exits without releasing
// anything.
import { createRequire } from 'node:module';
import { parentPort, workerData } from 'node:worker_threads';

const { addon } = createRequire(import.meta.url)('../index.cjs');
const { isa, parameters, source, texts, rounds, handle } = workerData;

const handles = parameters.map(({ id, bytes }) => addon.parameterPut(id, bytes));
if (handle !== undefined) addon.parameterRetain(handle); // parameters of another thread
const stage = addon.stageCreate({ isa, ...source, parameters: handles });
const plan = addon.planCreate({
  stages: [stage],
  wiring: [1, 1, 0, 1],
  inputs: [0],
  outputs: [1],
  maxInputBytes: 100000,
});
const out = new Float64Array(1);
const sums = [];
for (let round = 0; round < rounds; round++) {
  for (const text of texts) {
    addon.predictText(plan, text, out);
    if (round === 0) sums.push(out[0]);
    else if (!Object.is(sums[texts.indexOf(text)], out[0])) throw new Error('another answer');
  }
}
parentPort.postMessage({ sums, stats: addon.parameterStats() });
