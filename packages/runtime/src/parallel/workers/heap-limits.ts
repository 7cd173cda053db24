import { runtimeError } from '../../errors.js';

const MIB = 2 ** 20;
/** The smallest allowed heap limit. Brezel alone uses about 20 MiB. */
const LEAST_HEAP_BYTES = 64 * MIB;

/**
 * Returns the heap options of a piscina pool. A thread that exceeds its limit is lost, but the
 * process continues.
 * @throws ERR_RUNTIME_OPTION
 */
export function heapLimits(heapBytes: number | undefined) {
  if (heapBytes === undefined) return {};
  if (Number.isSafeInteger(heapBytes) && heapBytes >= LEAST_HEAP_BYTES)
    return { resourceLimits: { maxOldGenerationSizeMb: Math.floor(heapBytes / MIB) } };
  const expected = `workerHeapBytes, an integer from ${LEAST_HEAP_BYTES}`;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(heapBytes), at: 'createRuntime' });
}
