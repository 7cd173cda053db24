// What Oven expects a row to cost, against what it takes: the runtime cuts batches into slices by the estimate.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createFlour, createRuntime, importOnnx, profile } from 'brezel';
import { isQuick, measure, note, say } from '../lib/report.mjs';
import { summary } from '../lib/stats.mjs';

const corpus = fileURLToPath(new URL('../../../shared/corpus', import.meta.url));
const ROWS = 64;
const PASSES = isQuick ? 3 : 60;
/** An estimate within this factor of the time is good enough to choose a slice by. */
const GOOD_FACTOR = 3;

/** Folders of models with rows: trained pipelines, and models found in public places. @returns {string[]} */
function folders() {
  if (!existsSync(corpus)) return [];
  return ['pipelines', 'models'].flatMap((part) =>
    readdirSync(join(corpus, part)).map((name) => join(corpus, part, name)),
  );
}

const odd = /** @type {Record<string, number>} */ ({ NaN: Number.NaN, Infinity: Infinity, '-Infinity': -Infinity });
/** @param {unknown} value @returns {unknown} */
const decoded = (value) =>
  Array.isArray(value) ? value.map(decoded) : typeof value === 'string' && value in odd ? odd[value] : value;

/** @param {string} folder @returns {import('brezel').Row[]} */
const rowsOf = (folder) =>
  readFileSync(join(folder, 'inputs.jsonl'), 'utf8')
    .split('\n', ROWS)
    .filter(Boolean)
    .map((line) => Object.fromEntries(Object.entries(JSON.parse(line)).map(([name, value]) => [name, decoded(value)])));

/** Nanoseconds a row, the least of some passes. @param {(row: import('brezel').Row) => void} predict @param {import('brezel').Row[]} rows */
function nanosPerRow(predict, rows) {
  let least = Infinity;
  for (let pass = 0; pass < PASSES; pass++) {
    const start = process.hrtime.bigint();
    for (const row of rows) predict(row);
    least = Math.min(least, Number(process.hrtime.bigint() - start) / rows.length);
  }
  return least;
}

/** Estimate and time of a model's plan, or undefined where it cannot be imported or runs in JavaScript. @param {string} folder */
async function compare(folder) {
  const flour = await createFlour();
  const runtime = createRuntime({ store: flour.store });
  try {
    const rows = rowsOf(folder);
    const { program } = importOnnx(readFileSync(join(folder, 'model.onnx')), flour);
    const plan = profile(program, rows).plan();
    const registered = runtime.register(plan);
    plan.release();
    if (registered.engine !== 'native') return undefined;
    const out = new Float64Array(registered.width);
    const time = nanosPerRow((row) => void runtime.predictSync(registered, row, out), rows);
    return { estimate: registered.nanosPerRow, time };
  } catch {
    return undefined;
  } finally {
    await runtime.close();
    flour.dispose();
  }
}

const all = folders();
if (all.length === 0) note('the corpus is not here: estimates are not checked');
/** @type {{ name: string, ratio: number }[]} */
const ratios = [];
for (const folder of isQuick ? all.slice(0, 5) : all) {
  const found = await compare(folder);
  if (found === undefined) continue;
  ratios.push({ name: folder.split('/').at(-1) ?? '', ratio: found.estimate / found.time });
}
if (ratios.length > 0) {
  measure(`estimate / time over ${ratios.length} native models`, '', summary(ratios.map(({ ratio }) => ratio)));
  const good = ratios.filter(({ ratio }) => ratio <= GOOD_FACTOR && ratio >= 1 / GOOD_FACTOR);
  note(`${good.length} of ${ratios.length} estimates are within a factor of ${GOOD_FACTOR}`);
  for (const { name, ratio } of ratios.filter((one) => !good.includes(one))) say(`${name}: ${ratio.toFixed(2)}`);
}
