import { linkSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { externalDataIn } from './external-folder.js';
import { openModel } from './open-model.js';
import { makeGraph, makeModel, makeNode, makeTensor, tensorInput } from './proto/make.js';
import { DataType } from './proto/schema.js';
import { writeModel } from './proto/write.js';

// A model can name a file of weights in many ways: `w`, `./w`, `.//w`, links.

const folder = mkdtempSync(join(tmpdir(), 'brezel-external-'));
const path = join(folder, 'weights.bin');
writeFileSync(path, '');
linkSync(path, join(folder, 'hard.bin'));
symlinkSync('weights.bin', join(folder, 'soft.bin'));
beforeEach(() => writeFileSync(path, new Uint8Array(Float32Array.of(1, 2).buffer)));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const external = (name: string, location: string) => ({
  ...makeTensor(name, 'float32', [2], new Float32Array(0)),
  dataLocation: 1,
  externalData: [{ key: 'location', value: location }],
});

/** A model that adds two tensors in external files. */
const sumOf = (first: string, second: string) =>
  writeModel(
    makeModel(
      makeGraph({
        node: [makeNode('Add', ['a', 'b'], ['y'])],
        initializer: [external('a', first), external('b', second)],
        output: [tensorInput('y', DataType.FLOAT, [2])],
      }),
    ),
  );

describe('externalDataIn', () => {
  test('reads a file once, under all its names', () => {
    const read = externalDataIn(folder);
    const files = ['weights.bin', './weights.bin', './/weights.bin', 'hard.bin', 'soft.bin'].map(read);
    expect(new Set(files)).toHaveLength(1);
  });

  test('reads a file again when the file has changed', () => {
    const read = externalDataIn(folder);
    const before = read('weights.bin');
    writeFileSync(path, new Uint8Array(Float32Array.of(3, 4, 5).buffer));
    expect(read('hard.bin')).toHaveLength(12);
    expect(before).toHaveLength(8);
  });

  test('reads two files of equal content separately', () => {
    writeFileSync(join(folder, 'copy.bin'), new Uint8Array(Float32Array.of(1, 2).buffer));
    const read = externalDataIn(folder);
    expect(read('copy.bin')).not.toBe(read('weights.bin'));
  });

  test('does not count a file twice towards the limits of an import', () => {
    const remaining = (first: string, second: string) =>
      openModel(sumOf(first, second), { externalData: externalDataIn(folder) }, undefined).budget.remaining('bytes');
    expect(remaining('hard.bin', 'soft.bin')).toBe(remaining('hard.bin', 'hard.bin'));
  });
});
