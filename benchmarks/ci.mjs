// Compares two builds and onnxruntime-node, which alternate in one process. Writes Markdown and
// JSON. The exit code is 1 on a regression. It needs a build.
//
// npm run bench:ci [-- --base COMMIT|FOLDER] [--head FOLDER] [--trials N] [--fail-above PERCENT]
// [--out FOLDER]
import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { buildOf, mergeBase, root } from './ci/base-build.mjs';
import { againstBase, againstRival, markdown } from './ci/verdicts.mjs';
import { machine, machineLine } from './harness/machine.mjs';
import { trial } from './harness/processes.mjs';

const { values } = parseArgs({
  options: {
    base: { type: 'string' },
    head: { type: 'string', default: root },
    trials: { type: 'string', default: '8' },
    rounds: { type: 'string', default: '12' },
    'fail-above': { type: 'string', default: '10%' },
    out: { type: 'string', default: join(root, 'benchmarks/results') },
  },
});
const [count, rounds, percent] = [values.trials, values.rounds, values['fail-above']].map((text) =>
  Number.parseFloat(text),
);
if (!(Number.isInteger(count) && count >= 3) || !(Number.isInteger(rounds) && rounds >= 1) || !(percent >= 0)) {
  console.error('bench:ci: expected --trials >= 3, --rounds >= 1 and --fail-above as a percentage');
  process.exit(2);
}

const started = performance.now();
const [head, base] = [buildOf(values.head), buildOf(values.base ?? mergeBase())];
/** @type {import('./ci/verdicts.mjs').Trial[]} */
const trials = [];
const workloads = new URL('ci/workloads.mjs', import.meta.url).href;
for (let number = 0; number < count; number++) {
  process.stdout.write(
    `
trial ${number + 1} of ${count}`,
  );
  trials.push(await trial(workloads, 'ci', { head: head.path, base: base.path, number, rounds }));
}

const threshold = percent / 100;
const about = await machine();
const result = {
  head: head.name,
  base: base.name,
  threshold,
  trials: count,
  machine: machineLine(about),
  versus: againstBase(trials, threshold),
  rival: againstRival(trials),
};
const text = markdown(result);
const out = resolve(values.out);
mkdirSync(out, { recursive: true });
writeFileSync(join(out, 'ci.md'), text);
writeFileSync(join(out, 'ci.json'), `${JSON.stringify({ ...result, machine: about, samples: trials })}\n`);
if (process.env.GITHUB_STEP_SUMMARY) appendFileSync(process.env.GITHUB_STEP_SUMMARY, text);
console.log(
  `\n${text}\nin ${((performance.now() - started) / 1000).toFixed(0)} s; written to ${out}/ci.md and ci.json`,
);
process.exit([...result.versus, ...result.rival].some(({ isBad }) => isBad) ? 1 : 0);
