// Writes docs/rules.md from Oven's list of rules and the comment above each rule. `--check`
// compares without writing. It needs a build.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { MOST_CHANGED_NODES, rules, stepNames } from '@brezel/oven';
import { wrapMarkdown } from './wrap-prose.mjs';

const steps = fileURLToPath(new URL('../packages/oven/src/steps/', import.meta.url));
const files = new Map(
  readdirSync(steps, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [basename(file, '.ts'), readFileSync(`${steps}${file}`, 'utf8')]),
);

/**
 * Returns the comment above a rule as one line.
 * @param {string} name
 */
function purpose(name) {
  const text = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const \w+ = rule\(/.exec(files.get(name) ?? '');
  if (text === null) throw new Error(`rule ${name} has no comment that describes it`);
  return text[1]
    .replace(/^\s*\*\s?/gm, '')
    .replace(/\s+/g, ' ')
    .replaceAll('|', '\\|')
    .trim();
}

const titles = {
  'validate-input': 'Validate the input graph',
  'build-stages': 'Build stages',
  'optimize-stages': 'Optimize stages',
  'validate-output': 'Validate the output graph',
};

const sections = stepNames.map((step) => {
  const rows = rules
    .filter((rule) => rule.step === step)
    .map((rule) => {
      const over = rule.over === 'plan' ? 'the plan' : `${rule.over}, ${rule.order}`;
      return `| \`${rule.name}\`${rule.required ? ' (required)' : ''} | ${over} | ${rule.exact ? 'yes' : 'no'} | ${purpose(rule.name)} |`;
    });
  return `## ${titles[step]}\n\n| rule | over | exact | what it does |\n|---|---|---|---|\n${rows.join('\n')}\n`;
});

const text = wrapMarkdown(`# The rules of Oven

Oven compiles a plan in four steps (PRETZEL paper, section 4.1.2). Each step is an ordered list of named rules. Oven applies the rules of a step until no rule changes the plan. It repeats the steps "Build stages" and "Optimize stages" until neither step changes the plan. After each change, Oven checks the types of the changed nodes. If a type is wrong, the error names the rule.

| to | do |
|---|---|
| disable a rule | \`createFlour({ disable: ['fold-affine-chains'] })\`; *required* rules cannot be disabled |
| get the bits of the program as written | \`createFlour({ exact: true })\` disables every rule that is not exact |
| add rules or steps | \`createFlour({ rules: [mine], steps: [...] })\`; see \`rule\`, \`NodeRule\`, \`StageRule\` |
| see each rule with its change | \`brezel explain MODEL --verbose\` |
| find the change that breaks an answer | set \`OVEN_STOP_AFTER=n\` to stop after n changes |

A rule is a pure function that receives a plan and returns a plan. A rule that is not exact changes the order of a float sum, so it can change the last bits of an answer. Such a rule never applies to a value that a forest compares with thresholds.

A change copies the nodes of the plan. In the steps "Build stages" and "Optimize stages", optional rules may therefore change at most ${MOST_CHANGED_NODES} nodes in one compilation, which is twelve times what any model of the test corpus needs. Afterwards, only required rules change the plan. The plan is correct, but may be slower. \`CompiledPlan.stoppedRules\` and EXPLAIN name the rules that could still change the plan.

The files \`packages/oven/src/steps/*/<rule>.golden\` show a small program before and after each
rule. \`packages/oven/src/rules.ts\` gives the reasons for the order of the rules.
\`node scripts/gen-rule-docs.mjs\` writes this page.

${sections.join('\n')}`);

const target = new URL('../docs/rules.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/rules.md is out of date: run node scripts/gen-rule-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
