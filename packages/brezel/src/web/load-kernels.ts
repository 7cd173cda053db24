import { WasmInstance, type WasmModule, webAssembly } from '@brezel/runtime';
import { webError } from './errors.js';
import { type FileSource, loadBytes } from './load-bytes.js';

/** The kernels: `kernels.wasm` as a URL, a response or bytes, or a compiled WebAssembly.Module. */
export type KernelSource = FileSource | WasmModule;

let compiled: Promise<WasmModule> | undefined;

/**
 * Creates an instance of the kernels. Compiles asynchronously. Without a source, it loads
 * `kernels.wasm` beside this module, once.
 *
 * @throws ERR_WEB_FETCH, ERR_WEB_KERNELS
 */
export async function loadKernels(source?: KernelSource): Promise<WasmInstance> {
  const module = await (source === undefined ? ownKernels() : moduleOf(source));
  try {
    return await WasmInstance.create(module);
  } catch (cause) {
    throw webError('ERR_WEB_KERNELS', { received: (cause as Error).message, cause });
  }
}

function ownKernels(): Promise<WasmModule> {
  compiled ??= moduleOf(new URL('./kernels.wasm', import.meta.url)).catch((error: unknown) => {
    compiled = undefined; // the next call tries again
    throw error;
  });
  return compiled;
}

async function moduleOf(source: KernelSource): Promise<WasmModule> {
  if (source instanceof webAssembly.Module) return source;
  const bytes = await loadBytes(source as FileSource);
  try {
    return await webAssembly.compile(bytes);
  } catch (cause) {
    throw webError('ERR_WEB_KERNELS', { received: (cause as Error).message, cause });
  }
}
