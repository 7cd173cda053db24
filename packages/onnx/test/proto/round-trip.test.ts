import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { readModel, readTensorProto } from '../../src/proto/read.js';
import { graphProto, modelProto, tensorProto } from '../../src/proto/schema.js';
import { writeModel, writeTensorProto } from '../../src/proto/write.js';
import { seed } from '../seed.js';
import { messageOf, plain } from './arbitrary.js';

describe('written messages are read unchanged', () => {
  test('random models', () => {
    const models = fc
      .record({ model: messageOf(modelProto, 5), graph: messageOf(graphProto, 4) })
      .map(({ model, graph }) => ({ ...model, graph }));
    fc.assert(
      fc.property(models, (model) => {
        expect(plain(readModel(writeModel(model)))).toEqual(plain(model));
      }),
      { numRuns: 150, seed, verbose: 1 },
    );
  });

  test('random tensors', () => {
    fc.assert(
      fc.property(messageOf(tensorProto, 1), (tensor) => {
        expect(plain(readTensorProto(writeTensorProto(tensor)))).toEqual(plain(tensor));
      }),
      { numRuns: 500, seed, verbose: 1 },
    );
  });
});
