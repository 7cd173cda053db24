import { natsError } from '../errors.js';
import { MAX_PART_BYTES, MAX_PARTS } from './recipe.js';

/** A range of bytes in a file. */
export interface Range {
  readonly offset: number;
  readonly bytes: number;
}

/** Parameters start at multiples of 64 in a fleet file, with zeros between them. */
const ALIGNMENT = 64;
/** Smaller parameters share a part with the bytes around them. */
const MIN_PARAMETER_BYTES = 4096;

/**
 * Cuts a fleet file into parts. Every large parameter is a separate part, or several parts above 8
 * MiB, so that the files of a model family have equal parts. The parts cover the file in order.
 *
 * @param parameters the positions of the parameters
 * @param total the size of the file
 * @throws ERR_NATS_ARTIFACT if the file is too large for 10,000 parts
 */
export function rangesOf(parameters: readonly Range[], total: number): Range[] {
  const sorted = [...parameters].sort((one, other) => one.offset - other.offset);
  for (let least = MIN_PARAMETER_BYTES; least <= MAX_PART_BYTES; least *= 2) {
    const ranges = cut(sorted, total, least);
    if (ranges.length <= MAX_PARTS) return ranges;
  }
  const expected = `a file of at most ${MAX_PARTS} parts of ${MAX_PART_BYTES} bytes`;
  throw natsError('ERR_NATS_ARTIFACT', { expected, received: `${total} bytes` });
}

function cut(sorted: readonly Range[], total: number, least: number): Range[] {
  const ranges: Range[] = [];
  let end = 0;
  const addUntil = (next: number) => {
    for (; end < next; end += ranges.at(-1)!.bytes)
      ranges.push({ offset: end, bytes: Math.min(MAX_PART_BYTES, next - end) });
  };
  for (const { offset, bytes } of sorted) {
    if (bytes < least) continue;
    addUntil(offset);
    // With the zeros after the parameter, which are the same in every file.
    addUntil(Math.min(total, Math.ceil((offset + bytes) / ALIGNMENT) * ALIGNMENT));
  }
  addUntil(total);
  return ranges;
}
