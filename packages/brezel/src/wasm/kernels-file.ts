import { readFileSync } from 'node:fs';

/**
 * Returns the bytes of the kernels in WebAssembly. The build for bundlers replaces this module.
 *
 * @throws the error of reading the file
 */
export const kernelsFile = (): Uint8Array => readFileSync(new URL('./kernels.wasm', import.meta.url));
