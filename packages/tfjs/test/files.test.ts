import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BackendFormat } from '@brezel/core';
import { tfjsBackend } from '@brezel/tfjs';
import { afterAll, describe, expect, it } from 'vitest';
import { type Files, graphFiles, layersFiles, perceptron, temporaryFolder, tf, writeFiles } from './models.js';

// Tests hostile and broken files. Each must give a clear error. No file outside the folder may be
// read, and no memory may be allocated for a declared size without data.

const backend = tfjsBackend({ maxBytes: 2 ** 20 });
afterAll(() => backend.dispose());

let count = 0;
const open = (path: string, format: BackendFormat = 'tfjs-graph') =>
  backend.open({ format, path, checksum: `${count++}` });

async function refused(path: string, message: RegExp, format?: BackendFormat): Promise<void> {
  const fault = await open(path, format).then(
    () => undefined,
    (error: { code: string; message: string }) => error,
  );
  expect(fault?.message).toMatch(message);
  expect(fault).toMatchObject({ code: 'ERR_BACKEND_MODEL' });
}

const graph = () => structuredClone(graphFiles([1, 2, 3, 4], [0, 0]));
type Group = { paths: unknown; weights: Record<string, unknown>[] };
const groupOf = ({ json }: Files) => (json.weightsManifest as Group[])[0]!;

/** Returns a graph with a change in its only group of weights. */
function graphWith(change: (group: Group) => void): string {
  const files = graph();
  change(groupOf(files));
  return writeFiles(files);
}

describe('names of weight files', () => {
  it.each([
    '/etc/hostname',
    '../w.bin',
    'sub/../../w.bin',
    '..\\w.bin',
    'file:///etc/hostname',
    'http://localhost/w.bin',
    'w\0.bin',
    '',
  ])('%j is rejected', async (name) => {
    const path = graphWith((group) => {
      group.paths = [name];
    });
    await refused(path, /a file beside model\.json at weights .*received a (name that|path outside)/);
  });

  it('links to files outside the folder are rejected', async () => {
    const outside = join(temporaryFolder(), 'w.bin');
    writeFileSync(outside, new Uint8Array(24));
    const files = graph();
    groupOf(files).paths = ['link.bin'];
    const path = writeFiles(files);
    symlinkSync(outside, join(path, 'link.bin'));
    await refused(path, /received a link out of the folder/);
  });

  it('links and folders inside are followed', async () => {
    const files = graph();
    groupOf(files).paths = ['link.bin'];
    const path = writeFiles(files);
    symlinkSync(join(path, 'w.bin'), join(path, 'link.bin'));
    await (await open(path)).dispose();
  });

  it('a missing file is named', async () => {
    const missing = graphWith((group) => {
      group.paths = ['none.bin'];
    });
    await refused(missing, /weights "none\.bin".*a missing file/);
    const folder = graphWith((group) => {
      group.paths = ['.'];
    });
    await refused(folder, /expected a regular file/);
  });
});

