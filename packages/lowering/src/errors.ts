import { BrezelError, type ErrorTable, thrower } from '@brezel/core';

/** A stage that cannot be written as an ONNX model. Whose turn: the plan. */
export class LoweringError extends BrezelError {}

export const loweringErrors = {
  ERR_LOWERING_OPERATOR: {
    message: 'a stage that has no form as a tensor program',
    hint: 'let it run where it does: whyNotLowered(stage) tells the reason without throwing',
  },
  ERR_LOWERING_LIMIT: {
    message: 'the tensor program would be too large',
    hint: 'choose the other strategy for the forest, or let it run where it does',
  },
  ERR_LOWERING_OPTION: {
    message: 'an option is out of range',
    hint: 'see the range in the documentation of the option',
  },
} as const satisfies ErrorTable;

export const loweringError = thrower(LoweringError, loweringErrors);
