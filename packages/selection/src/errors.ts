import { BrezelError } from 'brezel';

/**
 * The class of this package's errors. The caller can fix the cause in a call or in the options of
 * the selection.
 */
export class SelectionError extends BrezelError {}

export const selectionErrors = {
  ERR_SELECTION_OPTION: {
    message: 'invalid option of a selection',
    hint: 'see the documentation of createSelection',
  },
  ERR_SELECTION_CANDIDATE: {
    message: 'invalid candidate',
    hint: 'pass a reference with the option registry, a function (row, options) => answer, or an object with predict',
  },
  ERR_SELECTION_NO_ANSWER: {
    statusCode: 503,
    message: 'no candidate answered',
    hint: 'pass a fallback to answer such requests; `cause`, or the log of the server, has the error of each candidate',
  },
  ERR_SELECTION_VOTE: {
    message: 'the answers cannot be compared',
    hint: 'pass vote: (answer) => answer.label, or combine: "mean" for numbers',
  },
  ERR_SELECTION_FEATURES: {
    statusCode: 400,
    message: 'invalid features of a row',
    hint: 'the option features must return the same number of finite numbers for each row',
  },
  ERR_SELECTION_POLICY: {
    message: 'the policy returned an invalid result',
    hint: 'select must name available candidates, and the probability of each that it names must be above 0 and at most 1',
  },
  ERR_SELECTION_QUERY: {
    statusCode: 404,
    message: 'unknown query',
    hint: 'send feedback to the process that predicted, within feedbackMs, with the query that predict returned',
  },
  ERR_SELECTION_REPEATED: {
    statusCode: 409,
    message: 'the query already has feedback',
    hint: 'send feedback once per query',
  },
  ERR_SELECTION_CONTEXT: {
    statusCode: 400,
    message: 'the context of the feedback differs from the context of the prediction',
    hint: 'pass the same context to predict and to feedback, or omit it in feedback',
  },
  ERR_SELECTION_LOSS: {
    statusCode: 400,
    message: 'the loss is not a number from 0 to 1',
    hint: 'correct the loss function or the truth; the query still accepts feedback',
  },
  ERR_SELECTION_STATE: {
    statusCode: 503,
    message: 'the state of the selection cannot be read or written',
    hint: 'see `cause`; the query still accepts feedback',
  },
  ERR_SELECTION_LOG: {
    statusCode: 400,
    message: 'the log of a selection cannot be replayed',
    hint: 'pass the lines that createSelection({ log }) wrote',
  },
} as const;

/** Creates a `SelectionError` with a code of this package. */
export const selectionError = (
  code: keyof typeof selectionErrors,
  details: ConstructorParameters<typeof BrezelError>[2] = {},
): SelectionError => new SelectionError(code, selectionErrors[code], details);
