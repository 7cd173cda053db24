import { thrower } from '@brezel/core';
import { RuntimeError } from '../../errors.js';

export const explainErrors = {
  ERR_EXPLAIN_OUTPUT: {
    statusCode: 400,
    message: 'the explanation asks for an output or class that the plan does not have',
    hint: 'plan.outputs lists the outputs; class is the index of an element, or the key of a map',
  },
  ERR_EXPLAIN_OPERATOR: {
    statusCode: 422,
    message: 'an operator of the plan cannot divide its result among its inputs',
    hint: 'linear models and forests can, over features that are computed column by column; explain another output of the plan',
  },
  ERR_EXPLAIN_COVERS: {
    statusCode: 422,
    message: 'a forest does not say how many training rows reached its nodes',
    hint: 'import the model from the file that XGBoost or LightGBM wrote: it has these numbers, and an ONNX file does not',
  },
} as const;

export const explainError = thrower(RuntimeError, explainErrors);
