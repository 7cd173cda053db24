import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, type Flow, onnxruntimeBackend, tfjsBackend } from 'brezel';
import { network } from './network.js';
import { networkAsOnnx, writeAsTensorFlow } from './network-files.js';

/**
 * The neural part of a plan. It computes a probability from the features, on a backend or with
 * Brezel's own layers.
 */
export interface Head {
  readonly where: string;
  /** The backends that the head needs. */
  readonly backends: readonly Backend[];
  after(features: Flow<'vector'>): Flow<'vector'>;
  close(): Promise<void>;
}

export const headNames = ['onnxruntime', 'tfjs', 'own'] as const;
type HeadName = (typeof headNames)[number];

/**
 * Returns the head that runs on the chosen backend, or undefined if this backend is not installed.
 * The choice `own` needs no backend: it builds the head from Brezel's own layers.
 */
export async function openHead(name: HeadName): Promise<Head | undefined> {
  if (name === 'own') return own;
  if (name === 'onnxruntime')
    return onBackend(onnxruntimeBackend(), (features) => features.blackBox(networkAsOnnx(), { size: 1 }));
  const path = mkdtempSync(join(tmpdir(), 'brezel-head-'));
  writeAsTensorFlow(path);
  const model = { format: 'tfjs-layers', path, checksum: 'head' } as const;
  return onBackend(
    tfjsBackend(),
    (features) => features.blackBox(model, { size: 1 }),
    () => rmSync(path, { recursive: true }),
  );
}

/**
 * Returns a head that `backend` runs as a black box, off the event loop. If the backend is not
 * installed, prints the reason and returns undefined.
 */
async function onBackend(backend: Backend, after: Head['after'], tidy = () => {}): Promise<Head | undefined> {
  const { available, why, package: library, version, providers } = await backend.probe();
  const close = async () => {
    await backend.dispose();
    tidy();
  };
  if (!available) {
    console.log(`${backend.name} is left out: ${why}`);
    await close();
    return undefined;
  }
  const provider = providers.find((one) => one.available)!.name;
  return { where: `${library} ${version}, ${provider}`, backends: [backend], after, close };
}

/** The same network built from Brezel's own layers, which run as white-box stages. */
const own: Head = {
  where: 'layers of our own',
  backends: [],
  after: (features) =>
    features.mlp({
      layers: network.map(({ weights, bias, activation }) => ({ weights, bias, activation })),
    }) as Flow<'vector'>,
  close: async () => {},
};
