import fc from 'fast-check';
import { test } from 'vitest';
import { fraction } from '../../../../testing/fraction.js';
import { OnnxError } from '../../src/errors.js';
import { readModel } from '../../src/proto/read.js';
import { readTensor } from '../../src/proto/tensor.js';
import { writeModel } from '../../src/proto/write.js';
import { corpusModels } from '../proto/corpus.js';
import { smallModel } from '../proto/models.js';
import { seed } from '../seed.js';

const runs = Number(process.env.BREZEL_FUZZ_RUNS ?? 20_000);
console.log(`read.fuzz: BREZEL_FUZZ_RUNS=${runs}`);

const small = writeModel(smallModel());
const seeds = [
  small,
  ...corpusModels('onnx-node', 'models')
    .map(({ bytes }) => bytes)
    .filter((bytes) => bytes.length < 20_000),
];

/** Reads a hostile file and its tensors. The only allowed error is an OnnxError. */
function survive(bytes: Uint8Array): void {
  try {
    const { graph } = readModel(bytes);
    for (const initializer of graph!.initializer) readTensor(initializer);
  } catch (error) {
    if (!(error instanceof OnnxError)) throw error;
  }
}

/** One change of a file. The position is a fraction of the file's length. */
type Mutation = (bytes: Uint8Array, at: number) => Uint8Array;

const splice =
  (removed: number, inserted: Uint8Array): Mutation =>
  (bytes, at) =>
    Buffer.concat([bytes.subarray(0, at), inserted, bytes.subarray(at + removed)]);

const mutations = fc.oneof(
  fc.nat(7).map(
    (bit): Mutation =>
      (bytes, at) =>
        bytes.with(at, bytes[at]! ^ (1 << bit)),
  ),
  fc.nat(255).map(
    (value): Mutation =>
      (bytes, at) =>
        bytes.with(at, value),
  ),
  fc.constant<Mutation>((bytes, at) => bytes.subarray(0, at)),
  fc
    .record({ removed: fc.nat(8), inserted: fc.uint8Array({ maxLength: 8 }) })
    .map((s) => splice(s.removed, s.inserted)),
  // Wrong lengths and varints: up to 2^28 - 1, 2^32 - 1 and 2^64 - 1, and a varint that never ends.
  fc.constantFrom(3, 4, 9, 20).map((size) => splice(1, new Uint8Array(size + 1).fill(0xff, 0, size).fill(0x0f, size))),
  fc.nat(300).map(
    (size): Mutation =>
      (bytes, at) =>
        splice(0, bytes.subarray(at, at + size))(bytes, at),
  ),
);

const mutated = fc
  .record({
    file: fc.constantFrom(...seeds),
    steps: fc.array(fc.tuple(mutations, fraction), { minLength: 1, maxLength: 4 }),
  })
  .map(({ file, steps }) =>
    steps.reduce<Uint8Array>(
      (bytes, [mutate, place]) => (bytes.length === 0 ? bytes : mutate(bytes, Math.floor(place * bytes.length))),
      new Uint8Array(file),
    ),
  );

test('mutated models', () => {
  fc.assert(fc.property(mutated, survive), { numRuns: runs, seed });
});

test('random bytes', () => {
  fc.assert(fc.property(fc.uint8Array({ maxLength: 200 }), survive), { numRuns: runs, seed });
});

test('every prefix and every flipped bit of a small model', () => {
  for (let at = 0; at < small.length; at++) {
    survive(small.subarray(0, at));
    for (let bit = 0; bit < 8; bit++) survive(small.with(at, small[at]! ^ (1 << bit)));
  }
});