describe('sizes', () => {
  it('files that are too short or too long are reported before they are read', async () => {
    for (const bytes of [0, 23, 25]) {
      const files = graph();
      files.shards['w.bin'] = new Uint8Array(bytes);
      await refused(writeFiles(files), new RegExp(`expected 24 bytes of weights at w\\.bin, received ${bytes}`));
    }
  });

  it('shapes beyond the limit are rejected', async () => {
    for (const shape of [[2 ** 40], [2 ** 30, 2 ** 30, 2 ** 30], Array.from({ length: 64 }, () => 2 ** 40)]) {
      const path = graphWith(({ weights }) => {
        weights[0]!.shape = shape;
      });
      await refused(path, /at most 1048576 bytes/);
    }
    const sum = graphWith((group) => {
      group.weights = Array.from({ length: 100 }, (_, index) => ({
        name: `w${index}`,
        shape: [5000],
        dtype: 'float32',
      }));
    });
    await refused(sum, /at most 1048576 bytes.*received 2000000 bytes/);
  });

  it('invalid shapes and types are rejected', async () => {
    const faults: [string, unknown, RegExp][] = [
      ['shape', [-1, 4], /expected sizes at weight "weights", received -1/],
      ['shape', [1.5], /received 1\.5/],
      ['shape', 'all', /expected a list/],
      ['dtype', 'string', /received string/],
      ['dtype', '__proto__', /received __proto__/],
      ['name', 3, /expected a text at weightsManifest\[0\]\.weights\[0\]\.name/],
      ['quantization', { dtype: 'uint4' }, /expected weights of uint8, uint16, float16.*received uint4/],
    ];
    for (const [key, value, message] of faults) {
      const path = graphWith(({ weights }) => {
        weights[0]![key] = value;
      });
      await refused(path, message);
    }
  });

  it('layers cannot declare more weights than the files contain', async () => {
    const files = await layersFiles(perceptron());
    const text = JSON.stringify(files.json).replace('"units":6', '"units":1000000000');
    expect(text).toContain('1000000000');
    const path = writeFiles({ ...files, json: JSON.parse(text) });
    await refused(path, /weight kernel of \[4,1000000000\] is larger than the weight files/, 'tfjs-layers');
    // The original method is restored, so a valid model opens.
    await (await open(writeFiles(files), 'tfjs-layers')).dispose();
  });

  it('quantized weights are opened', async () => {
    const files = graph();
    const group = groupOf(files);
    group.weights[0]!.quantization = { dtype: 'uint8', scale: 0.5, min: 1 };
    files.shards['w.bin'] = Uint8Array.of(0, 2, 4, 6, 0, 0, 0, 0, 0, 0, 0, 0);
    const stage = await open(writeFiles(files));
    const { scores } = await stage.run({
      features: { element: 'float32', shape: [1, 2], data: Float32Array.of(1, 10) },
    });
    expect(scores!.data).toEqual(Float32Array.of(1 + 30, 2 + 40));
    await stage.dispose();
  });
});

describe('model.json', () => {
  it('is valid, or is rejected', async () => {
    await refused(join(temporaryFolder(), 'none'), /no such path/);
    await refused(temporaryFolder(), /at model\.json/);
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'model.json'), '{"format": "graph-model", "modelTopo');
    await refused(folder, /expected JSON/);
    for (const json of [[], { modelTopology: {} }, { modelTopology: [], weightsManifest: [] }, { weightsManifest: 1 }])
      await refused(writeFiles({ json: json as Files['json'], shards: {} }), /expected (an object|a weightsManifest)/);
    await refused(writeFiles(graph()), /expected format layers-model.*"graph-model"/, 'tfjs-layers');
  });

  it('may contain invalid values at any depth', async () => {
    const files = graph();
    for (const modelTopology of [{ node: [{ op: 'NoSuchOp', name: 'a', input: ['b'] }] }, { node: 3 }, {}]) {
      const fault = await open(writeFiles({ ...files, json: { ...files.json, modelTopology } })).then(
        async (stage) => stage.run({}).catch((error: { code: string }) => error),
        (error: { code: string }) => error,
      );
      expect(fault).toMatchObject({ code: expect.stringMatching(/^ERR_BACKEND_(MODEL|RUN|INPUT)$/) });
    }
  });

  it('with lookup tables is rejected with the reason', async () => {
    const files = graph();
    files.json.modelInitializer = { node: [{ name: 'table', op: 'HashTableV2' }] };
    await refused(writeFiles(files), /without lookup tables/);
  });

  it('can be a file', async () => {
    const stage = await open(join(writeFiles(graph()), 'model.json'));
    expect(stage.bytes).toBe(24);
    await stage.dispose();
  });
});

it('other formats, bytes without files, and options out of range are rejected', async () => {
  await refused('model.onnx', /tfjs-layers, tfjs-graph, saved-model.*onnx/, 'onnx');
  const bytes = backend.open({ format: 'tfjs-graph', bytes: new Uint8Array(3), checksum: 'bytes' });
  await expect(bytes).rejects.toThrow(expect.objectContaining({ code: 'ERR_BACKEND_MODEL' }));
  for (const options of [{ maxBytes: 0 }, { maxRunMs: 1.5 }])
    expect(() => tfjsBackend(options)).toThrow(expect.objectContaining({ code: 'ERR_BACKEND_OPTION' }));
  // This thread has only the models that the test itself built, because the backend used no engine
  // of this thread.
  expect(tf.memory().numTensors).toBeGreaterThan(0);
});
