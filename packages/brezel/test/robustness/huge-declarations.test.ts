import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { BrezelError, createFlour, defaultImportLimits, importModel, importOnnx, importTensors } from 'brezel';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { cases, float, huge } from './huge-declarations/cases.js';
import { iterations } from './huge-declarations/iterations.js';
import { node } from './models.js';

// A small file declares a huge tensor. The import rejects the file before it allocates a list of
// that size.

const flour = await createFlour();
afterAll(() => flour.dispose());

const limitError = (run: () => unknown): BrezelError => {
  try {
    run();
  } catch (error) {
    if (error instanceof BrezelError) return error;
    throw error;
  }
  throw new Error('it was imported');
};

describe('a huge declaration', () => {
  test.each(cases)('$name', ({ bytes, outcome }) => {
    const run = () => flour.attempt(() => importModel(bytes, flour));
    if (outcome === 'works') {
      const { elements, steps } = run().spent;
      expect(elements).toBeLessThan(1000);
      expect(steps).toBeLessThan(10_000);
      return;
    }
    const { code, details, hint } = limitError(run);
    expect({ code, details }).toMatchObject({
      code: outcome,
      details: { expected: expect.stringMatching(/^at most \d+ /), received: expect.stringMatching(/^\d/) },
    });
    expect(details.at).toBeTruthy();
    expect(hint).toMatch(/limits|reshape/);
  });

  test.each(Object.entries(iterations))('%s', (_, bytes) => {
    const { code, details } = limitError(() => flour.attempt(() => importOnnx(bytes, flour)));
    expect({ code, details }).toMatchObject({
      code: 'ERR_ONNX_UNSUPPORTED',
      details: { received: expect.stringContaining('more than 500 nodes in all its iterations') },
    });
    expect(importModel(bytes, flour).kind).toBe('tensor');
  });

  describe('memory', () => {
    let folder: string;
    beforeAll(() => {
      folder = mkdtempSync(join(tmpdir(), 'brezel-huge-'));
    });
    afterAll(() => rmSync(folder, { recursive: true }));

    test('all files together need less than 100 MB', () => {
      const paths = cases.map(({ bytes }, at) => {
        const path = join(folder, `${at}.onnx`);
        writeFileSync(path, bytes);
        return path;
      });
      const script = fileURLToPath(new URL('huge-declarations/import-all.mjs', import.meta.url));
      const { outcomes, growthKilobytes } = JSON.parse(
        execFileSync(process.execPath, [script, ...paths], { encoding: 'utf8' }),
      );
      expect(outcomes).toEqual(cases.map(({ outcome }) => outcome));
      expect(growthKilobytes).toBeLessThan(100_000);
    });
  });
});

describe('limits', () => {
  const small = huge(
    'a transpose',
    ['N', 8, 4],
    [node('Transpose', ['x'], ['y'], { perm: { ints: [0, 2, 1] } })],
  ).bytes;

  test('the import reports what it spent, and succeeds with exactly this limit', () => {
    const { spent } = importOnnx(small, flour);
    expect(spent).toMatchObject({ nodes: 1, elements: 64 });
    // 10 steps for each of 32 columns, and 4 for each element of the parameter
    expect(spent.steps).toBeGreaterThanOrEqual(14 * 32);
    expect(importOnnx(small, flour, { limits: { nodes: 1 } }).spent).toEqual(spent);
    expect(limitError(() => importOnnx(small, flour, { limits: { nodes: 0 } })).details).toMatchObject({
      expected: 'at most 0 nodes, those of functions and subgraphs as often as they are used',
      received: '1',
    });
  });

  test.each(['elements', 'bytes', 'steps'] as const)(
    '%s end an import, and a greater limit accepts the file',
    (name) => {
      const { bytes } = huge(
        'a transpose',
        ['N', 2 ** 9, 2 ** 9],
        [node('Transpose', ['x'], ['y'], { perm: { ints: [0, 2, 1] } })],
      );
      const error = limitError(() => importOnnx(bytes, flour, { limits: { [name]: 2 ** 10 } }));
      expect(error.code).toBe('ERR_ONNX_LIMIT');
      expect(error.hint).toContain(`limits: { ${name}: `);
      expect(flour.attempt(() => importOnnx(bytes, flour)).spent[name]).toBeGreaterThan(2 ** 10);
    },
  );

  test('the budget of a large file is proportional to its size', () => {
    const weights = Float32Array.from({ length: 3000 }, (_, at) => at);
    const { bytes } = huge('weights', ['N', 3000], [node('Add', ['x', 'w'], ['y'])], [float('w', ...weights)]);
    expect(importOnnx(bytes, flour, { limits: { elements: 0, bytes: 0, steps: 0 } }).spent.elements).toBe(3000);
  });

  test('reject unknown names and invalid values', () => {
    const refused = (limits: object) => limitError(() => importOnnx(small, flour, { limits }));
    expect(refused({ element: 1 })).toMatchObject({
      code: 'ERR_ONNX_OPTION',
      details: { received: 'the unknown option "element"' },
    });
    for (const value of [-1, 0.5, Number.NaN, '1', null, {}]) {
      expect(refused({ steps: value })).toMatchObject({ code: 'ERR_ONNX_OPTION', details: { at: 'limits.steps' } });
    }
    for (const limits of [null, [], 3, 'steps']) {
      expect(limitError(() => importTensors(small, { limits: limits as never })).code).toBe('ERR_ONNX_OPTION');
    }
    expect(
      importOnnx(small, flour, { limits: { steps: undefined, items: Number.POSITIVE_INFINITY } as never }).warnings,
    ).toEqual([]);
  });

  test('have the documented defaults', () => {
    expect(defaultImportLimits).toMatchObject({ nodes: 5_000, elements: 2 ** 22, bytes: 2 ** 26, steps: 2 ** 24 });
  });
});
