import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/**
 * An error that the caller can fix: a stage cannot be written as an ONNX model, or an option is out
 * of range.
 */
export class LoweringError extends BrezelError {}

/** The message and hint of each error code of the lowering to tensor programs. */
export const loweringErrors = {
  ERR_LOWERING_OPERATOR: {
    message: 'the stage cannot run as a tensor program',
    hint: 'leave the stage on the CPU; whyNotLowered(stage) returns the reason without throwing',
  },
  ERR_LOWERING_LIMIT: {
    message: 'the tensor program would be too large',
    hint: 'choose the other strategy for the forest, or leave the stage on the CPU',
  },
  ERR_LOWERING_OPTION: {
    message: 'an option is out of range',
    hint: 'see the range in the documentation of the option',
  },
} as const satisfies ErrorTable;

export const loweringError = thrower(LoweringError, loweringErrors);
