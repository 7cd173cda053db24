// `brezel/web`: predictions of packed fleets in browsers, workers, Deno and edge runtimes. It uses
// no module of Node and no `eval`.
import { checkOptionNames, type ErrorDetails, optionNames } from '@brezel/core';
import { FleetBytes } from '@brezel/fleet-file';
import { type Checksum, ObjectStore } from '@brezel/object-store';
import { KernelPlans, WasmKernels, wasmMemory } from '@brezel/runtime';
import { webError } from './errors.js';
import { WebFleet } from './fleet.js';
import { type FileSource, loadBytes } from './load-bytes.js';
import { type KernelSource, loadKernels } from './load-kernels.js';

export { type Answer, BrezelError, type InputPort, type OutputPort, type Row } from '@brezel/core';
export { WebError } from './errors.js';
export { WebFleet, WebPlan } from './fleet.js';
export type { FileSource } from './load-bytes.js';
export type { KernelSource } from './load-kernels.js';

/** Options of `openFleet` of `brezel/web`. */
export interface WebOptions {
  /**
   * The kernels: `kernels.wasm` as a URL, a response or bytes, or a compiled WebAssembly.Module.
   * Default: `kernels.wasm` beside this module. Runtimes that do not compile, such as Cloudflare
   * Workers, need the module: `import kernels from 'brezel/kernels.wasm'`.
   */
  readonly kernels?: KernelSource;
  /** True compares all bytes with their checksums. Default true. */
  readonly verify?: boolean;
  /** The maximal length of a text in UTF-8 bytes. Default: 1 MiB. */
  readonly maxInputBytes?: number;
}

const DEFAULT_MAX_INPUT_BYTES = 2 ** 20;
const webOptionNames = optionNames<WebOptions>({ kernels: true, verify: true, maxInputBytes: true });

/** @throws ERR_WEB_OPTION for an unknown option or a value of another type */
function checkOptions(options: WebOptions): void {
  const fail = (details: ErrorDetails) => webError('ERR_WEB_OPTION', details);
  checkOptionNames(options, webOptionNames, fail, 'openFleet');
  const { verify = true, maxInputBytes = DEFAULT_MAX_INPUT_BYTES } = options;
  if (typeof verify !== 'boolean') throw fail({ expected: 'true or false', received: String(verify), at: 'verify' });
  if (!Number.isSafeInteger(maxInputBytes) || maxInputBytes < 0)
    throw fail({ expected: 'a whole number of bytes', received: String(maxInputBytes), at: 'maxInputBytes' });
}

/**
 * Opens a fleet file that `packFleet` or `brezel pack` wrote, without a file system.
 *
 * Each fleet has a separate instance of the kernels with its own memory.
 *
 * Cost: proportional to the size of the file.
 *
 * @throws ERR_WEB_OPTION, ERR_WEB_FETCH, ERR_WEB_MEMORY, ERR_WEB_KERNELS; ERR_STORE_FORMAT,
 * ERR_STORE_VERSION, ERR_STORE_DAMAGED for another or a damaged file.
 * @see examples/web-page: `openFleet('/fleet.brezel')` in a page, which a test opens in Chromium.
 */
export async function openFleet(source: FileSource, options: WebOptions = {}): Promise<WebFleet> {
  checkOptions(options);
  const { kernels, verify = true, maxInputBytes = DEFAULT_MAX_INPUT_BYTES } = options;
  const [bytes, instance] = await Promise.all([loadBytes(source), loadKernels(kernels)]);
  const memory = wasmMemory(instance);
  // A plan that is only run needs no other checksums. A second module would be compiled for them.
  const checksum = { of: memory.checksum } as Partial<Checksum> as Checksum;
  const store = await ObjectStore.open({ memory, checksum });
  const file = new FleetBytes(bytes, store, typeof source === 'string' ? source : 'fleet');
  if (verify) file.verify();
  return new WebFleet({ file, plans: new KernelPlans(store, new WasmKernels(instance)), store, maxInputBytes });
}
