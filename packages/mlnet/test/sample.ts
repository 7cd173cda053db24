import fc from 'fast-check';
import { archiveOf, schemaOf } from './archive-file.js';
import * as parts from './parts.js';

// An archive with many kinds of components, and functions that damage it.

const tree: parts.TestTree = {
  lte: [~0, ~1],
  gt: [1, ~2],
  feature: [0, 1],
  threshold: [0, 0.5],
  leaves: [1, 2, 3],
  categories: { 0: [0, 2] },
};

/**
 * A pipeline from columns of every kind to a forest with a calibrator. A predictor of several
 * classes precedes the forest.
 */
export const sample = (): Buffer =>
  archiveOf(
    [
      parts.valueToKey('Label', 'Name', ['ant', 'bee']),
      parts.valueToKey('Key', 'Color', ['red', 'green', 'blue']),
      parts.keyToVector('Color', 'Key'),
      parts.affine('Size', 'Size', [0.5], [1]),
      parts.normalizeText('Plain', 'Text', [0, 0, 1, 1]),
      parts.tokenizeWords('Words', 'Plain', ' '),
      parts.valueToKey('WordKeys', 'Words', ['good', 'bad']),
      parts.ngrams('WordCounts', 'WordKeys', [[1], [2], [1, 2]]),
      parts.tokenizeCharacters('Chars', 'Plain', true),
      parts.ngrams('CharCounts', 'Chars', [
        [2, 97],
        [97, 98],
      ]),
      parts.lpNorm('CharNorm', 'CharCounts', 0),
      parts.concat('Features', 'Color', 'Size', 'WordCounts', 'CharNorm'),
      parts.multiclass(
        'Features',
        'Label',
        parts.multiclassLinear('MulticlassLinear', [Array(9).fill(1), Array(9).fill(-1)], [0, 1]),
      ),
      parts.keyToValue(['Named', 'PredictedLabel']),
      parts.binary(
        'Features',
        parts.calibrated(parts.forest('FastTreeBinaryExec', 0x00010005, 9, [tree]), parts.platt(-1, 0)),
      ),
    ],
    { Name: 'TextSpan', Color: 'TextSpan', Size: 'Single', Text: 'TextSpan' },
  );

export const sampleRow = { Color: 'green', Size: 3, Text: 'Good bad ab' };
export const sampleOutputs = ['Named', 'PredictedLabel', 'Score', 'Probability'];
export const schema = schemaOf({ Color: 'TextSpan' });

export interface Change {
  readonly file: number;
  readonly at: number;
  readonly byte: number;
  readonly kind: 'set' | 'cut' | 'twice' | 'size' | 'gone';
}

/**
 * Draws changes of unpacked files: bytes, sizes, or whole files. Half of the changes are in
 * headers.
 */
export const changes = fc.array(
  fc.record({
    file: fc.nat(),
    at: fc.oneof(fc.nat(0x60), fc.nat()),
    byte: fc.nat(255),
    kind: fc.constantFrom<Change['kind']>('set', 'set', 'cut', 'twice', 'size', 'gone'),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Applies changes to the files of an archive. */
export function damaged(
  files: Readonly<Record<string, Uint8Array>>,
  all: readonly Change[],
): Record<string, Uint8Array> {
  const left: Record<string, Uint8Array> = { ...files };
  for (const { file, at: place, byte, kind } of all) {
    const names = Object.keys(left);
    const name = names[file % Math.max(1, names.length)];
    if (name === undefined) continue;
    const bytes = Buffer.from(left[name]!);
    const at = place % Math.max(1, bytes.length);
    if (kind === 'gone') delete left[name];
    else if (kind === 'cut') left[name] = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at + 1 + (byte % 16))]);
    else if (kind === 'twice')
      left[name] = Buffer.concat([bytes.subarray(0, at), bytes.subarray(at, at + byte), bytes.subarray(at)]);
    else if (kind === 'set') left[name] = bytes.fill(byte, at, Math.min(at + 1, bytes.length));
    else left[name] = bytes.fill(Buffer.from([byte, byte, byte, 0x7f]), at, Math.min(at + 4, bytes.length));
  }
  return left;
}
