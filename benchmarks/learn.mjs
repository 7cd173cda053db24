// npm run bench:learn -- FIRST.jsonl SECOND.jsonl [--between FILE]: adds what two runs of one build say of how runs differ to results/between-runs.json.
// The runs need not be kept; to learn a pair twice changes nothing.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { between, LEARNED, learn, learnedPairs, learnedText, unfit } from './lib/between.mjs';
import { parseRun } from './lib/goals.mjs';

const { values, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { between: { type: 'string', default: LEARNED } },
});

/** @param {string} why */
function refuse(why) {
  console.error(why);
  process.exit(2);
}

if (files.length !== 2) refuse('usage: npm run bench:learn -- FIRST.jsonl SECOND.jsonl [--between FILE]');
for (const file of files) if (!existsSync(file)) refuse(`bench:learn: no such file: ${file}`);
const [one, other] = files.map((file) => parseRun(readFileSync(file, 'utf8')));
const why = unfit(one, other);
if (why !== undefined) refuse(`bench:learn: these say nothing of how two runs differ: ${why}`);

const pair = learn(one, other);
const pairs = [...learnedPairs(values.between).filter(({ id }) => id !== pair.id), pair];
writeFileSync(values.between, learnedText(pairs));
for (const { kind, points, beyond, typical, largest, factor } of between(pairs))
  console.log(
    `${kind.padEnd(28)} x${factor}: of ${points} points ${beyond} beyond a spread; two runs are x${typical} apart, x${largest} at most`,
  );
console.log(`pairs of runs in ${values.between}: ${pairs.length}`);
