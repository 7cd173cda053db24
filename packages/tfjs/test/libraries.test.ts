import { mkdirSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { type TfjsBackend, type TfjsOptions, tfjsBackend } from '@brezel/tfjs';
import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../testing/manual-clock.js';
import { layersFiles, temporaryFolder, tf, writeFiles } from './models.js';

// tfjs-node and tfjs-node-gpu download native libraries. The tests replace both packages by
// packages with the same names and APIs that use the JavaScript library.

const real = JSON.stringify(createRequire(import.meta.url).resolve('@tensorflow/tfjs'));

/** Creates a folder with installed TensorFlow packages. Keys are names; values are source code. */
function installed(packages: Record<string, string>): string {
  const folder = temporaryFolder();
  for (const [name, source] of Object.entries(packages)) {
    const place = join(folder, 'node_modules', '@tensorflow', name);
    mkdirSync(place, { recursive: true });
    writeFileSync(join(place, 'index.js'), source);
  }
  return folder;
}

/**
 * Returns the source of a package that opens a layers model beside saved_model.pb as a
 * "SavedModel". If the first number of a request is -1, the worker ends; if it is -2, the run never
 * ends. The argument is the GPU state that the package reports.
 */
const native = (isUsingGpuDevice: boolean) => `
const tf = require(${real});
const fs = require('node:fs');
const artifacts = (path) => {
  const { modelTopology, weightsManifest: [{ paths, weights: weightSpecs }] } = JSON.parse(fs.readFileSync(path + '/model.json'));
  return { modelTopology, weightSpecs, weightData: new Uint8Array(Buffer.concat(paths.map((name) => fs.readFileSync(path + '/' + name)))).buffer };
};
const port = (name, size) => ({ name, dtype: 'float32', shape: [-1, size] });
module.exports = {
  ...tf,
  backend: () => ({ isUsingGpuDevice: ${isUsingGpuDevice} }),
  node: {
    getMetaGraphsFromSavedModel: async () => [{
      tags: ['serve'],
      signatureDefs: { serving_default: { inputs: { rows: port('x:0', 2) }, outputs: { scores: port('y:0', 1) } } },
    }],
    loadSavedModel: async (path) => {
      const model = await tf.loadLayersModel({ load: async () => artifacts(path) });
      return {
        predict({ rows }) {
          const [first] = rows.dataSync();
          if (first === -1) process.exit(7);
          while (first === -2);
          return { scores: model.predict(rows) };
        },
        dispose: () => model.dispose(),
      };
    },
  },
};`;

let backends: TfjsBackend[] = [];
afterEach(async () => {
  await Promise.all(backends.map((backend) => backend.dispose()));
  backends = [];
});

function backendOf(packages: Record<string, string>, options: TfjsOptions = {}): TfjsBackend {
  const backend = tfjsBackend({ ...options, resolveFrom: installed(packages) });
  backends.push(backend);
  return backend;
}

async function savedModel(): Promise<string> {
  const layer = tf.layers.dense({ units: 1, inputShape: [2], kernelInitializer: 'ones' });
  const folder = writeFiles(await layersFiles(tf.sequential({ layers: [layer] })));
  writeFileSync(join(folder, 'saved_model.pb'), 'a graph');
  return folder;
}

const rows = (...numbers: number[]) => ({
  rows: { element: 'float32', shape: [1, 2], data: Float32Array.from(numbers) } as const,
});
const code = (wanted: string) => expect.objectContaining({ code: wanted });

describe('without TensorFlow packages', () => {
  it('the report says so, and the error of opening names the package to install', async () => {
    const backend = backendOf({});
    const report = await backend.probe();
    expect(report).toMatchObject({ name: 'tfjs', available: false, formats: [] });
    expect(report.why).toBe('tfjs-node-gpu: not installed; tfjs-node: not installed; tfjs: not installed');
    expect(report.remedy).toBe('npm install @tensorflow/tfjs-node');
    const opening = backend.open({ format: 'tfjs-graph', path: '.', checksum: 'any' });
    await expect(opening).rejects.toThrow(code('ERR_BACKEND_MISSING'));
    await expect(opening).rejects.toMatchObject({
      hint: expect.stringContaining('npm install @tensorflow/tfjs-node ('),
    });
    const onGpu = backend.open({ format: 'tfjs-graph', path: '.', checksum: 'any' }, { providers: ['tfjs-node-gpu'] });
    await expect(onGpu).rejects.toMatchObject({
      code: 'ERR_BACKEND_MISSING',
      hint: expect.stringContaining('npm install @tensorflow/tfjs-node-gpu'),
    });
  });
});

const answersWrong = `
const tf = require(${real});
module.exports = { ...tf, tensor: (data, ...rest) => tf.tensor(data.map((x) => x + 1), ...rest) };`;

describe('libraries that do not work', () => {
  it('are reported with their reason, and the next library is used', async () => {
    const backend = backendOf({
      'tfjs-node-gpu': 'process.exit(3)',
      'tfjs-node': answersWrong,
      tfjs: `module.exports = require(${real})`,
    });
    const report = await backend.probe();
    expect(report).toMatchObject({ available: true, package: '@tensorflow/tfjs', version: '4.22.0' });
    expect(report.providers).toMatchObject([
      { name: 'tfjs-node-gpu', available: false, why: expect.stringContaining('does not work') },
      { name: 'tfjs-node', available: false, why: expect.stringContaining('answered 5 instead of 3') },
      { name: 'tfjs', device: 'cpu', available: true },
    ]);
    const opening = backend.open({ format: 'tfjs-graph', path: '.', checksum: 'any' }, { device: 'gpu' });
    await expect(opening).rejects.toThrow(code('ERR_BACKEND_PROVIDER'));
    const saved = backend.open({ format: 'saved-model', path: '.', checksum: 'any' });
    await expect(saved).rejects.toThrow(/tfjs: cannot open a SavedModel: tfjs-node can/);
    const unknown = backend.open({ format: 'tfjs-graph', path: '.', checksum: 'any' }, { providers: ['tfjs-webgl'] });
    await expect(unknown).rejects.toThrow(code('ERR_BACKEND_OPTION'));
  });
});

describe('native libraries', () => {
  it('open SavedModels; a worker that dies fails its request only', async () => {
    const backend = backendOf({ 'tfjs-node-gpu': native(false) });
    const { providers } = await backend.probe();
    expect(providers[0]).toMatchObject({ device: 'cpu', available: true, why: expect.stringContaining('no GPU') });
    const path = await savedModel();
    const stage = await backend.open({ format: 'saved-model', path, checksum: 'saved' });
    expect(stage).toMatchObject({ provider: 'tfjs-node-gpu', device: 'cpu', bytes: 7 });
    const [good, lost, next] = [stage.run(rows(1, 2)), stage.run(rows(-1, 0)), stage.run(rows(3, 4))];
    await expect(lost).rejects.toThrow(code('ERR_BACKEND_LOST'));
    expect((await good).scores!.data).toEqual(Float32Array.of(3));
    expect((await next).scores!.data).toEqual(Float32Array.of(7));
    // The next worker must open the same file as the previous one.
    writeFileSync(join(path, 'saved_model.pb'), 'another');
    await expect(stage.run(rows(-1, 0))).rejects.toThrow(code('ERR_BACKEND_LOST'));
    await expect(stage.run(rows(1, 2))).rejects.toThrow(/the files that were opened before/);
    await refusedFolder(backend);
  });

  it('are ended when a request takes too long, and when the backend is closed', async () => {
    const clock = new ManualClock();
    const backend = backendOf({ 'tfjs-node': native(false) }, { maxRunMs: 100, clock });
    const stage = await backend.open({ format: 'saved-model', path: await savedModel(), checksum: 'slow' });
    const stuck = expect(stage.run(rows(-2, 0))).rejects.toThrow(/no answer within 100 ms/);
    await clock.untilTimer();
    clock.advance(100);
    await stuck;
    expect(clock.timers).toBe(0);
    expect((await stage.run(rows(1, 2))).scores!.data).toEqual(Float32Array.of(3));
    expect(clock.timers).toBe(0);
    const endless = stage.run(rows(-2, 0));
    const settled = expect(endless).rejects.toThrow(code('ERR_BACKEND_CLOSED'));
    await backend.dispose();
    await settled;
  });

  it('report their device', async () => {
    const gpu = backendOf({ 'tfjs-node-gpu': native(true) });
    const path = await savedModel();
    const stage = await gpu.open({ format: 'saved-model', path, checksum: 'gpu' }, { device: 'gpu' });
    expect(stage).toMatchObject({ provider: 'tfjs-node-gpu', device: 'gpu' });
    const onCpu = gpu.open({ format: 'saved-model', path, checksum: 'gpu' }, { device: 'cpu' });
    await expect(onCpu).rejects.toThrow(/tfjs-node-gpu: runs on the gpu/);
  });
});

async function refusedFolder(backend: TfjsBackend): Promise<void> {
  const none = backend.open({ format: 'saved-model', path: temporaryFolder(), checksum: 'none' });
  await expect(none).rejects.toThrow(code('ERR_BACKEND_MODEL'));
}
