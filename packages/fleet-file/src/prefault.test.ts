import { expect, test } from 'vitest';
import { Prefault } from './prefault.js';

const MIB = 1 << 20;

/** Returns a file in which a read of pages ends only when the test resolves it. */
function fileOf() {
  const calls: { readonly offset: number; readonly length: number; end(): void }[] = [];
  const touch = (offset: number, length: number) =>
    new Promise<void>((resolve) => calls.push({ offset, length, end: resolve }));
  const ended = async () => {
    calls.at(-1)!.end();
    await new Promise(setImmediate);
  };
  const ranges = () => calls.map(({ offset, length }) => [offset / MIB, length / MIB]);
  return { touch, ended, ranges };
}

test('reads parameters of taken plans first, then the file, one range at a time', async () => {
  const { touch, ended, ranges } = fileOf();
  const prefault = new Prefault(touch, 20 * MIB);
  prefault.first([{ offset: 12 * MIB, bytes: MIB }]);
  await Promise.resolve();
  expect(ranges()).toEqual([[12, 1]]);
  await ended();
  expect(ranges().slice(1)).toEqual([[0, 8]]);
  prefault.first([
    { offset: 2 * MIB, bytes: 9 * MIB },
    { offset: 12 * MIB, bytes: MIB }, // read before
    { offset: 18 * MIB, bytes: MIB },
    { offset: 19 * MIB, bytes: MIB }, // adjacent: one range
  ]);
  for (let call = 0; call < 4; call++) await ended();
  expect(ranges().slice(2)).toEqual([
    [2, 8],
    [10, 1],
    [18, 2],
    [8, 8],
  ]);
  await ended();
  expect(ranges().at(-1)).toEqual([16, 4]);
  await ended();
  await prefault.done;
  prefault.first([{ offset: 0, bytes: MIB }]);
  expect(ranges()).toHaveLength(7);
});

test('ends after the current range when the file is closed', async () => {
  const { touch, ended, ranges } = fileOf();
  const prefault = new Prefault(touch, 20 * MIB);
  await Promise.resolve();
  prefault.first([{ offset: 0, bytes: MIB }]);
  prefault.close();
  await ended();
  await prefault.done;
  expect(ranges()).toEqual([[0, 8]]);
});
