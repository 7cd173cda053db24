import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeNode, makeTensor } from '@brezel/onnx';
import { createFlour, createRuntime, externalDataIn, importOnnx, importTensors } from 'brezel';
import { afterAll, describe, expect, test } from 'vitest';
import { answer, bool, file, flag, float, float32, graph } from './models.js';

const folder = mkdtempSync(join(tmpdir(), 'brezel-external-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const inside = join(folder, 'model');
mkdirSync(join(inside, 'parts'), { recursive: true });
const bytes = new Uint8Array(Float32Array.of(1, 2, 3, 4).buffer);
for (const name of ['model/weights.bin', 'model/parts/weights.bin', 'secret.bin'])
  writeFileSync(join(folder, name), bytes);
symlinkSync(join(folder, 'secret.bin'), join(inside, 'out.bin'));
symlinkSync(folder, join(inside, 'up'));
symlinkSync('weights.bin', join(inside, 'link.bin'));

/** A tensor of two floats in an external file. */
const external = (place: Readonly<Record<string, string>>) => ({
  ...makeTensor('w', 'float32', [2], new Float32Array(0)),
  dataLocation: 1,
  externalData: Object.entries(place).map(([key, value]) => ({ key, value })),
});

/** A model that returns its constant w. */
const model = (place: Readonly<Record<string, string>>) =>
  file(graph([makeNode('Identity', ['w'], ['y'])], [], [float('y', [2])], { initializer: [external(place)] }));
const two = { offset: '8', length: '8' };
const read = (place: Readonly<Record<string, string>>) =>
  answer(model(place), {}, { externalData: externalDataIn(inside) });

describe('external data', () => {
  test.each(['weights.bin', 'parts/weights.bin', './weights.bin', 'link.bin'])('is read from %s', async (location) => {
    expect(await read({ location, ...two })).toEqual({ y: float32([2], 3, 4) });
  });

  test('has the whole file as its default range', async () => {
    expect(await read({ location: 'weights.bin', length: '8' })).toEqual({ y: float32([2], 1, 2) });
    expect(await read({ location: 'weights.bin', offset: '8' })).toEqual({ y: float32([2], 3, 4) });
  });

  test('is read once for each file, also in subgraphs and attributes', async () => {
    const asked: string[] = [];
    const here = { location: 'some', ...two };
    const branch = graph([makeNode('Constant', [], ['v'], { value: { t: external(here) } })], [], [float('v', [2])]);
    const other = graph([makeNode('Identity', ['w'], ['v'])], [], [float('v', [2])], { initializer: [external(here)] });
    const nodes = [makeNode('If', ['c'], ['y'], { then_branch: { g: branch }, else_branch: { g: other } })];
    const externalData = (location: string) => {
      asked.push(location);
      return bytes;
    };
    for (const c of [true, false])
      expect(
        await answer(file(graph(nodes, [flag('c')], [float('y', [2])])), { c: bool(c) }, { externalData }),
      ).toEqual({ y: float32([2], 3, 4) });
    expect(asked).toEqual(['some', 'some']); // each import reads the file once
  });

  test('works in row programs, too', async () => {
    using flour = await createFlour();
    await using runtime = createRuntime({ store: flour.store });
    const rows = file(
      graph([makeNode('Add', ['x', 'w'], ['y'])], [float('x', ['N', 2])], [float('y', ['N', 2])], {
        initializer: [external({ location: 'weights.bin', ...two })],
      }),
    );
    expect(() => importOnnx(rows, flour)).toThrow(/another file/);
    const plan = runtime.register(importOnnx(rows, flour, { externalData: externalDataIn(inside) }).program.plan());
    expect(runtime.predictSync(plan, { x: [10, 20] })).toEqual({ y: [13, 24] });
  });

  test('without a function to read it is an error with a hint', () => {
    expect(() => importTensors(model({ location: 'weights.bin' }))).toThrow(/another file/);
  });

  test.each([
    ['../secret.bin', /leaves the folder/],
    ['parts/../../secret.bin', /leaves the folder/],
    ['parts\\..\\..\\secret.bin', /leaves the folder/],
    [join(folder, 'secret.bin'), /not relative/],
    ['C:\\secret.bin', /not relative/],
    ['weights.bin\0.txt', /not relative/],
    ['out.bin', /a link that leaves/],
    ['up/secret.bin', /a link that leaves/],
    ['absent.bin', /no such file/],
    ['parts', /no regular file/],
    ['', /a location/],
  ])('%j is refused', async (location, message) => {
    await expect(read({ location, ...two })).rejects.toMatchObject({ code: 'ERR_ONNX_TENSOR' });
    await expect(read({ location, ...two })).rejects.toThrow(message);
  });

  test.each([
    [{ offset: '12', length: '8' }, /bytes 12 to 20.*16 bytes/],
    [{ offset: '99' }, /16 bytes/],
    [{ offset: '-8', length: '8' }, /offset in bytes.*"-8"/],
    [{ offset: '1e1' }, /offset in bytes/],
    [{ length: '99999999999999999999' }, /length in bytes/],
    [{ length: '4' }, /8 bytes for shape \[2\].*received 4/],
  ])('a range %j outside the file is rejected', async (place, message) => {
    await expect(read({ location: 'weights.bin', ...place })).rejects.toThrow(message);
  });
});
