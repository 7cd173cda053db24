// npm run new:rule NAME: writes a working rule, its line in rules.ts, and the smallest program that
// the rule changes. You then change these files into your rule.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filled, main, root, spellings } from './skeleton.mjs';

main((args) => {
  if (args.length > 1) throw new Error(`expected npm run new:rule NAME; received ${args.join(' ')}`);
  const words = spellings(args[0]);
  const [list, tests] = [join(root, 'packages/oven/src/rules.ts'), join(root, 'packages/oven/test/rules.test.ts')];
  const file = `packages/oven/src/steps/3-optimize-stages/${words.KEBAB}.ts`;
  const rules = readFileSync(list, 'utf8');
  if (existsSync(join(root, file)) || rules.includes(`/${words.KEBAB}.js'`))
    throw new Error(`rule ${words.KEBAB} exists; choose another name`);

  // The new line is after the last rule of the step, which removes empty stages. Move the line to
  // the right position for the rule.
  const before = '  removeEmptyStages,';
  const program = '};\n\n/** Two vectors of two numbers';
  const programs = readFileSync(tests, 'utf8');
  const imported = `import { ${words.CAMEL} } from './steps/3-optimize-stages/${words.KEBAB}.js';\n`;
  const edits = [
    [list, withImport(withLine(rules, before, `  ${words.CAMEL},\n`), imported)],
    [tests, withLine(programs, program, filled('rule/program.txt', words))],
    [join(root, file), filled('rule/rule.ts.txt', words)],
    [join(root, file.replace(/ts$/, 'golden')), filled('rule/golden.txt', words)],
  ];
  for (const [path, text] of edits) writeFileSync(path, text);
  console.log(steps(words, file));
});

/**
 * Returns the source text with an added import of a rule. Imports stay in the order of their paths.
 */
function withImport(text, line) {
  const IMPORTS = /(?:^import .* from '\.\/steps\/.*';\n)+/m;
  const pathOf = (one) => /from '(.*)'/.exec(one)[1];
  const inOrder = (lines) => lines.sort((one, other) => (pathOf(one) < pathOf(other) ? -1 : 1));
  return text.replace(IMPORTS, (lines) => `${inOrder([...lines.trimEnd().split('\n'), line.trimEnd()]).join('\n')}\n`);
}

/**
 * Returns a text with a line inserted before another line. Throws if the text does not have that
 * line exactly once.
 */
function withLine(text, before, line) {
  if (text.split(before).length !== 2)
    throw new Error(`expected ${JSON.stringify(before)} once in rules.ts or rules.test.ts`);
  return text.replace(before, () => line + before);
}

function steps({ KEBAB }, file) {
  return [
    `${file} and its golden plan, its line in packages/oven/src/rules.ts, its program in packages/oven/test/rules.test.ts.`,
    'It removes an absolute value of an absolute value. Next:',
    '',
    '1. rules.test.ts: change the program into the smallest one on which your rule acts. The golden plan fails; answers before and after the rule are compared.',
    `2. ${file}: \`targets\` and \`apply\`; \`exact: false\` if the rule regroups a float sum.`,
    '3. rules.ts: move the line to where the rule belongs, and say why it stands there.',
    '4. UPDATE_GOLDEN=1 npx vitest run packages/oven/test/rules.test.ts, and read the .golden file.',
    `5. npm run build:ts && npm run test:for ${file}`,
    '6. CHANGELOG.md, Unreleased: one line.',
    '7. npm run docs, npm run format, then npm run check.',
    '',
    `To undo: delete ${KEBAB}.ts and ${KEBAB}.golden, and both lines.`,
  ].join('\n');
}
