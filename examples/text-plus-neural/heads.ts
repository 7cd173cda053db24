import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, type Flow, onnxruntimeBackend, tfjsBackend } from 'brezel';
import { network } from './network.js';
import { networkAsOnnx, writeAsTensorFlow } from './network-files.js';

/** The neural part of a plan, on any backend. It converts features to one number. */
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
 * Returns the head on an installed backend, or undefined. Brezel's own layers are always available.
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

/** Makes the head a black box of the plan, which runs off the event loop. */
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

/** Makes the same network from Brezel's own layers, as white-box stages. */
const own: Head = {
  where: 'layers of our own',
  backends: [],
  after: (features) =>
    features.mlp({
      layers: network.map(({ weights, bias, activation }) => ({ weights, bias, activation })),
    }) as Flow<'vector'>,
  close: async () => {},
};
