// Writes packages/text/src/generated/unicode-tables.ts: the properties of code points that
// preprocessing of text needs. They come from this Node's Unicode tables. They are committed,
// because answers must not depend on the machine or its ICU. Usage: node
// scripts/gen-unicode-tables.mjs
import { writeFileSync } from 'node:fs';

const TARGET = new URL('../packages/text/src/generated/unicode-tables.ts', import.meta.url);
// syllables that are decomposed by arithmetic (Unicode, section 3.12)
const HANGUL = [0xac00, 0xd7a3];

const text = (codePoint) => String.fromCodePoint(codePoint);
const codePointsOf = (string) => [...string].map((one) => one.codePointAt(0));

/** Yields every code point except surrogates. */
function* codePoints() {
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint < 0xd800 || codePoint > 0xdfff) yield codePoint;
  }
}

/** Returns the code points with a property, as ranges: [first, last, first, last, ...]. */
function ranges(has) {
  const found = [];
  for (const codePoint of codePoints()) {
    if (!has(text(codePoint))) continue;
    if (found.at(-1) === codePoint - 1) found[found.length - 1] = codePoint;
    else found.push(codePoint, codePoint);
  }
  return found;
}

const LOW = '\u0334'; // a mark with combining class 1
const HIGH = '\u0345'; // a mark with combining class 240

/**
 * Returns whether the canonical combining class of a code point is not 0. Normalization changes the
 * position of such a code point.
 */
function isCombining(character) {
  const alone = character.normalize('NFD');
  if (alone === LOW || alone === HIGH) return true;
  const [first, last] = [[...alone].at(0), [...alone].at(-1)];
  return (
    `a${HIGH}${first}`.normalize('NFD') !== `a${HIGH}${first}` || `a${last}${LOW}`.normalize('NFD') !== `a${last}${LOW}`
  );
}

const combining = ranges((character) => [...character.normalize('NFD')].length === 1 && isCombining(character));
const isMark = new Set();
for (let at = 0; at < combining.length; at += 2) {
  for (let codePoint = combining[at]; codePoint <= combining[at + 1]; codePoint++) isMark.add(codePoint);
}

/**
 * Pairs of a code point and its replacement. NFKD decomposition and the removal of combining marks
 * replace these code points by one other code point.
 */
const replaced = [];
/**
 * The code points, except combining marks and Hangul syllables, that are replaced by several code
 * points or by none. The list has three parts for each of them: the code point, the number of its
 * replacements, and the replacements.
 */
const expanded = [];
for (const codePoint of codePoints()) {
  if (codePoint >= HANGUL[0] && codePoint <= HANGUL[1]) continue;
  const result = codePointsOf(text(codePoint).normalize('NFKD')).filter((one) => !isMark.has(one));
  if (result.length === 1 && result[0] === codePoint) continue;
  if (codePoint < 128) throw new Error(`ASCII ${codePoint} would change`);
  if (codePoint > 0x2ffff) throw new Error(`${codePoint} would change: text-map.ts believes that nothing there does`);
  if (result.length === 1) replaced.push([codePoint, result[0]]);
  else if (!isMark.has(codePoint)) expanded.push(codePoint, result.length, ...result);
}

/**
 * Joins mappings into runs: [first, count, step, delta]. The code points of a run are `step` (1 or
 * 2) apart, and each maps to the code point plus `delta`.
 */
function runs(pairs) {
  const found = [];
  for (const [codePoint, target] of pairs) {
    const delta = target - codePoint;
    const run = found.at(-1);
    if (run !== undefined && run[3] === delta) {
      const distance = codePoint - (run[0] + (run[1] - 1) * run[2]);
      if (distance <= 2 && (run[1] === 1 || run[2] === distance)) {
        run[1]++;
        run[2] = distance;
        continue;
      }
    }
    found.push([codePoint, 1, 1, delta]);
  }
  return found.flat();
}

/**
 * Letters with diacritics, up to the end of the Cyrillic block. Their canonical decomposition is a
 * letter and marks; the table maps them to this letter.
 */
const accented = [];
for (let codePoint = 0xc0; codePoint <= 0x4ff; codePoint++) {
  const [letter, ...marks] = text(codePoint).normalize('NFD');
  if (marks.length > 0 && /^\p{L}$/u.test(letter) && marks.every((mark) => /^\p{M}$/u.test(mark)))
    accented.push([codePoint, letter.codePointAt(0)]);
}

/**
 * Writes a long table that few texts need as one string. V8 parses a string in almost no time, but
 * would create a list of numbers at each process start.
 */
function printPacked(name, comment, numbers) {
  const lines = [''];
  for (const number of numbers) {
    const digits = number.toString(36);
    if (lines.at(-1).length + digits.length + 1 > 110) lines.push('');
    lines[lines.length - 1] += `${lines.at(-1) === '' ? '' : ' '}${digits}`;
  }
  return `/** ${comment} As \`packedNumbers\` reads them. */\nexport const ${name} = \`\n${lines.join('\n')}\n\`;\n`;
}

function print(name, comment, numbers) {
  const lines = [];
  let line = ' ';
  for (const number of numbers) {
    if (line.length + String(number).length + 2 > 120) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${number},`;
  }
  lines.push(line);
  return `/** ${comment} */\nexport const ${name}: readonly number[] = [\n${lines.join('\n')}\n];\n`;
}

const matching = (expression) => ranges((character) => expression.test(character));

const packed = [
  ['combiningRanges', 'Code points with a canonical combining class: first, last, first, last, ...', combining],
  [
    'strippedRuns',
    'Runs of code points that NFKD without combining marks replaces by one other code point, except Hangul: first, count, step, delta.',
    runs(replaced),
  ],
  [
    'strippedExpansions',
    'Code points that NFKD without combining marks replaces by several code points or by none. For each: the code point, the number of replacements, the replacements.',
    expanded,
  ],
  [
    'accentedRuns',
    'Runs of Latin, Greek and Cyrillic letters with diacritics, mapped to the letter without them: first, count, step, delta.',
    runs(accented),
  ],
];

const tables = [
  ['wordRanges', 'Letters, numbers and the underscore: first, last, ...', matching(/^[\p{L}\p{N}_]$/u)],
  ['casedRanges', 'Cased: first, last, ...', matching(/^\p{Cased}$/u)],
  ['caseIgnorableRanges', 'Case_Ignorable: first, last, ...', matching(/^\p{Case_Ignorable}$/u)],
  ['punctuationRanges', 'General category P: first, last, ...', matching(/^\p{P}$/u)],
  ['numberRanges', 'General category N: first, last, ...', matching(/^\p{N}$/u)],
];

writeFileSync(
  TARGET,
  `// Written by scripts/gen-unicode-tables.mjs; do not edit.
/** Unicode version of the tables. */
export const UNICODE_TABLES_UNICODE = '${process.versions.unicode}';

${packed.map(([name, comment, numbers]) => printPacked(name, comment, numbers)).join('\n')}
${tables.map(([name, comment, numbers]) => print(name, comment, numbers)).join('\n')}`,
);
