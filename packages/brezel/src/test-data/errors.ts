import { BrezelError, thrower } from '@brezel/core';

/** Whose turn: who brought the test data. */
export class TestDataError extends BrezelError {}

export const testDataErrors = {
  ERR_TEST_DATA: {
    message: 'test data that cannot be replayed',
    hint: 'a folder holds test_data_set_0, test_data_set_1, ... with input_0.pb, ... and output_0.pb, ..., one for each input and output of the model',
  },
} as const;

export const testDataError = thrower(TestDataError, testDataErrors);
