import { expect, test } from 'vitest';
import { importRings } from './import-rings.mjs';

const rings = (imports: Record<string, string[]>) => importRings(new Map(Object.entries(imports)));

test('files that import down have no ring, however often they meet', () => {
  expect(rings({ top: ['left', 'right'], left: ['base'], right: ['base', 'elsewhere'], base: [] })).toEqual([]);
});

test('a ring is reported once, by its shortest path, without files that only lead to it', () => {
  const imports = { top: ['a'], a: ['detour', 'b'], b: ['c'], c: ['a', 'base'], detour: ['b'], base: [] };
  expect(rings(imports)).toEqual([
    ['a', 'b', 'c'],
    ['detour', 'b', 'c', 'a'],
  ]);
});

test('a file that imports itself, and two separate rings', () => {
  expect(rings({ self: ['self'], x: ['y'], y: ['x'] })).toEqual([['self'], ['x', 'y']]);
});
