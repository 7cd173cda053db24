import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Backend, type Flow, onnxruntimeBackend, tfjsBackend } from 'brezel';
import { network } from './network.js';
import { networkAsOnnx, writeAsTensorFlow } from './network-files.js';

/** The neural part of a plan, wherever it runs: features → one number. */
export interface Head {
  readonly where: string;
  /** What the runtime needs for it. */
  readonly backends: readonly Backend[];
  after(features: Flow<'vector'>): Flow<'vector'>;
  close(): Promise<void>;
}

export const headNames = ['onnxruntime', 'tfjs', 'own'] as const;
type HeadName = (typeof headNames)[number];

/** The head on a backend that is installed here, or undefined. Our own layers are always there. */
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

/** A black box in the plan: blocks of rows go in and come out, off the event loop. */
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

/** The same network from Brezel's own layers: every stage is in the open. */
const own: Head = {
  where: 'layers of our own',
  backends: [],
  after: (features) => features.mlp({ layers: network }) as Flow<'vector'>,
  close: async () => {},
};
