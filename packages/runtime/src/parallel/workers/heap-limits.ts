import { runtimeError } from '../../errors.js';

const MIB = 2 ** 20;
/** Brezel itself takes some twenty. */
const LEAST_HEAP_BYTES = 64 * MIB;

/**
 * What a piscina pool is told of the heap of its threads. A thread that would need more is lost,
 * and nothing else. @throws ERR_RUNTIME_OPTION
 */
export function heapLimits(heapBytes: number | undefined) {
  if (heapBytes === undefined) return {};
  if (Number.isSafeInteger(heapBytes) && heapBytes >= LEAST_HEAP_BYTES)
    return { resourceLimits: { maxOldGenerationSizeMb: Math.floor(heapBytes / MIB) } };
  const expected = `workerHeapBytes, an integer from ${LEAST_HEAP_BYTES}`;
  throw runtimeError('ERR_RUNTIME_OPTION', { expected, received: String(heapBytes), at: 'createRuntime' });
}
