import { BrezelError, thrower } from '@brezel/core';

/** An error in the test data. The caller can fix it. */
export class TestDataError extends BrezelError {}

export const testDataErrors = {
  ERR_TEST_DATA: {
    message: 'the test data cannot be replayed',
    hint: 'use a folder with test_data_set_0, test_data_set_1, ...; each has input_0.pb, ... and output_0.pb, ..., one for each input and output of the model',
  },
} as const;

export const testDataError = thrower(TestDataError, testDataErrors);
