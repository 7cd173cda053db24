// Functions for new-op.mjs and new-rule.mjs: spellings of names, and files from scripts/skeletons.
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const skeletons = new URL('./skeletons/', import.meta.url);

/** The checkout that contains these scripts, or the folder BREZEL_ROOT. */
export const root = process.env.BREZEL_ROOT ?? fileURLToPath(new URL('..', import.meta.url));

/**
 * Returns the spellings of a name, for example in camel case. Throws if the name is not kebab-case.
 */
export function spellings(name) {
  if (!/^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name ?? ''))
    throw new Error(`expected a name in kebab-case, such as clip-values; received ${name ?? 'no name'}`);
  const pascal = name.replace(/(?:^|-)(\w)/g, (_, letter) => letter.toUpperCase());
  return {
    KEBAB: name,
    PASCAL: pascal,
    CAMEL: pascal[0].toLowerCase() + pascal.slice(1),
    SNAKE: name.replaceAll('-', '_'),
  };
}

/** Returns a skeleton with its placeholders replaced. */
export function filled(skeleton, words) {
  const text = readFileSync(new URL(skeleton, skeletons), 'utf8');
  return text.replace(/__([A-Z_]+?)__/g, (_, word) => words[word]);
}

/** Runs `work`, the main function of a script. If it throws, prints the error on one line. */
export function main(work) {
  try {
    work(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exitCode = 1;
  }
}
