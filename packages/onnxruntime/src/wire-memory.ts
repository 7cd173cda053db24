import type { WireTensor } from './tasks.js';

/** Returns the buffers of these tensors, which a message must transfer. */
export function memoryOf(wires: Iterable<WireTensor | null>): ArrayBuffer[] {
  return [...wires].flatMap((wire) => (wire === null || wire.element === 'string' ? [] : [bufferOf(wire)]));
}

export const bufferOf = ({ data }: WireTensor): ArrayBuffer => (data as ArrayBufferView<ArrayBuffer>).buffer;
