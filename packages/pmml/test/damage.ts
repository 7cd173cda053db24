import { readFileSync } from 'node:fs';
import { BrezelError, createFlour, importPmml, type PmmlOptions } from 'brezel';
import { expect } from 'vitest';
import { generate, Random } from './generate.js';

export const file = (name: string): string => readFileSync(new URL(`models/${name}.pmml`, import.meta.url), 'utf8');

const names = ['claims', 'golf', 'scorecard', 'boosting'] as const;

/** Imports a file. Returns the error, and checks that nothing is left in the store. */
export async function errorOf(text: string | Uint8Array, options?: PmmlOptions) {
  using flour = await createFlour({ native: false });
  try {
    importPmml(text, flour, options);
  } catch (error) {
    expect(flour.store.stats().objects).toBe(0);
    if (!(error instanceof BrezelError)) throw error;
    return { code: error.code, text: error.message };
  }
  return undefined;
}

/** What damaged files did. */
export interface Damage {
  readonly rejected: number;
  readonly imported: number;
  /** The greatest CPU time of one import, in milliseconds. */
  readonly slowest: number;
  readonly codes: Readonly<Record<string, number>>;
}

/**
 * Imports files with changes. An import either succeeds, or rejects the file with a code and leaves
 * nothing in the store.
 */
export async function damage(seed: number, runs: number): Promise<Damage> {
  const random = new Random(seed);
  const files = [...names.map(file), ...Array.from({ length: 20 }, (_, index) => generate(seed + index).text)];
  const codes: Record<string, number> = {};
  let [rejected, imported, slowest] = [0, 0, 0];
  using flour = await createFlour({ native: false });
  for (let run = 0; run < runs; run++) {
    const bytes = changed(random, random.pick(files));
    const start = process.cpuUsage();
    try {
      importPmml(bytes, flour, { limits: { nodes: 2000, items: 100_000, elements: 2 ** 20 } });
      imported++;
      flour.dispose();
    } catch (error) {
      if (!(error instanceof BrezelError) || error.code === 'ERR_INTERNAL')
        throw new Error(`seed ${seed}, run ${run}: ${bytes}`, { cause: error });
      codes[error.code] = (codes[error.code] ?? 0) + 1;
      rejected++;
      expect(flour.store.stats().objects).toBe(0);
    }
    const { user, system } = process.cpuUsage(start);
    slowest = Math.max(slowest, (user + system) / 1000);
  }
  return { rejected, imported, slowest, codes };
}

/** Changes a file: bytes, or elements, attributes and their values, so that it stays XML. */
function changed(random: Random, text: string): Buffer {
  let result = text;
  const count = 1 + random.int(4);
  if (random.chance(0.3)) {
    const bytes = Buffer.from(result);
    for (let change = 0; change < count; change++) bytes[random.int(bytes.length)] = random.int(256);
    return bytes;
  }
  for (let change = 0; change < count; change++) result = random.pick(changes)(random, result);
  return Buffer.from(result);
}

const values = [
  '',
  '0',
  '-1',
  '1e308',
  '1e-320',
  '9007199254740993',
  'NaN',
  'INF',
  'x',
  'true',
  '__proto__',
  'constructor',
  'a\u0000b',
  '&#x10FFFF;',
  '"',
];

/** Replaces one match of a pattern. */
function replaceOne(random: Random, text: string, pattern: RegExp, make: (match: RegExpExecArray) => string): string {
  const matches = [...text.matchAll(pattern)];
  if (matches.length === 0) return text;
  const match = random.pick(matches);
  return text.slice(0, match.index) + make(match as RegExpExecArray) + text.slice(match.index! + match[0].length);
}

const attribute = /\s([\w-]+)="([^"<]*)"/g;
const emptyElement = /<(\w+)[^<>]*\/>/g;

const changes: readonly ((random: Random, text: string) => string)[] = [
  (random, text) => replaceOne(random, text, attribute, ([, name]) => ` ${name}="${random.pick(values)}"`),
  (random, text) => replaceOne(random, text, attribute, () => ''),
  (random, text) => {
    const all = [...text.matchAll(attribute)];
    return replaceOne(random, text, attribute, ([, name]) => ` ${name}="${random.pick(all)[2]}"`);
  },
  (random, text) => replaceOne(random, text, emptyElement, () => ''),
  (random, text) => replaceOne(random, text, emptyElement, ([element]) => `${element}${element}`),
  (random, text) => {
    const all = [...text.matchAll(emptyElement)];
    return replaceOne(random, text, emptyElement, () => random.pick(all)[0]);
  },
  (random, text) => {
    const all = [...new Set([...text.matchAll(/<(\w+)/g)].map(([, name]) => name!))];
    const [from, to] = [random.pick(all), random.pick(all)];
    return text.replaceAll(new RegExp(`(</?)${from}\\b`, 'g'), `$1${to}`);
  },
  (random, text) => text.slice(0, random.int(text.length)),
  (random, text) => replaceOne(random, text, />([^<>]+)</g, () => `>${random.pick(values)}<`),
];
