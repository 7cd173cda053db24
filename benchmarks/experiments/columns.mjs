// Compares predictColumns with predictBatch: CPU time of the calling thread for each row, without
// executors. The two ways alternate in blocks.
import { deepStrictEqual } from 'node:assert';
import { openBrezel } from '../harness/engines.mjs';
import { isQuick, measure, say, short } from '../harness/records.mjs';
import { summary } from '../harness/stats.mjs';
import { forestFile, naturalFile } from '../models/files.mjs';
import { FEATURES, forestRows } from '../models/forests.mjs';
import { reviews, shortTexts } from '../models/reviews.mjs';

const ROWS = isQuick ? 500 : 4000;
const ROUNDS = isQuick ? 3 : 25;

export const experiments = {
  async columns() {
    const values = forestRows(ROWS);
    const x = Array.from({ length: ROWS }, (_, row) => values.subarray(row * FEATURES, (row + 1) * FEATURES));
    const lists = x.map((list) => ({ x: Array.from(list) }));
    const forest = forestFile(100, 6);
    await race(
      'forest 100x6, float32 arrays',
      forest,
      x.map((list) => ({ x: list })),
      { x: values },
    );
    await race('forest 100x6, arrays of numbers', forest, lists, { x: values });
    for (const [name, text] of /** @type {const} */ ([
      ['SA 10k, reviews', reviews(ROWS)],
      ['SA 10k, 5 words', shortTexts(ROWS)],
    ]))
      await race(
        name,
        naturalFile('10k'),
        text.map((one) => ({ text: one })),
        { text },
      );
  },
};

/**
 * Measures both ways on one model, and checks that their answers have the same bits.
 *
 * @param {string} what
 * @param {string} file
 * @param {readonly object[]} rows
 * @param {Record<string, unknown>} columns
 */
async function race(what, file, rows, columns) {
  const engine = await openBrezel({ runtime: { executors: 0 } });
  const { runtime } = engine;
  const plan = await engine.load(file);
  const ways = {
    predictBatch: () => runtime.predictBatch(plan, rows),
    predictColumns: () => runtime.predictColumns(plan, columns),
  };
  sameBits(await ways.predictBatch(), await ways.predictColumns());
  /** @type {Record<string, number[]>} */
  const nanoseconds = { predictBatch: [], predictColumns: [] };
  for (let round = 0; round < ROUNDS + 2; round++)
    for (const [name, call] of Object.entries(ways)) {
      const before = process.cpuUsage();
      await call();
      const { user, system } = process.cpuUsage(before);
      // The first two rounds warm up.
      if (round >= 2) nanoseconds[name].push(((user + system) * 1000) / ROWS);
    }
  for (const [name, list] of Object.entries(nanoseconds)) measure(`${what}: ${name}`, 'ns CPU a row', summary(list));
  const [batch, column] = [summary(nanoseconds.predictBatch), summary(nanoseconds.predictColumns)];
  say(`  ${short(batch.median / column.median)}x of predictBatch`);
  await engine.close();
}

/** @param {readonly any[]} answers @param {Record<string, ArrayLike<unknown>>} columns */
function sameBits(answers, columns) {
  for (const [output, column] of Object.entries(columns)) {
    const values = answers.flatMap((answer) => {
      const value = answer[output];
      return Array.isArray(value) || typeof value !== 'object' ? value : Object.values(value);
    });
    deepStrictEqual(Array.from(column, Number), values.map(Number));
  }
}
