// Draws doc comments and paragraphs at random, for a reader who did not write them:
//
//   node scripts/sample-prose.mjs [--seed N] [--count 60]
//
// Prints the seed first. With the same seed and the same sources, it prints the same sample.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const USAGE = 'usage: node scripts/sample-prose.mjs [--seed N] [--count 60]';

const { seed, count } = readArguments(process.argv.slice(2));
const root = fileURLToPath(new URL('..', import.meta.url));

const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26 })
  .trim()
  .split('\n');
const isSource = (file) =>
  /^(packages\/[^/]+\/src|native|benchmarks|scripts|examples)\/.*\.(ts|mts|mjs|hpp|cpp)$/.test(file);
const isLeftOut = (file) => /\/generated\/|\/build\/|\.test\.ts$/.test(file);

const comments = files.filter((file) => isSource(file) && !isLeftOut(file)).flatMap(commentsOf);
const paragraphs = files.filter((file) => file.endsWith('.md')).flatMap(paragraphsOf);
console.log(`seed ${seed}: ${count} of ${comments.length} doc comments, ${count} of ${paragraphs.length} paragraphs`);
print('Doc comments', comments);
print('Paragraphs', paragraphs);

/**
 * Returns the seed and the number of items. For `--help` and for errors, prints the usage and
 * exits.
 */
function readArguments(args) {
  try {
    const { values } = parseArgs({
      args,
      options: {
        seed: { type: 'string', default: `${Math.floor(Math.random() * 2 ** 32)}` },
        count: { type: 'string', default: '60' },
        help: { type: 'boolean', short: 'h' },
      },
    });
    if (values.help === true) {
      console.log(USAGE);
      process.exit(0);
    }
    for (const name of ['seed', 'count'])
      if (!/^\d+$/.test(values[name])) throw new Error(`--${name} expects a whole number, received ${values[name]}`);
    return { seed: Number(values.seed), count: Number(values.count) };
  } catch (error) {
    console.error(`${error.message}\n${USAGE}`);
    process.exit(2);
  }
}

/**
 * Returns the comments that start with two stars. Each item includes the next line, so that a
 * reader sees what the comment describes.
 */
function commentsOf(file) {
  const text = readFileSync(join(root, file), 'utf8');
  return [...text.matchAll(/^ *\/\*\*(?:(?!\*\/)[\s\S])*\*\/\n.*/gm)].map(({ 0: block, index }) => ({
    at: `${file}:${lineAt(text, index)}`,
    text: block,
  }));
}

/**
 * Returns paragraphs of prose, and the items of lists. Omits code, tables, headings and lists of
 * links.
 */
function paragraphsOf(file) {
  const text = readFileSync(join(root, file), 'utf8').replace(/^```[\s\S]*?^```/gm, (code) =>
    code.replace(/[^\n]/g, ''),
  );
  return [...text.matchAll(/^(?![#|<!>]).*\S.*\n?(?:^(?![#|<!>]|[-*] |\d+\. ).*\S.*\n?)*/gm)]
    .map(({ 0: block, index }) => ({ at: `${file}:${lineAt(text, index)}`, text: block.trimEnd() }))
    .filter(({ text: block }) => /[.:]$/m.test(block));
}

function lineAt(text, index) {
  return text.slice(0, index).split('\n').length;
}

/**
 * Prints the first items in the order of a hash. The hash depends only on the seed and the item's
 * text, so a file can move without changing the sample.
 */
function print(title, items) {
  const keyOf = ({ text }) => createHash('sha256').update(`${seed} ${text}`).digest('hex');
  const drawn = items
    .map((item) => ({ ...item, key: keyOf(item) }))
    .sort((one, other) => (one.key < other.key ? -1 : 1));
  console.log(`\n# ${title}`);
  drawn.slice(0, count).forEach(({ at, text }, index) => console.log(`\n## ${index + 1}. ${at}\n${text}`));
}
