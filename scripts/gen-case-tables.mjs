// Writes packages/text/src/generated/case-tables.ts: simple case mappings of single code points, as
// runs. They come from this Node's Unicode tables. They are committed, because answers must not
// depend on the machine, its locale or its ICU. Usage: node scripts/gen-case-tables.mjs
import { writeFileSync } from 'node:fs';

const TARGET = new URL('../packages/text/src/generated/case-tables.ts', import.meta.url);
/**
 * The full lower case of this code point has two code points. The table contains 'i' instead, as
 * does glibc's towlower, which onnxruntime calls.
 */
const DOTTED_CAPITAL_I = 0x130;

/**
 * Returns the mapped code point of each code point that changes. A mapping to several code points
 * (ß → SS) is omitted.
 */
function mappings(convert) {
  const found = [];
  for (let codePoint = 0; codePoint <= 0x10ffff; codePoint++) {
    if (codePoint >= 0xd800 && codePoint <= 0xdfff) continue;
    const mapped = [...convert(String.fromCodePoint(codePoint))];
    if (mapped.length !== 1) continue;
    const target = mapped[0].codePointAt(0);
    if (target === codePoint) continue;
    if (codePoint < 128 && target >= 128) throw new Error(`ASCII ${codePoint} would leave ASCII`);
    found.push([codePoint, target]);
  }
  return found;
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
  return found;
}

function print(name, comment, table) {
  const lines = [];
  let line = ' ';
  for (const number of table.flat()) {
    if (line.length + String(number).length + 2 > 120) {
      lines.push(line);
      line = ' ';
    }
    line += ` ${number},`;
  }
  lines.push(line);
  return `/** ${comment} */\nexport const ${name}: readonly number[] = [\n${lines.join('\n')}\n];\n`;
}

const lower = mappings((text) => text.toLowerCase());
lower.push([DOTTED_CAPITAL_I, 0x69]);
lower.sort((a, b) => a[0] - b[0]);
const upper = mappings((text) => text.toUpperCase());

writeFileSync(
  TARGET,
  `// Written by scripts/gen-case-tables.mjs; do not edit.
/** Unicode version of the tables. */
export const CASE_TABLES_UNICODE = '${process.versions.unicode}';

${print('lowerRuns', 'Runs of four numbers: first code point, count, step, delta.', runs(lower))}
${print('upperRuns', 'As `lowerRuns`, to upper case.', runs(upper))}`,
);
