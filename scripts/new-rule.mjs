// npm run new:rule NAME: writes a working rule, its line in rules.ts, the smallest program that the
// rule changes, and a program that it does not change. You then change these files into your rule.
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

  // The new line is before the last rule of the step, which removes empty stages. The steps that
  // this script prints say when the rule needs another position.
  const before = '  removeEmptyStages,';
  const program = '};\n\n/** Programs that a rule must not change';
  const condition = '};\n\n/** Two vectors of two numbers';
  const programs = withLine(readFileSync(tests, 'utf8'), program, filled('rule/program.txt', words));
  const imported = `import { ${words.CAMEL} } from './steps/3-optimize-stages/${words.KEBAB}.js';\n`;
  const edits = [
    [list, withImport(withLine(rules, before, `  ${words.CAMEL},\n`), imported)],
    [tests, withLine(programs, condition, filled('rule/unchanged.txt', words))],
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

function steps({ KEBAB, CAMEL }, file) {
  return [
    `Wrote ${file} and its golden plan, a line in packages/oven/src/rules.ts, and two programs in packages/oven/test/rules.test.ts.`,
    'The rule replaces the absolute value of an absolute value. Next steps:',
    '',
    '1. In rules.test.ts, change the program in `programs` to the smallest program that your rule changes. The golden plan fails. The test also compares the answers before and after the rule. Then write one program in `unchanged` for each condition of your rule.',
    `2. Write \`targets\` and \`apply\` in ${file}. Set \`exact: false\` if the rule regroups a float sum.`,
    '3. Move the line in rules.ts to the right position, and explain the position in a comment. If the rule leaves operators whose results are not read, move the line before eliminateDeadOutputs.',
    '4. Run npm run build:ts && UPDATE_GOLDEN=1 npx vitest run packages/oven/test/rules.test.ts, and read the golden file. It shows the first change of this rule only.',
    `5. Run npm run test:for ${file}`,
    '6. Add a line to CHANGELOG.md, under Unreleased.',
    '7. Run npm run docs, npm run format, and then npm run check.',
    '',
    `To undo: delete ${KEBAB}.ts and ${KEBAB}.golden, the import and the line of ${CAMEL} in rules.ts, and both entries '${KEBAB}' in rules.test.ts.`,
  ].join('\n');
}
