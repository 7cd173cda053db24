import { BrezelError, thrower } from '@brezel/core';
import { RuntimeError } from '../../errors.js';
import { rowPlace } from '../rows/row-place.js';

export const explainErrors = {
  ERR_EXPLAIN_OUTPUT: {
    statusCode: 400,
    message: 'the explanation asks for an output or class that the plan does not have',
    hint: 'plan.outputs lists the outputs; class is the index of an element, or the key of a map',
  },
  ERR_EXPLAIN_OPERATOR: {
    statusCode: 422,
    message: 'an operator of the plan cannot divide its result among its inputs',
    hint: "explain another output of the plan: the result of a linear model, or of a forest whose features are computed column by column; or pass background rows and method: 'sampled'",
  },
  ERR_EXPLAIN_COVERS: {
    statusCode: 422,
    message: 'a forest does not say how many training rows reached its nodes',
    hint: 'import the model from the file that XGBoost or LightGBM wrote: it has these numbers, and an ONNX file does not; or pass background: rows to which the row is compared',
  },
  ERR_EXPLAIN_FAILED: {
    message: 'the explanation rules of an operator failed',
    hint: 'compile or pack the model again, because the plan may have been changed; if that does not help, report the model with `cause`',
  },
  ERR_EXPLAIN_LIMIT: {
    statusCode: 422,
    message: 'an explanation has too many interactions, places of n-grams, sampled contributions or background rows',
    hint: 'explain without interactions, with shorter texts, or with fewer background rows; if a row lists too many contributions, or a batch has too many interactions or places, pass top or explain fewer rows together; for importance, pass class or a smaller sample',
  },
} as const;

export const explainError = thrower(RuntimeError, explainErrors);

/** An operator of a plan, and the number of its stage. */
interface OperatorOfStage {
  readonly step: { readonly operator: string };
  readonly stage: number;
}

/**
 * Calls an explanation function of an operator. If the function has a bug and throws an error of
 * another library or of JavaScript, the new error names the stage and the operator.
 */
export function inRules<T>({ step, stage }: OperatorOfStage, run: () => T): T {
  try {
    return run();
  } catch (cause) {
    if (cause instanceof BrezelError) throw cause;
    const received = cause instanceof Error ? cause.message : typeof cause;
    throw explainError('ERR_EXPLAIN_FAILED', { received, at: `stage ${stage}, ${step.operator}`, cause });
  }
}

/**
 * Calls a function for each index below `count`. If the function throws an error about the
 * explanation, the new error names the row.
 *
 * @param rowOf converts an index to the index of the row in the request. Returns undefined if the
 * caller of `forEachRow` adds the row to the error.
 */
export function forEachRow(count: number, rowOf: (index: number) => number | undefined, run: (index: number) => void) {
  let index = 0;
  try {
    for (; index < count; index++) run(index);
  } catch (error) {
    const row = rowOf(index);
    throw row === undefined ? error : withRow(error, row);
  }
}

/**
 * Adds the index of a row to an error. An error about an unknown output or class stays unchanged,
 * because it concerns the whole request.
 */
function withRow(error: unknown, row: number): unknown {
  if (!(error instanceof RuntimeError && Object.hasOwn(explainErrors, error.code))) return error;
  const { details, code } = error;
  if (details.row !== undefined || code === 'ERR_EXPLAIN_OUTPUT') return error;
  const { at } = rowPlace(row);
  return explainError(code as keyof typeof explainErrors, {
    ...details,
    row,
    at: details.at === undefined ? at : `${at}, ${details.at}`,
  });
}
