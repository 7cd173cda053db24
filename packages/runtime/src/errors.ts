import { BrezelError, thrower } from '@brezel/core';

/** An error that the caller of the runtime can fix. */
export class RuntimeError extends BrezelError {}

export const runtimeErrors = {
  ERR_RUNTIME_INPUT: {
    message: 'a row does not fit the schema of the plan',
    hint: 'plan.inputs lists names and types',
  },
  ERR_RUNTIME_OUTPUT: {
    message: 'the out-array does not fit the plan',
    hint: 'plan.width is the number of output values of a row',
  },
  ERR_RUNTIME_UNKNOWN_PLAN: {
    message: 'no such plan',
    hint: 'register the plan first, and use the handle of this runtime that register() returned',
  },
  ERR_RUNTIME_VERSION: { message: 'a plan of another version', hint: 'compile it again with this version of Brezel' },
  ERR_RUNTIME_ENGINE: {
    message: 'no such engine',
    hint: 'request-response, batch or auto; reference for predictBatch',
  },
  ERR_RUNTIME_NATIVE: {
    message: 'the addon refused a plan',
    hint: 'this is a fault in Brezel, please report it with the model',
  },
  ERR_RUNTIME_KERNEL: {
    message: 'a JavaScript kernel cannot run a stage',
    hint: 'a plan that was changed after it was compiled: pack or compile the model again; if that does not help, please report it with the model',
  },
  ERR_RUNTIME_OPERATOR: {
    message: 'a plan with an operator that is not defined here',
    hint: 'import the module that defines it (defineOperator) before the plan is registered, in every thread that runs the plan',
  },
  ERR_RUNTIME_CUSTOM: {
    message: 'a custom operator failed',
    hint: 'the function that defineOperator was given threw, or returned a value that is not of its output type; see cause',
  },
  ERR_RUNTIME_OPTION: {
    message: 'an option is out of range',
    hint: 'see the range in the documentation of the option',
  },
  ERR_RUNTIME_OVERLOADED: {
    message: 'too much waits for an answer',
    hint: 'let the caller try again later (HTTP 503); smaller batches, predictStream, or higher limits in createRuntime if there is memory for them',
  },
  ERR_RUNTIME_DEADLINE: {
    message: 'the deadline has passed',
    hint: 'give it more time, send fewer rows at once, or set limits in createRuntime so that less waits before it',
  },
  ERR_RUNTIME_QUARANTINED: {
    message: 'a plan failed again and again, and rests',
    hint: 'the cause is its last failure; runtime.release(plan) ends the rest by hand when that is repaired',
  },
  ERR_RUNTIME_BACKEND: {
    message: 'a backend that cannot be registered',
    hint: 'one name a backend; see the interface Backend',
  },
  ERR_RUNTIME_ISOLATED: {
    message: 'not for a plan that runs on workers',
    hint: 'an operator with deadlineMs can only be ended there: use predict, predictBatch or predictStream, without engine reference',
  },
  ERR_RUNTIME_STUCK: {
    message: 'a custom operator did not end in its time',
    hint: 'its worker was ended and another one takes its place; mend the function, or give it a longer deadlineMs',
  },
  ERR_RUNTIME_WORKER: {
    message: 'a worker ended while it ran a plan',
    hint: 'functions of operators may neither end their thread nor take all its memory; see cause',
  },
  ERR_RUNTIME_RESERVATION: {
    message: 'executors cannot be reserved',
    hint: 'more executors in createRuntime, or fewer in reserve: executors of native plans and of others are reserved from one number',
  },
  ERR_RUNTIME_CLOSED: { message: 'the runtime is closed', hint: 'create a new one' },
} as const;

export const runtimeError = thrower(RuntimeError, runtimeErrors);

/** The hint for a text or dictionary that exceeds the limit of its plan. */
export const TOO_LONG_HINT = 'cut the text, or raise maxInputBytes when you register the plan';

/** Returns the error for a dictionary whose keys, texts and numbers exceed the limit. */
export const tooLongDictionary = (bytes: number, maxInputBytes: number, row: number) =>
  runtimeError('ERR_RUNTIME_INPUT', {
    received: `a dictionary of ${bytes} bytes, longer than maxInputBytes ${maxInputBytes}`,
    at: `row ${row}`,
    hint: TOO_LONG_HINT,
  });

/** The largest allowed `maxInputBytes`. The addon stores offsets of texts in 32 bits. */
export const GREATEST_MAX_INPUT_BYTES = 2 ** 28;

/** The default limit for the text of a row, in UTF-8 bytes. */
export const DEFAULT_MAX_INPUT_BYTES = 16 * 2 ** 20;
