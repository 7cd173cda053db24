import { BrezelError, thrower } from '@brezel/core';

/** An error that the caller of the runtime can fix. */
export class RuntimeError extends BrezelError {}

export const runtimeErrors = {
  ERR_RUNTIME_INPUT: {
    statusCode: 400,
    message: 'a row does not fit the schema of the plan',
    hint: 'plan.inputs lists names and types',
  },
  ERR_RUNTIME_OUTPUT: {
    message: 'the out-array does not fit the plan',
    hint: 'plan.width is the number of output values of a row',
  },
  ERR_RUNTIME_UNKNOWN_PLAN: {
    statusCode: 404,
    message: 'unknown plan',
    hint: 'register the plan first, and use the handle of this runtime that register() returned',
  },
  ERR_RUNTIME_VERSION: {
    message: 'the plan has an unsupported version',
    hint: 'compile it again with this version of Brezel',
  },
  ERR_RUNTIME_ENGINE: {
    message: 'unknown engine',
    hint: 'use request-response, batch or auto; predictBatch also supports reference',
  },
  ERR_RUNTIME_NATIVE: {
    message: 'the kernels rejected a plan',
    hint: 'verify the fleet file of the plan; if the file is valid, this is a bug in Brezel: please report it with the model',
  },
  ERR_RUNTIME_MEMORY: {
    statusCode: 503,
    message: 'the memory of the kernels is used up',
    hint: 'unregister plans that are not needed, or send smaller rows and batches; without the addon, all plans and rows of a thread share 4 GiB of WebAssembly memory',
  },
  ERR_RUNTIME_STAGE: {
    message: 'a stage has the key of another stage',
    hint: 'the plan or its fleet file was changed: compile or pack the model again, and verify fleet files that others can write',
  },
  ERR_RUNTIME_KERNEL: {
    message: 'a JavaScript kernel cannot run a stage',
    hint: 'the plan was changed after it was compiled: pack or compile the model again; if that does not help, please report it with the model',
  },
  ERR_RUNTIME_OPERATOR: {
    message: 'the plan has an operator that this thread has not defined',
    hint: 'before you register the plan, import the module that defines the operator (defineOperator), in every thread that runs the plan',
  },
  ERR_RUNTIME_CUSTOM: {
    message: 'a custom operator failed',
    hint: 'the function of the operator threw an error, or returned a value of another type than its output; see `cause`',
  },
  ERR_RUNTIME_OPTION: {
    message: 'an option is out of range',
    hint: 'see the range in the documentation of the option',
  },
  ERR_RUNTIME_NAME: {
    statusCode: 409,
    message: 'the name of a plan is taken in this runtime',
    hint: 'give each plan a different name: register(plan, { name }); unregister the old plan first to reuse its name',
  },
  ERR_RUNTIME_OVERLOADED: {
    statusCode: 503,
    message: 'the queue of the runtime is full',
    hint: 'let the caller try again later (HTTP 503), send smaller batches, use predictStream, or increase the limits in createRuntime if memory allows',
  },
  ERR_RUNTIME_DEADLINE: {
    statusCode: 504,
    message: 'the deadline has passed',
    hint: 'increase deadlineMs, send fewer rows at once, or set limits in createRuntime so that fewer rows queue',
  },
  ERR_RUNTIME_QUARANTINED: {
    statusCode: 503,
    message: 'the plan failed repeatedly and is in quarantine',
    hint: '`cause` is its last failure; call runtime.release(plan) after you fix it',
  },
  ERR_RUNTIME_BACKEND: {
    message: 'the backend cannot be registered',
    hint: 'use one name for each backend; see the interface Backend',
  },
  ERR_RUNTIME_ISOLATED: {
    message: 'unsupported for a plan that runs on isolated workers',
    hint: 'an operator with deadlineMs runs on a worker thread, which Brezel can end: use predict, predictBatch or predictStream, without engine reference',
  },
  ERR_RUNTIME_STUCK: {
    statusCode: 504,
    message: 'a custom operator exceeded its deadline',
    hint: 'Brezel ended its worker and replaces it; fix the function, or increase deadlineMs of the operator',
  },
  ERR_RUNTIME_WORKER: {
    statusCode: 503,
    message: 'a worker ended while it ran a plan',
    hint: 'a function of an operator must not end its thread or use all its memory; see `cause`',
  },
  ERR_RUNTIME_RESERVATION: {
    message: 'executors cannot be reserved',
    hint: 'increase the option executors of createRuntime, which limits native and JavaScript executors together, or reserve fewer',
  },
  ERR_RUNTIME_CLOSED: { statusCode: 503, message: 'the runtime is closed', hint: 'create a new runtime' },
} as const;

export const runtimeError = thrower(RuntimeError, runtimeErrors);

/** The hint of errors for a text or dictionary that exceeds the limit of its plan. */
export const TOO_LONG_HINT = 'shorten the text, or increase maxInputBytes when you register the plan';

/**
 * Returns the error for a dictionary whose keys, texts and numbers have more than `maxInputBytes`
 * bytes.
 */
export const tooLongDictionary = (bytes: number, maxInputBytes: number, row: number) =>
  runtimeError('ERR_RUNTIME_INPUT', {
    received: `a dictionary of ${bytes} bytes, longer than maxInputBytes ${maxInputBytes}`,
    at: `row ${row}`,
    row,
    hint: TOO_LONG_HINT,
  });

/** The largest allowed `maxInputBytes`. The addon stores the offsets of texts in 32 bits. */
export const GREATEST_MAX_INPUT_BYTES = 2 ** 28;

/** The default limit for each text and each dictionary of a row, in UTF-8 bytes. */
export const DEFAULT_MAX_INPUT_BYTES = 16 * 2 ** 20;
