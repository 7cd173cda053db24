import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const folder = fileURLToPath(new URL('../build/Release/obj.target/brezel/generated/', import.meta.url));
const objects = existsSync(folder) ? readdirSync(folder).filter((name) => name.endsWith('.o')) : [];
const larger = objects.filter((name) => !name.includes('.baseline.') && name !== 'tables.o');
const hasTools = ['nm', 'objdump'].every((tool) => spawnSync(tool, ['--version']).status === 0);
const why = larger.length === 0 ? 'no objects of a build here' : hasTools ? undefined : 'no binutils here';
if (why) console.warn(`units: skipped, ${why}`);

const linesOf = (tool: string, ...args: string[]): string[] =>
  spawnSync(tool, args, { encoding: 'utf8', maxBuffer: 1 << 28 }).stdout.split('\n');

/** Returns the functions of an object file that the linker may take from any unit. */
function sharedFunctions(object: string): Set<string> {
  const found = linesOf('nm', '-C', '--defined-only', folder + object).map((line) => / [WVu] (.+)$/.exec(line)?.[1]);
  return new Set(found.filter((name) => name !== undefined));
}

/**
 * Returns the functions of an object file that contain an instruction beyond baseline. The value is
 * the first such instruction.
 */
function largerInstructions(object: string): Map<string, string> {
  const found = new Map<string, string>();
  let name = '';
  for (const line of linesOf('objdump', '-dC', '--no-show-raw-insn', folder + object)) {
    name = /^[0-9a-f]+ <(.+)>:$/.exec(line)?.[1] ?? name;
    const instruction = /\t(v[a-z].*|.*%[yz]mm.*)$/.exec(line)?.[1];
    if (instruction && !found.has(name)) found.set(name, instruction);
  }
  return found;
}

// A linker takes one copy of an inline function for all units. If this copy contained instructions
// beyond baseline, it would end the process on a machine without them.
describe.skipIf(why !== undefined)('units of larger instruction sets', () => {
  for (const object of larger) {
    test(`${object} shares no function with larger instructions outside of its namespace`, () => {
      const set = object.split('.').at(-2)!;
      const found = largerInstructions(object);
      expect([...found.keys()].some((name) => name.includes(`brezel::${set}::`))).toBe(true);
      const shared = sharedFunctions(object);
      const leaked = [...found].filter(([name]) => shared.has(name) && !name.includes(`brezel::${set}::`));
      expect(leaked).toEqual([]);
    });
  }
});
