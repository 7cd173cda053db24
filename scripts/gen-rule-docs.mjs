// Writes docs/rules.md from the rules of Oven: their facts from the list, their purpose from the
// comment above each. `--check` only compares. Needs a build.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename } from 'node:path';
import { fileURLToPath } from 'node:url';
import { rules, stepNames } from '@brezel/oven';

const steps = fileURLToPath(new URL('../packages/oven/src/steps/', import.meta.url));
const files = new Map(
  readdirSync(steps, { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts'))
    .map((file) => [basename(file, '.ts'), readFileSync(`${steps}${file}`, 'utf8')]),
);

/** The comment before the rule, as one line. @param {string} name */
function purpose(name) {
  const text = /\/\*\*((?:(?!\*\/)[\s\S])*)\*\/\s*export const \w+ = rule\(/.exec(files.get(name) ?? '');
  if (text === null) throw new Error(`rule ${name} has no comment that says what it does`);
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

const text = `# The rules of Oven

The paper's four rewriting steps (4.1.2), each a list of named rules run to a fixed point; stages are built again after they were optimized, until both
steps rest. After each change the driver checks the types of what changed and names the rule that broke them.

- \`createFlour({ disable: ['fold-affine-chains'] })\` leaves a rule out; those marked *required* cannot be.
- \`createFlour({ exact: true })\` leaves out every rule that is not exact: the plan then gives the bits of the program as it is written. The others regroup sums
  of floats, and stay away from what a forest compares with its thresholds.
- \`createFlour({ rules: [mine], steps: [...] })\` adds rules, and steps between these. A rule is a pure function, plan in, plan out: see \`rule\`, \`NodeRule\`, \`StageRule\`.
- \`brezel explain MODEL --verbose\` shows each rule that fired with what it changed; \`OVEN_STOP_AFTER=n\` stops after n changes.
- Before and after of each rule on a small program: \`packages/oven/src/steps/*/<rule>.golden\`.

The order within a step is a decision; its reasons are in \`packages/oven/src/rules.ts\`. This page is written by \`node scripts/gen-rule-docs.mjs\`.

${sections.join('\n')}`;

const target = new URL('../docs/rules.md', import.meta.url);
if (existsSync(target) && readFileSync(target, 'utf8') === text) process.exit(0);
if (process.argv.includes('--check')) {
  console.error('docs/rules.md is not in step with the rules: node scripts/gen-rule-docs.mjs');
  process.exit(1);
}
writeFileSync(target, text);
