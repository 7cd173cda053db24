import { expect, test } from 'vitest';
import { instrument } from '../../../../testing/fuzz/instrument.mjs';

// The fuzzer of importers learns from these counters. Inserting them changes no result.

const source = `
const sign = (value) => value < 0 ? -1 : value > 0 ? 1 : 0;
const list = ({ length }) => { const all = []; for (let at = 0; at < length; at++) all.push(at); return all; };
function name(value) {
  if (value === undefined) return 'none';
  else if (typeof value === 'object') return value?.name ?? 'unnamed';
  switch (value) { case 1: case 2: return 'few'; default: return value > 2 && 'many' || 'odd'; }
}
class Box { #value = 1; get value() { return this.#value; } static of = () => new Box(); *[Symbol.iterator]() { while (this.#value < 3) yield this.#value++; } }
return [sign(-2), sign(0), sign(3), list({ length: 3 }), name(), name({}), name({ name: 'a' }), name(2), name(5), name(-1), Box.of().value, [...Box.of()], (() => ({ a: 1 }))()];
`;

test('instrumented code gives the same results and counts its branches', () => {
  const run = (code: string, branches: Uint8Array): unknown =>
    new Function('__branches', `${code} return result();`)(branches);
  const whole = `const result = () => {${source}};`;
  const { code, counters } = instrument(whole);
  const branches = new Uint8Array(counters);
  expect(run(code, branches)).toEqual(run(whole, branches));
  expect(counters).toBeGreaterThan(20);
  expect([...branches].filter((count) => count === 0)).toHaveLength(0);
});
